import Authorization
import Broker
import BrokerProtocol
import Foundation
import Platform
import RootConfiguration
import TestSupport
import Testing

/// What the access log records, and what it must record before something else happens (attackers 1, 4 and 9).
@Suite(.timeLimit(.minutes(30)))
struct AccessLogTests {
    /// A broker with a new, unlocked vault.
    private func prepared() async throws -> (ThrowAwayBroker, WireClient) {
        let broker = try await throwAwayBroker()
        let client = try broker.client()
        try await broker.makeVault(client)
        return (broker, client)
    }

    private func records(_ client: WireClient) async throws -> [Keychain.LogRecord] {
        try await client.call(Keychain.Log()).records
    }

    private func path(_ broker: ThrowAwayBroker) -> String {
        "\(broker.configuration.vaultDirectory)/\(Owner.user(OwnProcess.effectiveUser).fileStem).log"
    }

    /// The log has what the process was called when it connected, as the prompts have the program that it ran then.
    @Test("a name that a process takes later is not recorded") func laterName() async throws {
        let (broker, client) = try await prepared()
        _ = try await client.call(Keychain.Set(service: "s", account: "a", value: someValue))
        let script = """
            import socket, sys
            s = socket.socket(socket.AF_UNIX); s.settimeout(600); s.connect(sys.argv[1])
            def call(text):
                s.send(text.encode() + b'\\0')
                got = b''
                while not got.endswith(b'\\0'): got += s.recv(65536)
            call('{"method":"org.coffer.Keychain.Status"}')
            open('/proc/self/comm', 'w').write('backup-tool')
            call('{"method":"org.coffer.Keychain.Get","parameters":{"service":"s","account":"a"}}')
            """
        try Tool.output("/usr/bin/python3", ["-c", script, broker.configuration.socket])
        let read = try await records(client).last
        #expect(read?.event == "read" && read?.program == "python3", "\(String(describing: read))")
        await broker.stop()
    }

    @Test("each event is recorded once, with who and what, in order")
    func events() async throws {
        let (broker, client) = try await prepared()
        let gated = Keychain.Get(service: "s", account: "gated")
        let item = try await client.call(Keychain.Set(service: "s", account: "plain", value: someValue)).item
        _ = try await client.call(Keychain.Set(service: "s", account: "gated", value: someValue, access: .presence))
        _ = try await client.call(Keychain.Get(service: "s", account: "plain"))
        _ = try await broker.call(client, gated) { Keychain.Get(service: "s", account: "gated", challenge: $0) }
        _ = try await client.call(Keychain.Edit(service: "s", account: "plain", label: "l"))
        _ = try await client.call(
            Keychain.Edit(service: "s", account: "plain", access: .afterFirstUnlock))
        _ = try await client.call(
            Keychain.Rename(service: "s", account: "plain", newService: "s", newAccount: "other"))
        _ = try await client.call(Keychain.Delete(service: "s", account: "other"))
        _ = try await client.call(Keychain.Lock())
        _ = try await fault { try await client.call(Keychain.Get(service: "s", account: "gated")) }
        _ = try await broker.call(client, Keychain.Unlock()) { Keychain.Unlock(challenge: $0) }
        let found = try await records(client)
        #expect(
            found.map { "\($0.event) \($0.account ?? "-") \($0.outcome)" } == [
                "start - done", "create - done", "unlock - done", "set plain done", "set gated done", "read plain done",
                "read gated done", "edit plain done", "edit plain done", "rename plain done", "delete other done",
                "lock - done", "read gated locked", "unlock - done",
            ])
        #expect(found.map(\.sequence) == (1...14).map(Int64.init))
        let me = try ProcessStat(pid: ProcessInfo.processInfo.processIdentifier).command
        for record in found.dropFirst() {
            #expect(record.uid == Int64(OwnProcess.effectiveUser) && record.program == me && !record.resolved)
            #expect(record.pid == Int64(ProcessInfo.processInfo.processIdentifier))
            #expect(record.controlGroup?.hasPrefix("/") != false)
        }
        #expect(found[3].item == item.id && found[5].require == [] && found[6].require == ["presence"])
        #expect(found[9].detail == "now s other")
        let check = try await client.call(Keychain.VerifyLog())
        #expect(check.whole && check.records == 14 && check.first == 1 && check.last == 14)
        await broker.stop()
    }

    @Test("what a person refused and what a rule refused is recorded, with the program that asked as root resolved it")
    func refusals() async throws {
        let (broker, client) = try await prepared()
        _ = try await client.call(Keychain.Set(service: "s", account: "a", value: someValue, access: .presence))
        let get = Keychain.Get(service: "s", account: "a")
        var id = try await challenge { try await client.call(get) }
        let line = try broker.authenticator.connect()
        let uid = OwnProcess.effectiveUser
        _ = try await line.call(
            TestAuthenticator.describe(id, uid: uid, TestAuthenticator.thisProcess(), program: "/usr/bin/asker"))
        _ = try await line.call(BrokerInterface.Refuse(challenge: id, reason: "password"))
        // A refused challenge allows nothing.
        let refused = try await fault {
            try await client.call(Keychain.Get(service: "s", account: "a", challenge: id))
        }
        #expect(refused.name == .challengeRefused)
        id = try await challenge { try await client.call(get) }
        try await broker.authenticator.grant(id, program: "/usr/bin/asker")
        _ = try await client.call(Keychain.Get(service: "s", account: "a", challenge: id))
        let found = try await records(client).suffix(3)
        #expect(found.map(\.outcome) == ["password", "challenge-refused", "done"])
        #expect(found.map(\.resolved) == [true, false, true])
        #expect(found.filter(\.resolved).allSatisfy { $0.program == "/usr/bin/asker" })
        #expect(found.first?.require == ["presence"] && found.first?.service == "s")
        // An invalid path is not kept.
        id = try await challenge { try await client.call(get) }
        let other = try broker.authenticator.connect()
        let tooLong = try await fault {
            try await other.call(
                TestAuthenticator.describe(
                    id, uid: uid, TestAuthenticator.thisProcess(), program: String(repeating: "x", count: 4097)))
        }
        #expect(tooLong.name == .brokerInvalidArgument)
        await broker.stop()
    }

    @Test("the log outlives a restart, with nothing missing at its end")
    func restart() async throws {
        let (broker, client) = try await prepared()
        _ = try await client.call(Keychain.Set(service: "s", account: "a", value: someValue))
        _ = try await client.call(Keychain.Get(service: "s", account: "a"))
        let before = try await records(client)
        await broker.stop()
        // The vault vouched for every record at the stop, so one record too few is noticed.
        let again = try await throwAwayBroker(folder: broker.folder, authenticator: broker.authenticator)
        #expect(try await records(again.client()) == before)
        #expect(try await again.client().call(Keychain.VerifyLog()).whole)
        await again.stop()
        let bytes = try Data(contentsOf: URL(fileURLWithPath: path(broker)))
        try bytes.dropLast(200).write(to: URL(fileURLWithPath: path(broker)))
        let third = try await throwAwayBroker(folder: broker.folder, authenticator: broker.authenticator)
        let check = try await third.client().call(Keychain.VerifyLog())
        #expect(!check.whole && check.problem != nil)
        // The vault takes no harm.
        #expect(try await third.client().call(Keychain.List()).items.count == 1)
        await third.stop()
    }

    @Test("no value of a gated item leaves when its release cannot be recorded; others do, and are counted")
    func unwritable() async throws {
        let (broker, client) = try await prepared()
        _ = try await client.call(Keychain.Set(service: "s", account: "gated", value: someValue, access: .presence))
        _ = try await client.call(Keychain.Set(service: "s", account: "plain", value: someValue))
        // Neither the log nor the copy that would be kept aside can be written now.
        try FileManager.default.removeItem(atPath: path(broker))
        try FileManager.default.createDirectory(atPath: path(broker), withIntermediateDirectories: false)
        for suffix in ["", ".2", ".3", ".4", ".5"] {
            try FileManager.default.createDirectory(
                atPath: path(broker) + ".damaged\(suffix)/full", withIntermediateDirectories: true)
        }
        let id = try await challenge { try await client.call(Keychain.Get(service: "s", account: "gated")) }
        try await broker.authenticator.grant(id)
        let refused = try await fault {
            try await client.call(Keychain.Get(service: "s", account: "gated", challenge: id))
        }
        #expect(refused.name == .failed)
        #expect(try await client.call(Keychain.Get(service: "s", account: "plain")).value == someValue)
        try FileManager.default.removeItem(atPath: path(broker) + ".damaged")
        #expect(try await client.call(Keychain.Get(service: "s", account: "plain")).value == someValue)
        let found = try await records(client)
        #expect(found.map(\.event) == ["broken", "read"] && found.last?.missed == 3)
        #expect(try await !client.call(Keychain.VerifyLog()).whole)
        await broker.stop()
    }

    @Test("what was read is vouched for some seconds later, without another call")
    func delayed() async throws {
        let clock = TestClock()
        var options = Broker.Options.patient
        options.clock = clock.clock
        let broker = try await throwAwayBroker(options: options)
        let client = try broker.client()
        try await broker.makeVault(client)
        _ = try await client.call(Keychain.Set(service: "s", account: "a", value: someValue))
        // Everything that was put off so far.
        clock.advance(by: .seconds(11))
        _ = try await client.call(Keychain.Get(service: "s", account: "a"))
        let vault = path(broker).replacing(".log", with: ".vault")
        let before = try Data(contentsOf: URL(fileURLWithPath: vault))
        let deadline = ContinuousClock.now + patience
        repeat {
            clock.advance(by: .seconds(11))
            try await Task.sleep(for: .milliseconds(20))
        } while try Data(contentsOf: URL(fileURLWithPath: vault)) == before && ContinuousClock.now < deadline
        #expect(try Data(contentsOf: URL(fileURLWithPath: vault)) != before)
        await broker.stop()
    }

    @Test("another user's log is not to be seen, and the file says no name")
    func hidden() async throws {
        let (broker, client) = try await prepared()
        _ = try await client.call(
            Keychain.Set(service: "service-canary", account: "account-canary", value: "dmFsdWUtY2FuYXJ5"))
        _ = try await client.call(Keychain.Get(service: "service-canary"))
        await broker.stop()
        let bytes = try Data(contentsOf: URL(fileURLWithPath: path(broker)))
        for canary in ["canary", "dmFsdWUtY2FuYXJ5", "read", "cgroup", "slice"] {
            #expect(bytes.range(of: Data(canary.utf8)) == nil)
        }
        #expect(try FileStatus.of(path(broker))?.mode == 0o600)
    }
}
