import Coffer
import Foundation

/// One of several processes that use the same items at once: `coffer-contender NUMBER ROUNDS`. It reads, writes and deletes what others do too.
/// Every round adds one to the counter "shared".
///
/// `coffer-contender readers TASKS ITEMS`: so many tasks read so many items that ask. It prints how often it was asked, and how many threads it had at
/// most.
///
/// `coffer-contender secret ACCOUNT used|kept`: reads a secret without or with a copy, writes a line, and ends with the next line of its input.
@main
struct Contender {
    static func main() async throws {
        let arguments = CommandLine.arguments
        if arguments[1] == "secret" { return try await secret(arguments[2], isKept: arguments[3] == "kept") }
        if arguments[1] == "readers" { return try await Readers.run(Int(arguments[2]) ?? 1, Int(arguments[3]) ?? 1) }
        let number = Int(arguments[1]) ?? 0
        let rounds = Int(arguments[2]) ?? 1
        let keychain = Keychain(service: "contention", prompts: .never)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for task in 0..<4 {
                group.addTask {
                    for round in 0..<rounds { try await mix(keychain, number * 4 + task, round) }
                }
            }
            try await group.waitForAll()
        }
    }

    private static func secret(_ account: String, isKept: Bool) async throws {
        let keychain = Keychain(service: "many", prompts: .never)
        let kept = isKept ? try await keychain.bytes(for: account) : []
        let sum = try await keychain.withBytes(for: account) { bytes in
            bytes.indices.reduce(0) { $0 &+ Int(bytes[$1]) }
        }
        // Standard output is not flushed while it is a pipe.
        try FileHandle.standardOutput.write(contentsOf: Data("\(sum)\n".utf8))
        _ = readLine()
        withExtendedLifetime(kept) {}
    }

    static func mix(_ keychain: Keychain, _ number: Int, _ round: Int) async throws {
        try await keychain.update(for: "shared") { String((Int($0 ?? "") ?? 0) + 1) }
        let common = "common \(round % 3)"
        switch (number + round) % 4 {
        case 0: try await keychain.set("from \(number)", for: common)
        case 1: try await keychain.delete(common)
        case 2:
            // Another process may have deleted it.
            _ = try? await keychain.string(for: common)
        default:
            let own = ItemChange(keychain.name("own \(number)"), .set(NewItem(value: Array("\(round)".utf8))))
            try await keychain.apply([own, ItemChange(keychain.name(common), .set(NewItem(value: [1, 2, 3])))])
        }
    }
}
