import BrokerProtocol
import Foundation
import Item
import TestSupport
import Testing
import Varlink

/// A vault that has as many items as it may have. Who begins to share stores one more: where the folder lies. So the
/// vault's owner is told before anybody is asked, and not once there is a circle.
@Suite(.timeLimit(.minutes(30)))
struct SharingRoomTests {
    private func fill(_ peer: CirclePeer, with count: Int) async throws {
        for first in stride(from: 0, to: count, by: ItemLimits.changes) {
            let changes = (first..<min(first + ItemLimits.changes, count)).map { number in
                Keychain.Change(action: .set, service: "full", account: "\(number)", value: someValue)
            }
            _ = try await peer.client.call(Keychain.Apply(changes: changes))
        }
    }

    private func checkFull(_ body: () async throws -> some Sendable) async throws {
        let refused = try await fault(body)
        #expect(refused.name == .limitExceeded && refused.details.challenge == nil, "\(refused)")
        #expect(refused.details.message?.contains("one item more") == true)
        #expect(refused.details.advice?.contains("coffer rm") == true)
    }

    @Test func aFullVaultIsToldBeforeAnybodyIsAsked() async throws {
        let (desk, laptop) = (try await CirclePeer("desk"), try await CirclePeer("laptop"))
        try await desk.found()
        let asked = try await laptop.request()
        let answer = try #require(try await desk.add(asked).answer).content
        try await fill(laptop, with: ItemLimits.items)
        try await checkFull { try await laptop.client.call(Sync.Found(name: "laptop")) }
        try await checkFull { try await laptop.client.call(Sync.Request(name: "laptop")) }
        try await checkFull { try await laptop.client.call(Sync.Enter(answer: answer)) }
        #expect(try await laptop.state().circle == nil)
        // The bin makes room, as for every item.
        _ = try await laptop.client.call(Keychain.Delete(service: "full", account: "0", bin: true))
        #expect(try await laptop.request().code == asked.code)
        try await laptop.enter(answer)
        try await laptop.set("where the folder lies")
        #expect(try await fault { try await laptop.set("one too many") }.name == .limitExceeded)
        for peer in [desk, laptop] { await peer.stop() }
    }
}
