import Broker
import BrokerProtocol
import Item
import Platform
import TestSupport
import Testing
import Varlink

/// What a machine could read, on the wire.
@Suite(.timeLimit(.minutes(30)))
struct ExposureTests {
    private func pair() async throws -> (desk: CirclePeer, laptop: CirclePeer, folder: SharedFolder) {
        let (desk, laptop) = (try await CirclePeer("desk"), try await CirclePeer("laptop"))
        try await desk.set("plain")
        try await desk.found()
        try await desk.add(laptop)
        _ = try await desk.client.call(
            Keychain.Set(
                service: "s", account: "guarded", value: someValue, access: Keychain.AccessChange(whole: .presence)))
        var folder = SharedFolder()
        for peer in [desk, laptop, desk] { try await peer.sync(&folder) }
        return (desk, laptop, folder)
    }

    private func exposed(_ device: String, by peer: CirclePeer) async throws -> [Sync.Exposure] {
        try await peer.client.call(Sync.Exposed(device: device)).items.sorted { $0.account < $1.account }
    }

    @Test func theListOfARemovedMachineShrinks() async throws {
        var (desk, laptop, folder) = try await pair()
        let device = try #require(try await desk.state().machines.first { $0.name == "laptop" }).device
        let all = [
            Sync.Exposure(service: "s", account: "guarded", fields: ["secret"], asks: true),
            Sync.Exposure(service: "s", account: "plain", fields: ["secret"], asks: false),
        ]
        #expect(try await exposed(device, by: desk) == all)
        #expect(try await desk.state().former.isEmpty)
        try await desk.remove([device])
        try await desk.sync(&folder)
        let former = try await desk.state().former
        #expect(former == [Sync.FormerMachine(device: device, name: "laptop", protection: "software")])
        #expect(try await exposed(device, by: desk) == all)
        try await desk.set("plain", "bGF0ZXI=")
        try await desk.sync(&folder)
        #expect(try await exposed(device, by: desk) == [all[0]])
        // A machine that was removed does not know what is new.
        try await laptop.sync(&folder)
        let own = try #require(try await desk.state().machines.first { $0.name == "desk" }).device
        #expect(try await fault { try await laptop.client.call(Sync.Exposed(device: own)) }.name == .invalidArgument)
        for peer in [desk, laptop] { await peer.stop() }
    }

    @Test func itTakesAnUnlockedVaultAndAsksNobody() async throws {
        let (desk, laptop, _) = try await pair()
        let device = try #require(try await desk.state().machines.first { $0.name == "laptop" }).device
        let reads = try await desk.shares().count
        #expect(try await exposed(device, by: desk).count == 2)
        #expect(try await desk.shares().count == reads)
        for wrong in ["", "00", "no id", String(repeating: "0", count: 31)] {
            #expect(
                try await fault { try await desk.client.call(Sync.Exposed(device: wrong)) }.name == .invalidArgument)
        }
        let unknown = Sync.Exposed(device: String(repeating: "0", count: 32))
        #expect(try await fault { try await desk.client.call(unknown) }.name == .notFound)
        let strange = Sync.Exposed(device: device, after: "no place")
        #expect(try await fault { try await desk.client.call(strange) }.name == .invalidArgument)
        _ = try await desk.client.call(Keychain.Lock())
        #expect(try await fault { try await desk.client.call(Sync.Exposed(device: device)) }.name == .locked)
        for peer in [desk, laptop] { await peer.stop() }
    }
}
