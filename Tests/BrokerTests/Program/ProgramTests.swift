import Authorization
import BrokerProtocol
import Foundation
import Item
import Platform
import TestSupport
import Testing

/// The program itself: how it starts, stops and is killed.
@Suite(.timeLimit(.minutes(30)))
struct ProgramTests {
    private func authenticator(_ cofferd: Cofferd, key: TestAuthenticator? = nil) throws -> TestAuthenticator {
        try TestAuthenticator(
            socket: cofferd.folder.path + "/private.sock",
            registry: Registry(
                directory: cofferd.folder.path + "/registry", authenticatorUID: OwnProcess.effectiveUser),
            key: key?.key)
    }

    /// A client of an unlocked vault.
    private func client(_ cofferd: Cofferd, _ authenticator: TestAuthenticator) async throws -> WireClient {
        let client = try WireClient(cofferd.socket)
        let id = try await challenge { try await client.call(Keychain.Unlock()) }
        try await authenticator.grant(id)
        _ = try await client.call(Keychain.Unlock(challenge: id))
        return client
    }

    @Test("told to stop, it answers what it was asked, leaves one file, and takes up again where it was")
    func stopped() async throws {
        let first = try Cofferd()
        let person = try authenticator(first)
        let client = try await client(first, person)
        let always = AccessControl.always
        _ = try await client.call(Keychain.Set(service: "s", account: "a", value: someValue, access: always))
        async let last = client.call(Keychain.Set(service: "s", account: "b", value: someValue, access: always))
        #expect(try first.end() == 0)
        // A call is answered or not begun, but never half done.
        let wasStored = (try? await last) != nil
        let stem = Owner.user(OwnProcess.effectiveUser).fileStem
        let names = try FileManager.default.contentsOfDirectory(atPath: first.folder.path + "/vaults").sorted()
        #expect(names == ["software-sealer.key", "\(stem).log", "\(stem).vault"].sorted())
        let second = try Cofferd(folder: first.folder)
        let later = try WireClient(second.socket)
        #expect(try await later.call(Keychain.Get(service: "s", account: "a")).value == someValue)
        if wasStored { #expect(try await later.call(Keychain.Get(service: "s", account: "b")).value == someValue) }
        try second.end()
    }

    @Test("killed, it leaves a dead socket that the next one replaces, and everything it had acknowledged")
    func killed() async throws {
        let first = try Cofferd()
        let client = try await client(first, authenticator(first))
        let always = AccessControl.always
        for number in 0..<5 {
            _ = try await client.call(
                Keychain.Set(service: "s", account: "\(number)", value: someValue, access: always))
        }
        try first.end(SIGKILL)
        let second = try Cofferd(folder: first.folder)
        let later = try WireClient(second.socket)
        #expect(try await later.call(Keychain.List()).items.map(\.account) == ["0", "1", "2", "3", "4"])
        // A socket that somebody serves is not taken away.
        #expect(throws: Cofferd.Failure.self) { try Cofferd(folder: first.folder) }
        #expect(try await later.call(Keychain.List()).items.count == 5)
        try second.end()
    }

    @Test("root is refused outside of a sandbox", .enabled(if: OwnProcess.effectiveUser == 0, "needs root"))
    func root() throws {
        do {
            _ = try Cofferd(settings: "sandbox = no\n")
            Issue.record("it started as root")
        } catch let failure as Cofferd.Failure {
            #expect(failure.log.contains("must not run as root"))
        }
    }

    @Test("more connections than descriptors: those that are there are served, and all are again afterwards")
    func descriptors() async throws {
        let cofferd = try Cofferd(limits: "ulimit -n 64")
        let client = try WireClient(cofferd.socket)
        #expect(try await client.call(Keychain.List()).items.isEmpty)
        do {
            var flood: [WireClient] = []
            // The kernel refuses what does not fit the queue. That is not a failure here.
            for _ in 0..<120 { if let one = try? WireClient(cofferd.socket) { flood.append(one) } }
            #expect(try await client.call(Keychain.List()).items.isEmpty)
            for one in flood { await one.close() }
        }
        let deadline = ContinuousClock.now + patience
        while true {
            // The broker notices ended connections a moment later. Until then it refuses.
            if let again = try? WireClient(cofferd.socket), (try? await again.call(Keychain.List())) != nil { break }
            try #require(ContinuousClock.now < deadline)
        }
        try cofferd.end()
    }

    @Test("its memory is closed to others of the same user, and it leaves no core file")
    func hardened() async throws {
        let cofferd = try Cofferd()
        let limits = try String(contentsOfFile: "/proc/\(cofferd.process.pid)/limits", encoding: .utf8)
        let core = try #require(limits.split(separator: "\n").first { $0.hasPrefix("Max core file size") })
        #expect(core.split(separator: " ").filter { $0 == "0" }.count == 2)
        // A process that is not dumpable belongs to root in /proc, no matter who runs it.
        let attributes = try FileManager.default.attributesOfItem(atPath: "/proc/\(cofferd.process.pid)/mem")
        #expect(attributes[.ownerAccountID] as? Int == 0)
        try cofferd.end()
    }
}
