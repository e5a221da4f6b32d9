import Foundation
import Platform
import TestSupport
import Testing

/// What the machines of a fleet have in common: an account of a service, another user, and a folder that is the account's.
final class Fleet {
    let accounts: Accounts
    let folder: String

    var name: String { accounts.names[0] }
    var uid: UInt32 { accounts.uids[0] }
    var person: UInt32 { accounts.uids[1] }

    init() throws {
        accounts = try Accounts(2)
        folder = "/tmp/coffer-fleet-\(UUID().uuidString.prefix(8))"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let owned = try Command(
            program: "/bin/chown", arguments: ["\(accounts.uids[0])", folder], environment: [:]
        ).run()
        try #require(owned.code == 0, "\(owned)")
    }

    /// A machine with an open vault of the service.
    func machine(_ options: String...) throws -> Sandbox {
        let machine = try Sandbox(options, reachable: true)
        try root(machine, ["vault", "create", "--owner", name])
        return machine
    }

    deinit {
        // `try?`: a folder that stays in /tmp does no harm.
        try? FileManager.default.removeItem(atPath: folder)
    }

    /// Root's command, with the answer to what root is shown.
    @discardableResult
    func root(
        _ machine: Sandbox, _ arguments: [String], input: String = "", answer: String? = "yes", code: Int32 = 0,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> Outcome {
        let outcome = try machine.coffer(arguments, input: Array(input.utf8), password: answer)
        try #require(outcome.code == code, "\(arguments): \(outcome)", sourceLocation: sourceLocation)
        return outcome
    }

    @discardableResult
    func sync(
        _ machine: Sandbox, _ arguments: String..., input: String = "", answer: String? = "yes", code: Int32 = 0,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> Outcome {
        try root(
            machine, ["sync"] + arguments + ["--user", name], input: input, answer: answer, code: code,
            sourceLocation: sourceLocation)
    }

    /// What the service's own account runs.
    func own(_ machine: Sandbox, _ arguments: String..., input: String = "") throws -> Outcome {
        try machine.coffer(arguments, input: Array(input.utf8), password: "yes", uid: uid)
    }
}

/// `coffer sync watch`, as coffer-courier@.service runs it.
final class ServiceCourier {
    private let process: Subprocess

    init(_ machine: Sandbox, uid: UInt32) throws {
        var environment = ProcessInfo.processInfo.environment
        for (name, value) in machine.variables { environment[name] = value }
        for name in ["COFFER_ASKPASS", "DISPLAY", "WAYLAND_DISPLAY"] { environment[name] = nil }
        let words = ["--reuid=\(uid)", "--regid=\(uid)", "--clear-groups", "coffer", "sync", "watch"]
        let errors = machine.folder + "/courier-errors"
        process = try Subprocess("/usr/bin/setpriv", words) {
            $0.environment = environment
            $0.errors = .file(errors)
        }
    }

    /// - Returns: the exit status.
    func end(by signal: Int32?) -> Int32? {
        if let signal { process.signal(signal) }
        // `try?`: nil is no status.
        return try? process.finish()
    }

    deinit { process.signal(SIGKILL) }
}
