import Foundation
import Testing

/// An account of this machine with a password. It is removed with the value.
final class RealAccount: Sendable {
    let name = "coffa\(UInt32.random(in: 10_000...99_999))"
    let uid: UInt32
    private static let path = ["PATH": "/usr/sbin:/usr/bin:/sbin:/bin"]

    init(password: String) throws {
        let made = try Command(
            program: "/usr/sbin/useradd", arguments: ["--no-create-home", "--user-group", name],
            environment: Self.path
        ).run()
        try #require(made.code == 0, "\(made)")
        try Self.set(password, of: name)
        let id = try Command(program: "/usr/bin/id", arguments: ["-u", name], environment: [:]).run()
        uid = try #require(UInt32(id.text.trimmingCharacters(in: .whitespacesAndNewlines)))
    }

    /// Changes the password as root, without Coffer.
    func change(password: String) throws { try Self.set(password, of: name) }

    private static func set(_ password: String, of name: String) throws {
        let set = try Command(
            program: "/usr/sbin/chpasswd", arguments: [], environment: path,
            input: Array("\(name):\(password)\n".utf8)
        ).run()
        try #require(set.code == 0, "\(set)")
    }

    func expire() throws {
        let outcome = try Command(
            program: "/usr/bin/chage", arguments: ["--expiredate", "0", name], environment: Self.path
        ).run()
        try #require(outcome.code == 0, "\(outcome)")
    }

    deinit {
        // If an account cannot be removed, the next run's useradd reports it.
        _ = try? Command(program: "/usr/sbin/userdel", arguments: [name], environment: Self.path).run()
    }
}
