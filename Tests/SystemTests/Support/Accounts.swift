import Foundation
import Testing

/// Accounts made for the test and removed after it.
final class Accounts {
    let names: [String]
    private(set) var uids: [UInt32] = []

    init(_ count: Int) throws {
        let stem = "cofft\(String(UInt32.random(in: 0 ... .max), radix: 36))x"
        names = (0..<count).map { "\(stem)\($0)" }
        for name in names {
            let outcome = try Command(
                program: "/usr/sbin/useradd", arguments: ["--no-create-home", "--user-group", name],
                environment: ["PATH": "/usr/sbin:/usr/bin:/sbin:/bin"]
            ).run()
            try #require(outcome.code == 0, "\(outcome)")
            let id = try Command(program: "/usr/bin/id", arguments: ["-u", name], environment: [:]).run()
            uids.append(try #require(UInt32(id.text.trimmingCharacters(in: .whitespacesAndNewlines))))
        }
    }

    deinit {
        for name in names {
            // If an account cannot be removed, the next run's useradd reports it.
            _ = try? Command(
                program: "/usr/sbin/userdel", arguments: [name],
                environment: ["PATH": "/usr/sbin:/usr/bin:/sbin:/bin"]
            ).run()
        }
    }
}
