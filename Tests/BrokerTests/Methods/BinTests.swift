import BrokerProtocol
import Foundation
import Item
import Platform
import TestSupport
import Testing
import Varlink

@testable import Broker
@testable import Vault

/// The bin on the wire: for the owner, and for attackers 3 and 4.
@Suite(.serialized, .timeLimit(.minutes(30)))
struct BinTests {
    private func set(_ client: WireClient, _ account: String = "a", _ access: AccessControl? = nil) async throws {
        _ = try await client.call(
            Keychain.Set(
                service: "s", account: account, value: someValue,
                access: access.map(Keychain.AccessChange.init(whole:))))
    }

    @discardableResult
    private func putAside(_ client: WireClient, _ account: String = "a") async throws -> Keychain.Delete.Reply {
        try await client.call(Keychain.Delete(service: "s", account: account, bin: true))
    }

    private func prepared() async throws -> (ThrowAwayBroker, WireClient) {
        let broker = try await throwAwayBroker()
        let client = try broker.client()
        try await broker.makeVault(client)
        return (broker, client)
    }

    private func deleted(_ client: WireClient) async throws -> [Keychain.Item] {
        try await client.call(Keychain.List(deleted: true)).items
    }

    @Test func whatIsInTheBinIsGoneFromEveryCall() async throws {
        let (broker, client) = try await prepared()
        try await set(client, "a", .presence)
        let item = try await client.call(Keychain.Show(service: "s", account: "a")).item
        // The vault may be locked.
        _ = try await client.call(Keychain.Lock())
        let reply = try await putAside(client)
        let now = Int64(Date().timeIntervalSince1970 * 1000)
        let until = try #require(reply.until)
        #expect(reply.item == item && reply.protected == nil)
        #expect(abs(until - now - 30 * 86_400_000) < 3_600_000)
        let calls: [(WireClient) async throws -> Void] = [
            { _ = try await $0.call(Keychain.Get(service: "s", account: "a", unlock: true)) },
            { _ = try await $0.call(Keychain.GetAll(items: [.init(service: "s", account: "a")], unlock: true)) },
            { _ = try await $0.call(Keychain.Show(service: "s")) },
            { _ = try await $0.call(Keychain.History(service: "s", account: "a")) },
            { _ = try await $0.call(Keychain.Restore(service: "s", account: "a")) },
            { _ = try await $0.call(Keychain.Edit(service: "s", account: "a", label: "l")) },
            { _ = try await $0.call(Keychain.Rename(service: "s", account: "a", newService: "t", newAccount: "b")) },
            { _ = try await $0.call(Keychain.Rotate(service: "s", account: "a")) },
            { _ = try await $0.call(Keychain.Delete(service: "s", account: "a")) },
            { _ = try await $0.call(Keychain.Delete(service: "s", account: "a", bin: true)) },
        ]
        for (number, call) in calls.enumerated() {
            #expect(try await fault { try await call(client) }.name == .notFound, "\(number)")
        }
        #expect(try await client.call(Keychain.Exists(service: "s")).exists == false)
        #expect(try await client.call(Keychain.List()).items.isEmpty)
        #expect(try await client.call(Keychain.Search(text: "s")).items.isEmpty)
        #expect(try await client.call(Keychain.Status()).vault.items == 0)
        // But this call shows it, and another gives it back. Reading it still asks.
        let shown = try await deleted(client)
        #expect(shown.map(\.id) == [item.id] && shown[0].deleted != nil)
        let back = try await client.call(Keychain.RestoreDeleted(service: "s", account: "a")).item
        #expect(back.deleted == nil && back.access == .presence && back.id == item.id)
        try await broker.makeVault(client)
        _ = try await challenge { try await client.call(Keychain.Get(service: "s", account: "a")) }
        let log = try await client.call(Keychain.Log()).records
        #expect(log.contains { $0.event == "delete" && $0.detail == "into the bin" && $0.account == "a" })
        #expect(log.contains { $0.event == "edit" && $0.detail == "back from the bin" && $0.account == "a" })
        await broker.stop()
    }

    @Test func onlyWhoAsksForTheBinGetsIt() async throws {
        let (broker, client) = try await prepared()
        for account in ["a", "b", "c", "d"] { try await set(client, account) }
        #expect(try await client.call(Keychain.Delete(service: "s", account: "a")).until == nil)
        let delete = Keychain.Change(action: .delete, service: "s", account: "b")
        _ = try await client.call(Keychain.Apply(changes: [delete]))
        #expect(try await deleted(client).isEmpty)
        var aside = Keychain.Change(action: .delete, service: "s", account: "c", bin: true)
        let results = try await client.call(Keychain.Apply(changes: [aside])).results
        #expect(results.map(\.deleted) == [1] && results[0].item != nil)
        aside.account = "none"
        #expect(try await client.call(Keychain.Apply(changes: [aside])).results.map(\.deleted) == [0])
        #expect(try await deleted(client).map(\.account) == ["c"])
        // All items of a service are deleted for good.
        _ = try await client.call(Keychain.Apply(changes: [.init(action: .deleteService, service: "s")]))
        #expect(try await deleted(client).map(\.account) == ["c"])
        let log = try await client.call(Keychain.Log()).records.filter { $0.event == "delete" }
        #expect(log.map(\.detail) == [nil, nil, "into the bin", nil])
        for wrong in [
            Keychain.Change(action: .set, service: "s", account: "x", value: "", bin: true),
            Keychain.Change(action: .deleteService, service: "s", bin: true),
        ] {
            let refused = try await fault { try await client.call(Keychain.Apply(changes: [wrong])) }
            #expect(refused.name == .invalidArgument)
        }
        await broker.stop()
    }

    @Test func forGoodAlsoFromTheBin() async throws {
        let (broker, client) = try await prepared()
        for _ in 0..<2 {
            try await set(client)
            try await putAside(client)
        }
        try await set(client)
        let live = try await client.call(Keychain.Show(service: "s")).item
        let gone = try await client.call(Keychain.Delete(service: "s", account: "a", inBin: true))
        #expect(gone.until == nil && gone.item.deleted != nil)
        #expect(try await deleted(client).isEmpty)
        #expect(try await client.call(Keychain.List()).items == [live])
        let again = Keychain.Delete(service: "s", account: "a", inBin: true)
        #expect(try await fault { try await client.call(again) }.name == .notFound)
        let log = try await client.call(Keychain.Log()).records
        #expect(log.count { $0.event == "delete" && $0.detail == "out of the bin" } == 2)
        for wrong in [
            Keychain.Delete(service: "s", account: "a", bin: true, inBin: true),
            Keychain.Delete(service: "s", account: "a", ifRevision: live.revision, inBin: true),
        ] {
            #expect(try await fault { try await client.call(wrong) }.name == .invalidArgument)
        }
        let named = Keychain.List(service: "s", accounts: ["a"], deleted: true)
        #expect(try await fault { try await client.call(named) }.name == .invalidArgument)
        await broker.stop()
    }

    @Test func aNameThatIsTakenIsNeverOverwritten() async throws {
        let (broker, client) = try await prepared()
        try await set(client)
        try await putAside(client)
        try await set(client)
        let restore = Keychain.RestoreDeleted(service: "s", account: "a")
        let refused = try await fault { try await client.call(restore) }
        #expect(refused.name == .alreadyExists && refused.details.advice?.contains("coffer rename") ?? false)
        _ = try await client.call(Keychain.Rename(service: "s", account: "a", newService: "s", newAccount: "b"))
        _ = try await client.call(restore)
        #expect(try await client.call(Keychain.List()).items.map(\.account) == ["a", "b"])
        #expect(try await fault { try await client.call(restore) }.name == .notFound)
        await broker.stop()
    }

    @Test func theSettingIsTheVaults() async throws {
        let (broker, client) = try await prepared()
        #expect(try await client.call(Keychain.Status()).history?.bin == 30)
        let changed = try await client.call(Keychain.SetHistory(bin: 0)).history
        #expect(changed.bin == 0 && changed.values == 3 && changed.days == 30)
        try await set(client)
        #expect(try await putAside(client).until == nil)
        #expect(try await deleted(client).isEmpty)
        #expect(try await client.call(Keychain.SetHistory(days: 7)).history.bin == 0)
        for wrong in [-1, 367] as [Int64] {
            let refused = try await fault { try await client.call(Keychain.SetHistory(bin: wrong)) }
            #expect(refused.name == .invalidArgument)
        }
        let log = try await client.call(Keychain.Log()).records
        #expect(log.contains { $0.detail == "former values: 3 for 30 days, bin: 0 days" })
        await broker.stop()
    }

    @Test func programsAreTold() async throws {
        let broker = try await throwAwayBroker()
        let monitor = try await MonitorClient(broker)
        let client = try broker.client()
        try await broker.makeVault(client)
        try await set(client)
        try await putAside(client)
        _ = try await client.call(Keychain.RestoreDeleted(service: "s", account: "a"))
        try await putAside(client)
        // Nobody sees a difference.
        _ = try await client.call(Keychain.Delete(service: "s", account: "a", inBin: true))
        _ = try await client.call(Keychain.Lock())
        let events = try await monitor.next(until: .locked)
        #expect(events.map(\.event) == [.unlocked, .added, .deleted, .added, .deleted, .locked])
        await broker.stop()
    }

    @Test func withoutAVaultThereIsNoBin() async throws {
        let broker = try await throwAwayBroker()
        let client = try broker.client()
        #expect(try await deleted(client).isEmpty)
        let restore = Keychain.RestoreDeleted(service: "s", account: "a")
        #expect(try await fault { try await client.call(restore) }.name == .notFound)
        #expect(try await fault { try await putAside(client) }.name == .notFound)
        await broker.stop()
    }
}
