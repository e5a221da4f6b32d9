import Authorization
import BrokerProtocol
import Cryptography
import Foundation
import Platform
import TestSupport

/// The real program, which serves in a throw-away folder with a PAM stack, registry and fake broker of its own.
final class Fixture: Sendable {
    let path: String
    let account: Account
    let key: P256.PrivateKey
    let record: RegistryRecord
    let broker: FakeBroker
    let registry: Registry
    /// The folder of the users' runtime folders, if there are notifications.
    let notifications: String?
    private let process: Subprocess

    /// The password of the default PAM stack.
    static let password = "open sesame"

    struct Options {
        var hasVault = true
        var pam: String?
        var brokerUser: String?
        var settings = ""
        var notifications: String?
        var environment: [String: String] = [:]
        var changeRecord: (RegistryRecord) throws -> RegistryRecord = { $0 }
        var prepare: (_ path: String) throws -> Void = { _ in }
        /// A command that becomes the program.
        var launcher: (_ path: String) -> [String] = { _ in [] }
    }

    init(_ options: Options = Options()) throws {
        notifications = options.notifications
        path = NSTemporaryDirectory() + "coffer-auth-" + UUID().uuidString.prefix(13)
        for folder in ["", "/pam", "/registry"] { try Folder.make(path + folder, mode: 0o755) }
        let uid = geteuid()
        guard let account = try Account.withUID(uid) else { throw SystemError("find oneself", reason: "no account") }
        self.account = account
        key = try P256.PrivateKey.generate()
        let pem = try key.pem().withBytes { span in span.indices.map { span[$0] } }
        try DurableFile.write(pem, to: "\(path)/registry/signing-key.pem", mode: 0o600)
        record = try options.changeRecord(try Fixture.newRecord(account, key: key.publicKey))
        registry = Registry(directory: "\(path)/registry", authenticatorUID: uid)
        if options.hasVault { try registry.write(record) }

        let check = "\(path)/pam/check"
        let script = "#!/bin/sh\nread -r given || [ -n \"$given\" ] || exit 1\n[ \"$given\" = '\(Fixture.password)' ]\n"
        try Script.write(script, to: check)
        // pam_exec says "system error" if a program says no. pam_deny gives the right answer.
        let rules =
            options.pam
                ?? """
                auth [success=1 default=ignore] pam_exec.so expose_authtok quiet CHECK
                auth requisite pam_deny.so
                auth required pam_permit.so
                account required pam_permit.so
                """
        try DurableFile.write(
            Array((rules.replacingOccurrences(of: "CHECK", with: check) + "\n").utf8), to: "\(path)/pam/coffer",
            mode: 0o644)
        try options.prepare(path)

        let facts = BrokerInterface.Describe.Reply(
            owner: "user:\(uid)", vault: options.hasVault ? record.vault.hex : nil,
            purposes: options.hasVault ? [.read] : [.create],
            service: options.hasVault ? "github" : nil, account: options.hasVault ? "me" : nil, reason: nil,
            authorizations: options.hasVault ? [.init(kind: "presence")] : [],
            alternatives: [options.hasVault ? [0] : []], screenLocked: false)
        var script2 = FakeBroker.Script(facts: facts)
        script2.record = record
        if options.hasVault {
            script2.reported = BrokerInterface.Report.Reply(
                challenge: "report", vault: record.vault.hex, authorizations: [.init(kind: "unlock")])
        }
        broker = try FakeBroker(path: "\(path)/broker.sock", script: script2)

        let configuration = """
            authenticator-socket = \(path)/broker.sock
            auth-socket = \(path)/auth.sock
            registry-directory = \(path)/registry
            pam-directory = \(path)/pam
            sealer = \(record.sealer.rawValue)
            sandbox = yes
            broker-user = \(options.brokerUser ?? account.name)
            notifications = \(options.notifications ?? "no")
            \(options.settings)

            """
        try DurableFile.write(Array(configuration.utf8), to: "\(path)/coffer.conf", mode: 0o644)
        let command = options.launcher(path) + [Fixture.program, "serve", "--config", "\(path)/coffer.conf"]
        let log = "\(path)/log"
        process = try Subprocess(command[0], Array(command.dropFirst())) {
            $0.environment = ["PATH": "/usr/bin:/bin"].merging(options.environment) { $1 }
            $0.output = .inherited
            $0.errors = .file(log)
        }
        // The test waits until it is there.
        var search: UnixSocket?
        guard
            eventually({
                search = try? UnixSocket(connectingTo: "\(path)/auth.sock")  // It is not there at first.
                return search != nil
            })
        else { throw SystemError("start the authenticator", reason: self.log) }
        // The search for the socket was itself a connection. It must not count as one of a test's connections. It gets a
        // process only while it is open.
        guard eventually({ !conversations.isEmpty }) else {
            throw SystemError("start the authenticator", reason: self.log)
        }
        search = nil
        guard eventually({ self.log.contains("client gone") && conversations.isEmpty }) else {
            throw SystemError("start the authenticator", reason: self.log)
        }
    }

    deinit {
        broker.stop()
        process.signal(SIGTERM)
        // The wait has a limit. A process that hangs has failed a test already.
        _ = try? process.finish()
        // It does no harm if a temporary folder stays behind.
        try? FileManager.default.removeItem(atPath: path)
        // As above.
        if let notifications { try? FileManager.default.removeItem(atPath: notifications) }
    }

    /// The program beside the test bundle.
    static var program: String {
        // Without a path nothing finds the program, and every test says so.
        let bundle = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
        return URL(fileURLWithPath: bundle).deletingLastPathComponent().path + "/coffer-authenticator"
    }

    static func newRecord(_ account: Account, key: [UInt8]) throws -> RegistryRecord {
        var names: [ObjectRole: [UInt8]] = [:]
        for role in ObjectRole.ofNewVault {
            names[role] = [0, 11] + [UInt8](repeating: UInt8(role.rawValue), count: 32)
        }
        return try guarded(
            RegistryRecord(
                vault: try VaultID.random(), owner: .user(account.uid), ownerName: account.name,
                created: UInt64(Date().timeIntervalSince1970 * 1000), sealer: .software, authenticatorKey: key,
                storageKey: nil, objects: names))
    }

    /// The points of the constraint keys of every vault here.
    static let points: [(role: ObjectRole, point: [UInt8])] = [ObjectRole.presence, .biometryAny, .passcode].map {
        ($0, [UInt8](repeating: UInt8($0.rawValue), count: P256.pointCount))
    }

    /// The record with the Names of these keys.
    static func guarded(_ record: RegistryRecord) throws -> RegistryRecord {
        var names = record.objects
        for (role, point) in points { names[role] = try GuardedKeyName.of(role, point: point, in: record) }
        return RegistryRecord(
            vault: record.vault, owner: record.owner, ownerName: record.ownerName, created: record.created,
            sealer: record.sealer, authenticatorKey: record.authenticatorKey, storageKey: record.storageKey,
            objects: names)
    }

    // Without a file the log is empty.
    var log: String { (try? String(contentsOfFile: "\(path)/log", encoding: .utf8)) ?? "" }
    var pid: Int32 { process.pid }
    func client() throws -> TestClient { try TestClient("\(path)/auth.sock") }
    func terminate() { process.signal(SIGTERM) }
    func waitForExit() -> Bool { eventually { !process.isRunning } }

    /// The conversations' processes.
    var conversations: [Int32] { Fixture.children(of: pid) }

    /// Processes that have a program of this fixture's folder on their command line.
    var helpers: [Int32] {
        // Processes come and go while they are listed.
        let all = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
        return all.compactMap { Int32($0) }.filter { number in
            // As above.
            let line = (try? Data(contentsOf: URL(fileURLWithPath: "/proc/\(number)/cmdline"))) ?? Data()
            return number != pid && String(decoding: line, as: UTF8.self).contains("\(path)/pam/")
        }
    }

    static func children(of pid: Int32) -> [Int32] {
        // A process that has ended has no children.
        let text = ProcFile.text("/proc/\(pid)/task/\(pid)/children") ?? ""
        return text.split(separator: " ").compactMap { Int32($0) }
    }
}

/// Waits until a condition holds; false if it does not hold for very long.
func eventually(_ condition: () -> Bool) -> Bool {
    let limit = ContinuousClock.now + patience
    while ContinuousClock.now < limit {
        if condition() { return true }
        usleep(5000)
    }
    return condition()
}
