import BrokerProtocol
import Foundation
import Item
import Platform
import TestSupport
import Testing
import Varlink

@testable import Broker

/// `Apply` through the real socket: all of the changes, or none.
@Suite(.timeLimit(.minutes(30)))
struct ApplyTests {
    private static let password = Data("open".utf8).base64EncodedString()

    private func set(
        _ account: String, _ value: String = someValue, access: AccessControl? = nil,
        mode: Keychain.SetMode? = nil, if revision: String? = nil, password: String? = nil
    ) -> Keychain.Change {
        Keychain.Change(
            action: .set, service: "s", account: account, value: value,
            access: access.map(Keychain.AccessChange.init(whole:)),
            mode: mode, ifRevision: revision, applicationPassword: password)
    }

    private func delete(_ account: String, if revision: String? = nil) -> Keychain.Change {
        Keychain.Change(action: .delete, service: "s", account: account, ifRevision: revision)
    }

    private func apply(_ changes: Keychain.Change...) -> Keychain.Apply { Keychain.Apply(changes: changes) }

    private func prepared() async throws -> (ThrowAwayBroker, WireClient) {
        let broker = try await throwAwayBroker()
        let client = try broker.client()
        try await broker.makeVault(client)
        return (broker, client)
    }

    private func accounts(_ client: WireClient) async throws -> [String] {
        try await client.call(Keychain.List()).items.map(\.account)
    }

    @Test("sets and deletes are made in their order, and each is in the log")
    func order() async throws {
        let (broker, client) = try await prepared()
        _ = try await client.call(Keychain.Set(service: "s", account: "old", value: someValue))
        _ = try await client.call(Keychain.Set(service: "gone", account: "1", value: someValue))
        _ = try await client.call(Keychain.Set(service: "gone", account: "2", kind: .key, value: someValue))
        let results = try await client.call(
            apply(
                set("a", "Zmlyc3Q=", mode: .new), set("a", "c2Vjb25k", mode: .existing), delete("old"),
                delete("absent"), Keychain.Change(action: .deleteService, service: "gone", kind: .key),
                Keychain.Change(action: .deleteService, service: "gone"),
                Keychain.Change(action: .deleteService, service: "nowhere"))
        ).results
        #expect(results.map(\.deleted) == [0, 0, 1, 0, 1, 1, 0])
        #expect(results.map(\.version) == [1, 2, nil, nil, nil, nil, nil])
        #expect(results[1].replaced != nil && results[1].item == results[0].item && results[3].item == nil)
        let got = try await client.call(Keychain.Get(service: "s", account: "a"))
        #expect(got.value == "c2Vjb25k" && got.item.revision == results[1].revision)
        #expect(try await accounts(client) == ["a"])
        let records = try await client.call(Keychain.Log()).records.filter { $0.event != "read" }.suffix(5)
        #expect(records.map(\.event) == ["set", "set", "delete", "delete", "delete"])
        #expect(records.map(\.account) == ["a", "a", "old", "2", "1"])
        #expect(records.allSatisfy { $0.outcome == "done" && $0.uid == Int64(OwnProcess.effectiveUser) })
        #expect(try await client.call(Keychain.VerifyLog()).whole)
        #expect(try await client.call(Keychain.Apply(changes: [])).results.isEmpty)
        await broker.stop()
    }

    @Test("a failure anywhere in the list changes nothing, and the error names the change")
    func nothing() async throws {
        let (broker, client) = try await prepared()
        let old = try await client.call(Keychain.Set(service: "s", account: "kept", value: someValue)).item
        _ = try await client.call(Keychain.Set(service: "s", account: "doomed", value: someValue))
        _ = try await client.call(Keychain.Edit(service: "s", account: "kept", label: "l"))
        let before = try await client.call(Keychain.List()).items
        let passcodeSet = AccessControl.passcodeSet
        let bad: [(Keychain.Change, Fault.Name)] = [
            (set("new", mode: .new), .alreadyExists), (set("doomed", mode: .existing), .notFound),
            (set("kept", if: old.revision), .changed), (delete("absent", if: old.revision), .changed),
            (set("x", access: passcodeSet), .invalidArgument), (set("x", "no base64!"), .invalidArgument),
            (set("x", access: .whenUnlocked.requiring(.applicationPassword)), .applicationPasswordRequired),
            (set("x", password: Self.password), .invalidArgument),
            (set(String(repeating: "x", count: 1025)), .limitExceeded),
            (set("x", access: .whenUnlocked.requiring(.biometryAny, .biometryCurrentSet)), .invalidArgument),
            (set("x", if: "1"), .invalidArgument),
            (Keychain.Change(action: .set, service: "s", account: "x"), .invalidArgument),
            (Keychain.Change(action: .set, service: "s", value: someValue), .invalidArgument),
            (Keychain.Change(action: .delete, service: "s"), .invalidArgument),
            (Keychain.Change(action: .delete, service: "s", account: "x", label: "l"), .invalidArgument),
            (Keychain.Change(action: .deleteService, service: "s", account: "x"), .invalidArgument),
            (Keychain.Change(action: .deleteService, service: "s", ifRevision: old.revision), .invalidArgument),
        ]
        for (change, name) in bad {
            let call = apply(
                set("new", mode: .new), set("kept", "bG9zdA=="), delete("doomed"), change, delete("absent"))
            let fault = try await fault { try await client.call(call) }
            #expect(fault.name == name, "\(change)")
            #expect(fault.details.message?.hasPrefix("change 4: ") == true, "\(fault)")
        }
        #expect(try await client.call(Keychain.List()).items == before)
        #expect(try await client.call(Keychain.Get(service: "s", account: "kept")).value == someValue)
        let many = (0...128).map { set("\($0)") }
        #expect(try await fault { try await client.call(Keychain.Apply(changes: many)) }.name == .limitExceeded)
        #expect(try await client.call(Keychain.Apply(changes: Array(many.dropLast()))).results.count == 128)
        await broker.stop()
    }

    @Test("a set keeps the requirements that it finds at its turn, and is judged by them")
    func rules() async throws {
        let (broker, client) = try await prepared()
        _ = try await client.call(Keychain.Set(service: "s", account: "gated", value: someValue, access: .presence))
        _ = try await client.call(apply(set("gated", "bmV3"), set("twin", access: .presence), set("twin", "bmV3")))
        for account in ["gated", "twin"] {
            let asked = try await fault { try await client.call(Keychain.Get(service: "s", account: account)) }
            #expect(asked.details.purposes == ["read"])
        }
        // What an earlier change deletes leaves no requirements.
        _ = try await client.call(
            apply(
                delete("gated"), set("gated"), Keychain.Change(action: .deleteService, service: "s"), set("twin"),
                set("locked", access: .whenUnlocked.requiring(.applicationPassword), password: Self.password)))
        #expect(try await accounts(client) == ["locked", "twin"])
        #expect(try await client.call(Keychain.Get(service: "s", account: "twin")).value == someValue)
        let get = Keychain.Get(service: "s", account: "locked", applicationPassword: Self.password)
        #expect(try await client.call(get).value == someValue)
        // The kept requirement asks for the password in a list, too.
        let refused = try await fault { try await client.call(apply(set("locked"))) }
        #expect(refused.name == .applicationPasswordRequired)
        // A finger must be enrolled for any of the sets. Nothing is done before that is known.
        let bound = apply(set("plain"), set("finger", access: .whenUnlocked.requiring(.biometryAny)))
        let asked = try await fault { try await client.call(bound) }
        #expect(asked.details.purposes == ["enrolment"])
        #expect(try await accounts(client) == ["locked", "twin"])
        var repeated = bound
        let id = try #require(asked.details.challenge)
        try await broker.authenticator.enrol(id, set: nil)
        repeated.challenge = id
        #expect(try await client.call(repeated).results.count == 2)
        await broker.stop()
    }

    @Test("without a vault, setting asks to make one, and deleting finds nothing")
    func creation() async throws {
        let broker = try await throwAwayBroker()
        let client = try broker.client()
        let deletion = apply(delete("a"), Keychain.Change(action: .deleteService, service: "s"))
        #expect(try await client.call(deletion).results == [Keychain.ChangeResult(), Keychain.ChangeResult()])
        #expect(try await client.call(Keychain.Status()).vault.state == .none)
        var call = apply(delete("a"), set("a"))
        let asked = try await fault { try await client.call(call) }
        #expect(asked.details.purposes == ["create"])
        let id = try #require(asked.details.challenge)
        try await broker.authenticator.grant(id)
        call.challenge = id
        #expect(try await client.call(call).results.map(\.version) == [nil, 1])
        await broker.stop()
    }

    /// Money is moved between two accounts by several clients, and counted by another.
    @Test("nobody sees one change without the other, and no client undoes another's")
    func transfers() async throws {
        let (broker, first) = try await prepared()
        _ = try await first.call(apply(set("from", Self.encode(20)), set("to", Self.encode(0))))
        try await withThrowingTaskGroup { group in
            for _ in 0..<4 {
                group.addTask {
                    let client = try broker.client()
                    var done = 0
                    while done < 5 {
                        let from = try await client.call(Keychain.Get(service: "s", account: "from"))
                        let to = try await client.call(Keychain.Get(service: "s", account: "to"))
                        do {
                            _ = try await client.call(
                                apply(
                                    set("from", Self.encode(Self.decode(from.value) - 1), if: from.item.revision),
                                    set("to", Self.encode(Self.decode(to.value) + 1), if: to.item.revision)))
                            done += 1
                        } catch let fault as Fault where fault.name == .changed {}
                    }
                }
            }
            group.addTask {
                let client = try broker.client()
                for _ in 0..<20 {
                    // One look at the vault: both were written in one step.
                    let times = try await client.call(Keychain.List(service: "s")).items.map(\.version)
                    #expect(times[0] == times[1])
                }
            }
            try await group.waitForAll()
        }
        let values = try await ["from", "to"].asyncMap {
            Self.decode(try await first.call(Keychain.Get(service: "s", account: $0)).value)
        }
        #expect(values == [0, 20])
        await broker.stop()
    }

    private static func encode(_ number: Int) -> String { Data(String(number).utf8).base64EncodedString() }

    private static func decode(_ text: String) -> Int {
        Data(base64Encoded: text).flatMap { Int(String(decoding: $0, as: UTF8.self)) } ?? -1
    }

    /// Attacker 3: another user's list is about that user's vault, and about no other.
    @Test(
        "another user's changes reach nothing of mine",
        .enabled(if: OwnProcess.effectiveUser == 0, "needs root"))
    func foreign() async throws {
        let (broker, client) = try await prepared()
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: broker.folder.path)
        let item = try await client.call(Keychain.Set(service: "s", account: "a", value: someValue)).item
        let other = try await OtherUser(broker, 1)
        let deletion =
            #""changes":[{"action":"delete","service":"s","account":"a"},{"action":"deleteService","service":"s"}]"#
        let known =
            #""changes":[{"action":"delete","service":"s","account":"a","ifRevision":"\#(item.revision)"}]"#
        for round in 0..<2 {
            if round == 1 { #expect(try await other.pass("Unlock").contains("unlocked")) }
            #expect(try await other.say("Apply", deletion).contains(#""results":[{"deleted":0},{"deleted":0}]"#))
            // Knowing a foreign item's revision is of no use.
            let answer = try await other.say("Apply", known)
            #expect(answer.contains("Changed"), "\(round): \(answer)")
            for named in [#""user":"root""#, #""group":"root""#] {
                let refused = try await other.say("Apply", deletion + "," + named)
                #expect(refused.contains("NotPermitted") || refused.contains("NotFound"))
            }
        }
        #expect(try await client.call(Keychain.Show(service: "s", account: "a")).item == item)
        await broker.stop()
    }
}

extension [String] {
    fileprivate func asyncMap<Value>(_ body: (String) async throws -> Value) async rethrows -> [Value] {
        var values: [Value] = []
        for text in self { values.append(try await body(text)) }
        return values
    }
}
