import Foundation
import Platform
import TestSupport

/// A throw-away account of the system.
final class UnixAccount: Sendable {
    let name: String

    static var possible: Bool {
        geteuid() == 0 && FileManager.default.isExecutableFile(atPath: "/usr/sbin/useradd")
    }

    /// - Parameter password: nil for an account with an empty password.
    init(password: String?) throws {
        name = "coffer-test-" + UUID().uuidString.prefix(8).lowercased()
        // Without a folder and a group of its own. Two tests of a pair run one after the other, because the files have
        // one lock.
        try Self.run(
            "/usr/sbin/useradd", ["--no-create-home", "--no-user-group", "--shell", "/usr/sbin/nologin", name])
        if let password {
            try Self.run("/usr/sbin/chpasswd", ["-c", "SHA512"], input: "\(name):\(password)\n")
        } else {
            try Self.run("/usr/bin/passwd", ["-d", name])
        }
    }

    deinit {
        // An account that stays behind has no shell and no folder.
        try? Self.run("/usr/sbin/userdel", [name])
    }

    /// chage(1).
    func change(_ arguments: String...) throws { try Self.run("/usr/bin/chage", arguments + [name]) }

    private struct Failure: Error { let text: String }

    private static func run(_ program: String, _ arguments: [String], input: String = "") throws {
        // The account files have one lock, and several tests need it.
        for _ in 0..<2000 {
            let process = try Subprocess(program, arguments) { if !input.isEmpty { $0.input = .pipe } }
            if !input.isEmpty { try process.write(input) }
            process.closeInput()
            if try process.finish() == 0 { return }
            usleep(50_000)
        }
        throw Failure(text: "\(program) \(arguments.joined(separator: " "))")
    }
}
