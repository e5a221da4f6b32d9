import Authorization
import BrokerProtocol
import Circle
import Foundation
import Platform
import TPM
import TestSupport
import Testing
import Varlink
import Vault

@testable import Broker

/// All keys of a vault that shares its items are renewed (docs/rotation.md, “In a circle”).
@Suite(.timeLimit(.minutes(30)))
struct SuccessionTests {
    /// - Returns: the number of conversations.
    @discardableResult
    private func rotate(_ peer: CirclePeer) async throws -> Int {
        var (method, conversations) = (Keychain.RotateAll(), 0)
        while true {
            do {
                _ = try await peer.client.call(method)
                return conversations
            } catch let fault as Fault where fault.name == .authenticationRequired {
                let id = try #require(fault.details.challenge)
                await (try peer.broker.authenticator.rotate(id)).line.close()
                conversations += 1
                method.challenge = id
            }
        }
    }

    private func unlock(_ peer: CirclePeer) async throws {
        // It waits until the registry has decided between the two vaults.
        _ = try await peer.client.call(Keychain.List())
        _ = try await peer.broker.call(peer.client, Keychain.Unlock()) { Keychain.Unlock(challenge: $0) }
    }

    private func guarded(_ peer: CirclePeer, _ account: String) async throws -> String {
        try await peer.broker.call(peer.client, Keychain.Get(service: "s", account: account)) {
            Keychain.Get(service: "s", account: account, challenge: $0)
        }.value
    }

    private func setGuarded(_ peer: CirclePeer, _ account: String, _ value: String) async throws {
        _ = try await peer.client.call(
            Keychain.Set(
                service: "s", account: account, value: value,
                access: Keychain.AccessChange(whole: .presence)))
    }

    private func pair(
        _ broker: ThrowAwayBroker? = nil
    ) async throws -> (desk: CirclePeer, laptop: CirclePeer, folder: SharedFolder) {
        var folder = SharedFolder()
        let (desk, laptop) = (try await CirclePeer("desk"), try await CirclePeer("laptop", on: broker))
        try await desk.found()
        try await desk.add(laptop)
        try await desk.set("plain", "cGxhaW4=")
        try await setGuarded(laptop, "guarded", "Z3VhcmRlZA==")
        for _ in 0..<2 { for peer in [desk, laptop] { try await peer.sync(&folder) } }
        return (desk, laptop, folder)
    }

    /// Both are members, have the same, and give and take as before.
    private func expectTogether(
        _ desk: CirclePeer, _ laptop: CirclePeer, _ folder: inout SharedFolder, _ why: String
    ) async throws {
        for _ in 0..<3 { for peer in [desk, laptop] { try await peer.sync(&folder) } }
        let (here, there) = (try await desk.state(), try await laptop.state())
        #expect(here.digest == there.digest && here.joined && there.joined, "\(why)")
        for state in [here, there] {
            #expect(state.machines.count == 2 && state.pending == 0 && state.waiting == 0, "\(why): \(state)")
            #expect(Set(state.machines.compactMap(\.name)) == ["desk", "laptop"], "\(why): \(state.machines)")
        }
        for peer in [desk, laptop] {
            #expect(try await peer.get("plain") == "cGxhaW4=", "\(why)")
            #expect(try await guarded(peer, "guarded") == "Z3VhcmRlZA==", "\(why)")
            #expect(try await peer.client.call(Sync.Releasables()).items.isEmpty, "\(why)")
        }
        for (account, from, to) in [("from the desk", desk, laptop), ("from the laptop", laptop, desk)] {
            try await from.set(account, "bmV3")
            try await setGuarded(from, "guarded \(account)", "bmV3")
            for peer in [from, to, from] { try await peer.sync(&folder) }
            #expect(try await to.get(account) == "bmV3", "\(why)")
            #expect(try await guarded(to, "guarded \(account)") == "bmV3", "\(why)")
        }
    }

    @Test func aMemberRenewsItsKeysAndStays() async throws {
        let tpm = try SWTPM()
        let broker = try await ThrowAwayBroker(configure: { $0.sealer = .tpm }) { _ in
            TPMSealer(TPMAccess.patient(tpm.configuration, observer: CommandRecorder()))
        }
        var (desk, laptop, folder) = try await pair(broker)
        let before = try await laptop.state()
        let former = try #require(before.machines.first { $0.own })
        // What waits is said before the machine goes.
        try await laptop.set("waits", "d2FpdHM=")
        #expect(try await rotate(laptop) == 1)
        let after = try await laptop.state()
        let own = try #require(after.machines.first { $0.own })
        #expect(own.device != former.device && own.role == former.role && after.circle == before.circle)
        #expect(!after.machines.contains { $0.device == former.device })
        #expect(after.former.filter { $0.own == true }.map(\.device) == [former.device])
        #expect(try await laptop.sync(&folder).added == 0)
        #expect(try await desk.sync(&folder).added == 1, "nothing else is new there")
        #expect(try await desk.get("waits") == "d2FpdHM=")
        try await expectTogether(desk, laptop, &folder, "renewed")
        let there = try await desk.state()
        #expect(there.machines.contains { $0.device == own.device && $0.role == own.role })
        #expect(there.former.contains { $0.device == former.device } && there.former.allSatisfy { $0.own == nil })
        // It adds and removes as before, with its new keys.
        let third = try await CirclePeer("third")
        try await laptop.add(third)
        for _ in 0..<2 { for peer in [laptop, third, desk] { try await peer.sync(&folder) } }
        #expect(try await third.get("plain") == "cGxhaW4=")
        let machines = try await laptop.state().machines
        let device = try #require(machines.first { $0.name == "third" }).device
        try await laptop.remove([device])
        for peer in [laptop, desk] { try await peer.sync(&folder) }
        #expect(try await desk.state().machines.count == 2)
        // Once more, and after a restart of the broker.
        try await rotate(laptop)
        try await expectTogether(desk, laptop, &folder, "renewed twice")
        let all = try await laptop.state().former.filter { $0.own == true }.map(\.device)
        #expect(Set(all) == [former.device, own.device] && all.count == 2)
        for peer in [desk, laptop, third] { await peer.stop() }
        #expect(try tpm.leftovers() == [])
    }

    /// T12: wherever the renewal ends, the machine is in its circle, once, and the next one comes to its end.
    @Test(
        arguments: TestAuthenticator.SuccessionStop.allCases.map { Stop.telling($0) }
            + TestAuthenticator.RotationStop.allCases.map { Stop.renewal($0) })
    func aStopLeavesAMember(stop: Stop) async throws {
        var (desk, laptop, folder) = try await pair()
        try await laptop.set("waits", "d2FpdHM=")
        let id = try await challenge { try await laptop.client.call(Keychain.RotateAll()) }
        let line: WireClient
        switch stop {
        case .telling(let step): line = try await laptop.broker.authenticator.rotate(id, succession: step).line
        case .renewal(let step): line = try await laptop.broker.authenticator.rotate(id, stop: step).line
        }
        await line.close()
        try await unlock(laptop)
        try await expectTogether(desk, laptop, &folder, "\(stop)")
        #expect(try await desk.get("waits") == "d2FpdHM=", "\(stop)")
        try await rotate(laptop)
        try await unlock(laptop)
        try await expectTogether(desk, laptop, &folder, "\(stop), renewed")
        for peer in [desk, laptop] { await peer.stop() }
    }

    enum Stop: Sendable {
        case telling(TestAuthenticator.SuccessionStop)
        case renewal(TestAuthenticator.RotationStop)
    }

    /// Between the signature and the successor, other machines and other programs go on.
    @Test func whatHappensMeanwhileIsKept() async throws {
        var (desk, laptop, folder) = try await pair()
        try await desk.set("meanwhile", "ZGVzaw==")
        try await desk.sync(&folder)
        let id = try await challenge { try await laptop.client.call(Keychain.RotateAll()) }
        let shared = folder
        await
            (try laptop.broker.authenticator.rotate(id) { step in
                guard step == .succeed else { return }
                _ = try await laptop.take(shared)
                try await laptop.set("late", "bGF0ZQ==")
                // The vault talks to nobody while its keys are renewed.
                let refused = try await fault {
                    try await laptop.client.call(Sync.Give(heads: shared.heads, names: shared.segments))
                }
                #expect(refused.name == .failed)
            }).line.close()
        _ = try await laptop.client.call(Keychain.RotateAll(challenge: id))
        try await expectTogether(desk, laptop, &folder, "meanwhile")
        for peer in [desk, laptop] {
            #expect(try await peer.get("meanwhile") == "ZGVzaw==")
            #expect(try await peer.get("late") == "bGF0ZQ==")
            await peer.stop()
        }
    }

    /// The broker asks for nothing of a circle without one, and a renewal without the person's signatures tells nobody.
    @Test func nothingIsToldWithoutSignatures() async throws {
        var (desk, laptop, folder) = try await pair()
        let id = try await challenge { try await laptop.client.call(Keychain.RotateAll()) }
        let (line, _) = try await laptop.broker.authenticator.rotate(id, succession: .proof)
        let early = try await fault {
            try await line.call(BrokerInterface.Succeed<RegistryRecord>(challenge: id))
        }
        #expect(early.name == .brokerChallengeRefused)
        await line.close()
        let alone = try await CirclePeer("alone")
        let other = try await challenge { try await alone.client.call(Keychain.RotateAll()) }
        let (second, _) = try await alone.broker.authenticator.rotate(other, stop: .renew)
        let refused = try await fault {
            try await second.call(BrokerInterface.PrepareSuccession<RegistryRecord>(challenge: other))
        }
        #expect(refused.name == .brokerNotPermitted)
        await second.close()
        // A signature over something else is no succession.
        let wrong = try await challenge { try await laptop.client.call(Keychain.RotateAll()) }
        let (third, _) = try await laptop.broker.authenticator.rotate(wrong, succession: .proofPrepared)
        let strange = try await fault {
            try await third.call(
                BrokerInterface.CompleteSuccession(
                    challenge: wrong, signature: Base64.encode([UInt8](repeating: 1, count: 64))))
        }
        #expect(strange.name != .brokerNotPermitted)
        await third.close()
        try await expectTogether(desk, laptop, &folder, "nothing was told")
        for peer in [desk, laptop, alone] { await peer.stop() }
    }

    /// A machine that was removed is told before anybody is asked.
    @Test func aRemovedMachineLeavesFirst() async throws {
        var (desk, laptop, folder) = try await pair()
        let machines = try await desk.state().machines
        let device = try #require(machines.first { !$0.own }).device
        try await desk.remove([device])
        try await desk.sync(&folder)
        _ = try await laptop.take(folder)
        let refused = try await fault { try await laptop.client.call(Keychain.RotateAll()) }
        #expect(refused.name == .failed && refused.details.advice?.contains("coffer sync leave") == true)
        _ = try await laptop.client.call(Sync.Forget())
        try await rotate(laptop)
        for peer in [desk, laptop] { await peer.stop() }
    }
}
