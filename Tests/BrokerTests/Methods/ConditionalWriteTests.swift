import BrokerProtocol
import Foundation
import TestSupport
import Testing
import Varlink

/// Writes that are made only if the item is in the state that the writer has seen.
@Suite(.timeLimit(.minutes(30)))
struct ConditionalWriteTests {
    private func set(_ value: String, if revision: String? = nil) -> Keychain.Set {
        Keychain.Set(service: "s", account: "a", value: value, ifRevision: revision)
    }

    private func value(_ client: WireClient) async throws -> String {
        try await client.call(Keychain.Get(service: "s", account: "a")).value
    }

    @Test("a write with an outdated revision is answered Changed, and changes nothing")
    func outdated() async throws {
        let broker = try await throwAwayBroker()
        let client = try broker.client()
        try await broker.makeVault(client)
        let first = try await client.call(set("Zmlyc3Q=")).item
        let second = try await client.call(set("c2Vjb25k", if: first.revision)).item
        #expect(second.id == first.id && second.revision != first.revision)
        let delete = Keychain.Delete(service: "s", account: "a", ifRevision: first.revision)
        #expect(try await fault { try await client.call(set("bG9zdA==", if: first.revision)) }.name == .changed)
        #expect(try await fault { try await client.call(delete) }.name == .changed)
        #expect(try await value(client) == "c2Vjb25k")
        // An edit of the label is a change, too. Reading is none.
        _ = try await client.call(Keychain.Edit(service: "s", account: "a", label: "l"))
        #expect(try await fault { try await client.call(set("bG9zdA==", if: second.revision)) }.name == .changed)
        let third = try await client.call(Keychain.Show(service: "s", account: "a")).item
        #expect(try await client.call(Keychain.Get(service: "s", account: "a")).item == third)
        _ = try await client.call(Keychain.Delete(service: "s", account: "a", ifRevision: third.revision))
        // Another item of that name has the first one's version again, but not its revision.
        let again = try await client.call(set("YWdhaW4=")).item
        #expect(again.version == first.version)
        #expect(try await fault { try await client.call(set("bG9zdA==", if: first.revision)) }.name == .changed)
        #expect(try await value(client) == "YWdhaW4=")
        #expect(try await fault { try await client.call(set("bG9zdA==", if: "1")) }.name == .invalidArgument)
        await broker.stop()
    }

    @Test("an edit with an outdated revision is answered Changed, and another item of the name stays as it is")
    func edits() async throws {
        let broker = try await throwAwayBroker()
        let client = try broker.client()
        try await broker.makeVault(client)
        func edit(_ label: String, if revision: String? = nil) -> Keychain.Edit {
            Keychain.Edit(service: "s", account: "a", label: label, ifRevision: revision)
        }
        let first = try await client.call(set("Zmlyc3Q=")).item
        let second = try await client.call(edit("l", if: first.revision)).item
        #expect(second.id == first.id && second.label == "l")
        #expect(try await fault { try await client.call(edit("lost", if: first.revision)) }.name == .changed)
        #expect(try await client.call(Keychain.Show(service: "s", account: "a")).item == second)
        // A missing item is in no state, and neither is another one of that name.
        _ = try await client.call(Keychain.Delete(service: "s", account: "a"))
        #expect(try await fault { try await client.call(edit("lost", if: second.revision)) }.name == .changed)
        #expect(try await fault { try await client.call(edit("lost")) }.name == .notFound)
        let another = try await client.call(set("YWdhaW4=")).item
        #expect(try await fault { try await client.call(edit("lost", if: second.revision)) }.name == .changed)
        #expect(try await client.call(Keychain.Show(service: "s", account: "a")).item == another)
        #expect(try await fault { try await client.call(edit("lost", if: "1")) }.name == .invalidArgument)
        var access = edit("lost", if: another.revision)
        access.access = another.access
        let tightened = access
        #expect(try await fault { try await client.call(tightened) }.name == .invalidArgument)
        await broker.stop()
    }

    @Test("two clients that count at the same time lose no step")
    func counting() async throws {
        let broker = try await throwAwayBroker()
        let first = try broker.client()
        try await broker.makeVault(first)
        _ = try await first.call(set(Self.encode(0)))
        let (writers, steps) = (4, 10)
        try await withThrowingTaskGroup { group in
            for _ in 0..<writers {
                group.addTask {
                    let client = try broker.client()
                    var done = 0
                    while done < steps {
                        let found = try await client.call(Keychain.Get(service: "s", account: "a"))
                        do {
                            _ = try await client.call(
                                set(Self.encode(Self.decode(found.value) + 1), if: found.item.revision))
                            done += 1
                        } catch let fault as Fault where fault.name == .changed {}
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(try await Self.decode(value(first)) == writers * steps)
        await broker.stop()
    }

    private static func encode(_ number: Int) -> String { Data(String(number).utf8).base64EncodedString() }

    private static func decode(_ text: String) -> Int {
        Data(base64Encoded: text).flatMap { Int(String(decoding: $0, as: UTF8.self)) } ?? -1
    }
}
