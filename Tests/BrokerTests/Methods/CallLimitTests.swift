import BrokerProtocol
import Foundation
import Item
import TestSupport
import Testing
import Varlink

@testable import Broker

/// What one call may name, both sides of each limit, and what its record says.
@Suite(.timeLimit(.minutes(30)))
struct CallLimitTests {
    private static let password = Data("open".utf8).base64EncodedString()
    private static let other = Data("other".utf8).base64EncodedString()

    private func prepared() async throws -> (ThrowAwayBroker, WireClient) {
        let broker = try await throwAwayBroker()
        let client = try broker.client()
        try await broker.makeVault(client)
        return (broker, client)
    }

    /// All records of the log, page by page.
    private func records(_ client: WireClient) async throws -> [Keychain.LogRecord] {
        var all: [Keychain.LogRecord] = []
        while true {
            let page = try await client.call(Keychain.Log(after: all.last?.sequence))
            all += page.records
            guard page.more else { return all }
        }
    }

    @Test("a call names so many accounts, attributes and bytes, and one more is too much")
    func sizes() async throws {
        let (broker, client) = try await prepared()
        let accounts = (0..<JointReadLimits.items).map { "\($0)" }
        #expect(try await client.call(Keychain.List(service: "s", accounts: accounts)).items.isEmpty)
        let tooMany = Keychain.List(service: "s", accounts: accounts + ["another"])
        #expect(try await fault { try await client.call(tooMany) }.name == .limitExceeded)
        let attributes = Dictionary(uniqueKeysWithValues: (0..<ItemLimits.attributes).map { ("\($0)", "v") })
        #expect(try await client.call(Keychain.Search(attributes: attributes)).items.isEmpty)
        let text = String(repeating: "t", count: ItemLimits.comment)
        #expect(try await client.call(Keychain.Search(text: text)).items.isEmpty)
        #expect(try await fault { try await client.call(Keychain.Search(text: text + "t")) }.name == .limitExceeded)
        let longest = String(repeating: "s", count: ItemLimits.name)
        _ = try await MonitorClient(broker, Keychain.Monitor(service: longest))
        let joint = Keychain.GetAll(items: [.init(service: longest, account: longest)])
        #expect(try await fault { try await client.call(joint) }.name == .notFound)
        await broker.stop()
    }

    @Test("a list of changes takes so many application passwords, and with one more none is stored")
    func passwords() async throws {
        let (broker, client) = try await prepared()
        let changes = (0...ApplyLimits.passwords).map {
            Keychain.Change(
                action: .set, service: "s", account: "\($0)", value: someValue,
                access: .init(require: [.applicationPassword]), applicationPassword: Self.password)
        }
        let refused = try await fault { try await client.call(Keychain.Apply(changes: changes)) }
        #expect(refused.name == .limitExceeded)
        #expect(try await client.call(Keychain.List()).items.isEmpty)
        let most = Keychain.Apply(changes: Array(changes.dropLast()))
        #expect(try await client.call(most).results.count == ApplyLimits.passwords)
        await broker.stop()
    }

    @Test("the log names so many of the items that one change deletes, and counts the others")
    func deleted() async throws {
        let (broker, client) = try await prepared()
        for (service, count) in [("more", ApplyLimits.records + 2), ("all", ApplyLimits.records)] {
            for first in stride(from: 0, to: count, by: ItemLimits.changes) {
                let changes = (first..<min(first + ItemLimits.changes, count)).map {
                    Keychain.Change(action: .set, service: service, account: "\($0)", value: someValue)
                }
                _ = try await client.call(Keychain.Apply(changes: changes))
            }
            let deletion = Keychain.Apply(changes: [.init(action: .deleteService, service: service)])
            #expect(try await client.call(deletion).results.map(\.deleted) == [Int64(count)])
        }
        let deletions = try await records(client).filter { $0.event == "delete" }
        for service in ["more", "all"] {
            let named = deletions.filter { $0.service == service && $0.account != nil }
            #expect(Set(named.compactMap(\.account)).count == ApplyLimits.records && named.count == ApplyLimits.records)
            #expect(named.allSatisfy { $0.detail == nil })
        }
        let others = deletions.filter { $0.account == nil }
        #expect(others.map(\.service) == ["more"] && others.map(\.detail) == ["2 more items of this service"])
        await broker.stop()
    }

    @Test("a change of the label takes no application password, and a change of access the one that the item needs")
    func edits() async throws {
        let (broker, client) = try await prepared()
        _ = try await client.call(Keychain.Set(service: "s", account: "a", value: someValue))
        func edit(
            _ access: AccessControl? = nil, _ present: String? = nil, new: String? = nil
        ) -> Keychain.Edit {
            var edit = Keychain.Edit(service: "s", account: "a", access: access)
            if access == nil { edit.label = "l" }
            (edit.applicationPassword, edit.newApplicationPassword) = (present, new)
            return edit
        }
        for call in [edit(nil, Self.password), edit(nil, new: Self.password)] {
            #expect(try await fault { try await client.call(call) }.name == .invalidArgument)
        }
        #expect(try await client.call(Keychain.Show(service: "s", account: "a")).item.label == nil)
        let unneeded = edit(.afterFirstUnlock, new: Self.password)
        #expect(try await fault { try await client.call(unneeded) }.name == .invalidArgument)
        let needing = AccessControl.whenUnlocked.requiring(.applicationPassword)
        #expect(try await fault { try await client.call(edit(needing)) }.name == .applicationPasswordRequired)
        #expect(try await client.call(Keychain.Get(service: "s", account: "a")).value == someValue)
        _ = try await client.call(edit(needing, new: Self.password))
        func read(_ password: String?) -> Keychain.Get {
            Keychain.Get(service: "s", account: "a", applicationPassword: password)
        }
        #expect(try await client.call(read(Self.password)).value == someValue)
        // The present one stays unless there is a new one.
        _ = try await client.call(edit(.afterFirstUnlock.requiring(.applicationPassword), Self.password))
        #expect(try await client.call(read(Self.password)).value == someValue)
        _ = try await client.call(edit(needing, Self.password, new: Self.other))
        #expect(try await client.call(read(Self.other)).value == someValue)
        #expect(try await fault { try await client.call(read(Self.password)) }.name == .applicationPasswordRefused)
        await broker.stop()
    }

    @Test("what the vault keeps is recorded when it changes, and not when it is said again")
    func history() async throws {
        let (broker, client) = try await prepared()
        func changes() async throws -> [String] {
            try await records(client).compactMap(\.detail).filter { $0.hasPrefix("former values") }
        }
        for same in [Keychain.SetHistory(), .init(values: 3), .init(days: 30), .init(bin: 30)] {
            #expect(try await client.call(same).history == .init(values: 3, days: 30, bin: 30))
        }
        #expect(try await changes().isEmpty)
        _ = try await client.call(Keychain.SetHistory(days: 7))
        _ = try await client.call(Keychain.SetHistory(bin: 8))
        _ = try await client.call(Keychain.SetHistory(values: 3, days: 7, bin: 8))
        #expect(
            try await changes() == [
                "former values: 3 for 7 days", "former values: 3 for 7 days, bin: 8 days",
            ])
        await broker.stop()
    }

    @Test("the log is read from a time or a number on, and neither can be below zero")
    func log() async throws {
        let broker = try await throwAwayBroker()
        let client = try broker.client()
        let empty = try await client.call(Keychain.Log())
        #expect(empty.records.isEmpty && !empty.more && empty.problem == nil)
        let nothing = try await client.call(Keychain.VerifyLog())
        #expect(nothing.whole && nothing.records == 0 && nothing.first == nil && nothing.last == nil)
        try await broker.makeVault(client)
        let all = try await client.call(Keychain.Log()).records
        #expect(all.map(\.sequence) == [1, 2, 3])
        #expect(try await client.call(Keychain.Log(after: 1)).records == Array(all.dropFirst()))
        #expect(try await client.call(Keychain.Log(after: 3)).records.isEmpty)
        #expect(try await client.call(Keychain.Log(since: 0)).records == all)
        #expect(try await client.call(Keychain.Log(since: all[2].time + 3_600_000)).records.isEmpty)
        for wrong in [Keychain.Log(since: -1), Keychain.Log(after: -1)] {
            #expect(try await fault { try await client.call(wrong) }.name == .invalidArgument)
        }
        await broker.stop()
    }

    @Test("a vault under software cannot be bound, and one that is as the call wants it asks nobody")
    func binding() async throws {
        let (broker, client) = try await prepared()
        let refused = try await fault { try await client.call(Keychain.Unlock(bind: true)) }
        #expect(refused.name == .invalidArgument && refused.details.challenge == nil)
        for call in [Keychain.Unlock(bind: false), Keychain.Unlock()] {
            #expect(try await client.call(call).vault.state == .unlocked)
        }
        _ = try await client.call(Keychain.Lock())
        let asked = try await fault { try await client.call(Keychain.Unlock(bind: false)) }
        #expect(asked.details.purposes == ["unlock"])
        await broker.stop()
    }

    @Test("a call that wants no reply is done and gets none, an error neither")
    func oneway() async throws {
        let (broker, client) = try await prepared()
        _ = try await client.call(Keychain.Set(service: "s", account: "a", value: someValue))
        func call(_ method: String, _ parameters: String, _ end: String = #","oneway":true"#) -> [UInt8] {
            Array(#"{"method":"org.coffer.Keychain.\#(method)","parameters":{\#(parameters)}\#(end)}"#.utf8) + [0]
        }
        let item = #""service":"s","account":"a""#
        try await client.send(
            call("Get", item) + call("GetAll", #""items":[{\#(item)}]"#) + call("Show", item) + call("List", "")
                + call("Delete", #""service":"s","account":"missing""#) + call("Delete", item)
                + call("Exists", item, ""))
        let text = String(decoding: try await client.message(), as: UTF8.self)
        #expect(text.contains(#""exists":false"#))
        let reads = try await records(client).filter { $0.event == "read" }
        #expect(reads.count == 2)
        await broker.stop()
    }
}
