import Coffer
import CofferCaches
import CofferTestKit
import Foundation
import Synchronization
import Testing

/// What only the keychain in memory has: a clock and fingers of a test's own, and a person who needs no handler.
struct InMemoryKeychainTests {
    private final class Clock: Sendable {
        private let time = Mutex(Date(timeIntervalSince1970: 1_000_000))

        var now: Date { time.withLock { $0 } }

        func advance(_ seconds: Double) { time.withLock { $0.addTimeInterval(seconds) } }
    }

    private static let day = 86_400.0
    private static let gated = AccessControl.whenUnlocked.requiring(.userPresence)

    @Test("items expire by the test's clock, at the moment that they name")
    func expiry() async throws {
        let clock = Clock()
        let keychain = Keychain(service: "s", backend: InMemoryKeychain { clock.now })
        try await keychain.set("x", for: "me", expires: .after(.seconds(60)))
        clock.advance(59.999)
        #expect(try await keychain.string(for: "me") == "x")
        clock.advance(0.001)
        await refused(.notFound) { () throws(KeychainError) in try await keychain.string(for: "me") }
    }

    @Test("an update replaces what has expired by the test's clock alone")
    func updateOfTheExpired() async throws {
        let clock = Clock()
        let keychain = Keychain(service: "s", backend: InMemoryKeychain { clock.now })
        try await keychain.set("x", for: "me", expires: .at(Date(timeIntervalSince1970: 40_000_000_000)))
        clock.advance(50_000_000_000)
        try await keychain.update(for: "me") { old in old ?? "new" }
        #expect(try await keychain.string(for: "me") == "new")
    }

    @Test("a lifetime that no clock reaches is no end")
    func longest() async throws {
        let keychain = Keychain(service: "s", backend: InMemoryKeychain())
        let item = try await keychain.set("x", for: "me", expires: .after(.seconds(Int64.max) * 2))
        #expect(try #require(item.expires) > .distantFuture)
        #expect(try await keychain.string(for: "me") == "x")
    }

    @Test("a restart tells every reader of changes")
    func readersOfARestart() async throws {
        let backend = InMemoryKeychain()
        let keychain = Keychain(service: "s", backend: backend)
        let cache = await LRUCache<String, Int>(emptiesOnLockOf: keychain)
        cache.set(1, for: "a")
        let events = try await keychain.changes()
        backend.restart()
        await #expect(throws: KeychainError.self) { for try await _ in events {} }
        while cache.value(for: "a") != nil { await Task.yield() }
    }

    @Test("former values are kept for thirty days")
    func historyEnds() async throws {
        let clock = Clock()
        let keychain = Keychain(service: "s", backend: InMemoryKeychain { clock.now })
        try await keychain.set("1", for: "me")
        clock.advance(Self.day)
        try await keychain.set("2", for: "me")
        let former = try #require(try await keychain.history(of: "me").first)
        #expect(former.keptUntil == clock.now.addingTimeInterval(30 * Self.day))
        clock.advance(30 * Self.day - 1)
        #expect(try await keychain.bytes(for: "me", version: 1) == Array("1".utf8))
        clock.advance(1)
        #expect(try await keychain.history(of: "me").isEmpty)
        await refused(.notFound) { () throws(KeychainError) in try await keychain.bytes(for: "me", version: 1) }
    }

    @Test("without a handler, the test's person is asked")
    func person() async throws {
        let cases: [(TestPerson, KeychainError.Code?)] = [
            (.absent, .authenticationNeeded), (.answers("p"), nil), (.answers("q"), .wrongPassword),
            (.givesUp, .cancelled),
        ]
        for (person, code) in cases {
            let backend = InMemoryKeychain(password: "p", person: person)
            let keychain = Keychain(service: "s", backend: backend)
            try await keychain.set("x", for: "me", access: Self.gated)
            #expect(backend.shownMessages.isEmpty)
            if let code {
                await refused(code, "\(person)") { () throws(KeychainError) in try await keychain.string(for: "me") }
            } else {
                #expect(try await keychain.string(for: "me", reason: "Because") == "x")
                #expect(backend.shownMessages.map(\.isHidden) == [false, true])
                #expect(backend.shownMessages.first?.text.contains("Because") == true)
            }
        }
    }

    @Test("a person who never answers is left when the task is cancelled")
    func silentPerson() async throws {
        let backend = InMemoryKeychain(person: .silent)
        let keychain = Keychain(service: "s", backend: backend)
        try await keychain.set("x", for: "me", access: Self.gated)
        let reading = Task { () throws(KeychainError) in try await keychain.string(for: "me") }
        while backend.shownMessages.count < 2 { await Task.yield() }
        reading.cancel()
        await refused(.cancelled) { () throws(KeychainError) in try await Check.value(of: reading) }
    }

    @Test("fingers that change take their items with them")
    func fingers() async throws {
        let backend = InMemoryKeychain(
            person: .answers("sandbox"), biometrics: Biometrics(kind: .fingerprint, unavailableReason: nil))
        let keychain = Keychain(service: "s", backend: backend)
        try await keychain.set("1", for: "any", access: .whenUnlocked.requiring(.biometryAny))
        try await keychain.set("2", for: "these", access: .whenUnlocked.requiring(.biometryCurrentSet))
        #expect(try await keychain.string(for: "these") == "2")
        #expect(backend.shownMessages.contains { $0.isHidden } == false)
        backend.changeEnrolledFingers()
        await refused(.biometryRefused) { () throws(KeychainError) in try await keychain.string(for: "these") }
        #expect(try await keychain.string(for: "any") == "1")
        try await keychain.set("3", for: "these")
        #expect(try await keychain.string(for: "these") == "3")
    }

    @Test("after a restart, only what is readable always is readable")
    func restart() async throws {
        let backend = InMemoryKeychain(person: .absent)
        let keychain = Keychain(service: "s", backend: backend)
        try await keychain.set("1", for: "after", access: .afterFirstUnlock)
        try await keychain.set("2", for: "always", access: .always)
        backend.restart()
        #expect(try await keychain.status().state == .sealed)
        await refused(.locked) { () throws(KeychainError) in try await keychain.string(for: "after") }
        #expect(try await keychain.string(for: "always") == "2")
    }

    @Test("a service account's vault takes no requirements, and a stranger's is not permitted")
    func accounts() async throws {
        let backend = InMemoryKeychain(others: [.account("www-data")])
        let keychain = Keychain(service: "s", vault: .account("www-data"), backend: backend)
        try await keychain.set("x", for: "me")
        #expect(try await keychain.string(for: "me") == "x")
        await refused(.invalidArgument) { () throws(KeychainError) in
            try await keychain.set("x", for: "you", access: Self.gated)
        }
        // Root stores it, and cannot read it for the account.
        let secured = AccessControl.whenUnlocked.requiring(.applicationPassword)
        try await keychain.set("x", for: "secured", access: secured, applicationPassword: "p")
        await refused(.notPermitted) { () throws(KeychainError) in
            try await keychain.string(for: "secured", applicationPassword: "p")
        }
        let other = Keychain(service: "s", vault: .account("somebody"), backend: backend)
        await refused(.notPermitted) { () throws(KeychainError) in try await other.list() }
    }

    @Test("a bound vault has passcode-set items")
    func bound() async throws {
        let keychain = Keychain(service: "s", backend: InMemoryKeychain(isBound: true))
        #expect(try await keychain.set("x", for: "me", access: .passcodeSet).access.isThisDeviceOnly)
    }

    @Test("all fields of an item take 32 signatures together at most")
    func signatures() async throws {
        let fingers = Biometrics(kind: .fingerprint, unavailableReason: nil)
        let keychain = Keychain(service: "s", backend: InMemoryKeychain(biometrics: fingers))
        let strict = AccessControl.whenUnlocked.requiring(.userPresence, .devicePasscode, .biometryAny)
        for number in 1...10 {
            let name = try #require(FieldName("field \(number)"))
            try await keychain.field(name).set("x", for: "me", access: strict)
        }
        await refused(.limitExceeded) { () throws(KeychainError) in
            try await keychain.field("another").set("x", for: "me")
        }
        #expect(try await keychain.attributes(of: "me").fields.count == 10)
    }

    @Test("a reader that is too slow is told that it missed something, and then hears on")
    func slowReader() async throws {
        let keychain = Keychain(service: "s", backend: InMemoryKeychain())
        let events = try await keychain.changes()
        for number in 0...256 { try await keychain.set("\(number)", for: "me") }
        let last = try await keychain.set("last", for: "me")
        var heard: [KeychainEvent] = []
        for try await event in events {
            heard.append(event)
            if heard.count == 2 { break }
        }
        #expect(heard == [.missed, .updated(last)])
    }

    @Test("what is printed has no value")
    func redacted() async throws {
        let keychain = Keychain(service: "s", backend: InMemoryKeychain())
        try await keychain.set("s3cret", for: "me")
        let item = try await keychain.item(for: "me")
        #expect(!"\(item) \(String(reflecting: item))".contains("s3cret"))
        var dumped = ""
        dump(item, to: &dumped)
        #expect(!dumped.contains("s3cret") && !dumped.contains("\(Array("s3cret".utf8))"))
    }
}
