import Coffer
import Foundation
import Synchronization
import Testing

@testable import SecretService

@Suite("programs that leave early, send many calls at once, or ask for much")
struct PressureTests {
    @Test(
        "A client gets what it asked for, and no change is lost",
        arguments: [
            "leaves", "leaves_writing", "at_once", "secret_tool", "lost_update", "aliases", "deleted_collection",
            "large_answer", "some_secrets", "changed_collection", "odd_texts",
            "long_list", "own_records", "transient_limits", "just_fits", "many_collections",
        ])
    func holds(_ check: String) async throws {
        let fixture = try await ServiceFixture()
        try fixture.check(check, in: "pressure.py")
        await fixture.end()
    }

    @Test("An item that is readable while the vault is locked can be changed then")
    func readableAlways() async throws {
        let fixture = try await ServiceFixture()
        for account in ["one", "two"] {
            try await fixture.keychain("elsewhere").set("v", for: account, access: .always)
        }
        try fixture.check("always", in: "pressure.py")
        await fixture.end()
    }

    @Test("A client replaces an item that coffer has made, if it gives its name and its own attributes")
    func named() async throws {
        let fixture = try await ServiceFixture()
        let keychain = fixture.keychain("elsewhere")
        try await keychain.set("old", for: "one")
        try await keychain.set("old", for: "two", attributes: ["team": "a"])
        try fixture.check("named", in: "pressure.py")
        #expect(try await keychain.string(for: "one") == "new")
        #expect(try await keychain.string(for: "two") == "new")
        await fixture.end()
    }

    @Test("An item that coffer renames stays the same one")
    func renamed() async throws {
        let fixture = try await ServiceFixture()
        try await fixture.keychain("elsewhere").set("v", for: "0")
        try fixture.check("renamed", in: "pressure.py")
        await fixture.end()
    }

    @Test("A secret under the name of the provider's own record stays as it is")
    func takenName() async throws {
        let fixture = try await ServiceFixture()
        try await fixture.keychain("org.freedesktop.secrets").set("mine", for: "aliases")
        try fixture.check("taken_name", in: "pressure.py")
        await fixture.end()
    }

    private func isTheClients(_ keychain: Keychain) async throws(KeychainError) -> Bool {
        do throws(KeychainError) { return try await !keychain.string(for: "me").hasPrefix("theirs") } catch {
            guard error.code == .notFound else { throw error }
            return false
        }
    }

    @Test("A client replaces an item that another program changes and deletes at the same time")
    func replacedElsewhere() async throws {
        let fixture = try await ServiceFixture()
        let keychain = fixture.keychain("elsewhere")
        let isDone = Atomic(false)
        async let other: Void = {
            while !isDone.load(ordering: .relaxed) {
                // Three changes for each of the client's: else a slow provider would look at an older state for ever.
                guard try await isTheClients(keychain) else {
                    try await Task.sleep(for: .milliseconds(5))
                    continue
                }
                try await keychain.set("theirs", for: "me")
                try await Task.sleep(for: .milliseconds(20))
                try await keychain.set("theirs again", for: "me")
                try await keychain.delete("me")
            }
        }()
        defer { isDone.store(true, ordering: .relaxed) }
        try fixture.check("replaced_elsewhere", in: "pressure.py")
        isDone.store(true, ordering: .relaxed)
        try await other
        await fixture.end()
    }

    @Test("A prompt to unlock ends when the vault is opened elsewhere, and others are asked again")
    func openedElsewhere() async throws {
        let fixture = try await ServiceFixture(answer: nil)
        try await fixture.keychain("gated").set(
            "secret one", for: "one", access: .whenUnlocked.requiring(.userPresence))
        try fixture.check("opened_elsewhere", in: "pressure.py")
        await fixture.end()
    }

    @Test("A prompt to unlock that nobody answers ends")
    func neverAnswered() async throws {
        let fixture = try await ServiceFixture(answer: nil, options: ["--wait", "1"])
        try fixture.check("never_answered", in: "pressure.py")
        await fixture.end()
    }

    private func queue(atOnce: Int = 2, waiting: Int = 3, bytes: Int = 100) -> CallQueue<Int> {
        CallQueue(limits: .init(atOnce: atOnce, waiting: waiting, bytes: bytes))
    }

    /// Begins all calls whose turn has come.
    private func begin(_ queue: inout CallQueue<Int>) -> [Int] {
        var begun: [Int] = []
        while let turn = queue.next() {
            begun.append(turn.call)
            queue.begin(UInt64(turn.call), turn) {}
        }
        return begun
    }

    @Test("Calls of a client begin in the order in which they came, a few at once")
    func order() {
        var queue = queue(waiting: 1000, bytes: 1000)
        for call in 0..<1000 { #expect(queue.add(call, size: 1, asksPerson: false) == true) }
        var begun = begin(&queue)
        #expect(begun == [0, 1])
        for call in 0..<1000 {
            queue.end(UInt64(call))
            begun += begin(&queue)
        }
        #expect(begun == Array(0..<1000) && queue.isEmpty)
    }

    @Test("A client cannot leave more calls to wait than the limits say, in number and in bytes")
    func limits() {
        var many = queue()
        #expect((0..<5).map { many.add($0, size: 1, asksPerson: false) } == [true, true, true, false, false])
        #expect(begin(&many) == [0, 1])
        #expect((0..<3).map { many.add($0, size: 1, asksPerson: false) } == [true, true, false])
        var large = queue()
        #expect(large.add(0, size: 60, asksPerson: false) && !large.add(1, size: 60, asksPerson: false))
        #expect(begin(&large) == [0] && large.add(1, size: 60, asksPerson: false))
        #expect(BusCallLimits.waitingCalls <= 10_000 && BusCallLimits.waitingBytes <= 16 << 20)
    }

    @Test("When a client leaves, what asks a person ends, and what changes something goes on")
    func left() {
        let cancelled = Cancelled()
        var queue = queue()
        for (call, asks) in [(0, true), (1, false), (2, true)] {
            #expect(queue.add(call, size: 1, asksPerson: asks) == true)
            while let turn = queue.next() { queue.begin(UInt64(turn.call), turn) { cancelled.add(turn.call) } }
        }
        #expect(queue.add(3, size: 1, asksPerson: false) == true)
        // What has waited in vain is given back.
        #expect(queue.clientLeft() == [2])
        #expect(cancelled.calls == [0] && queue.hasLeft)
        queue.end(0)
        queue.end(1)
        #expect(begin(&queue) == [3])
    }

    /// What was cancelled.
    private final class Cancelled: Sendable {
        private let state = Mutex<[Int]>([])
        var calls: [Int] { state.withLock { $0 } }
        func add(_ call: Int) { state.withLock { $0.append(call) } }
    }

    @Test("A name is never empty, even if a client gives an item an odd one")
    func names() {
        let long = "e" + String(repeating: "\u{301}", count: 200)
        let name = ItemNameChoice.name(label: long, attributes: ["user": long])
        for text in [name.service, name.account, ItemNameChoice.name(label: "", attributes: ["server": long]).service] {
            #expect(long.unicodeScalars.starts(with: text.unicodeScalars))
            #expect(!text.isEmpty && text.utf8.count <= StoreLimits.nameBytes)
        }
        #expect(ItemNameChoice.name(label: "", attributes: [:]).service == "secret-service")
    }
}
