import Coffer
import Foundation
import Synchronization

/// Tasks that read items that ask, all at once. A handler answers after a moment.
enum Readers {
    private static let questions = Mutex(0)
    private static let threads = Mutex(0)

    static func run(_ tasks: Int, _ items: Int) async throws {
        try note()
        let keychain = Keychain(
            service: "many",
            prompts: .handler { message in
                guard message.wantsAnswer else { return nil }
                questions.withLock { $0 += 1 }
                // A person takes a while. Meanwhile, all tasks have asked.
                for _ in 0..<10 {
                    try note()
                    try await Task.sleep(for: .milliseconds(50))
                }
                return "sandbox"
            })
        try await withThrowingTaskGroup(of: Void.self) { group in
            for task in 0..<tasks {
                group.addTask {
                    let value = try await keychain.string(for: "\(task % items)", reason: "Sign you in")
                    guard value == "value \(task % items)" else { throw KeychainError(.failed, "another value") }
                }
            }
            try await group.waitForAll()
        }
        print(questions.withLock { $0 }, threads.withLock { $0 })
    }

    private static func note() throws {
        let now = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/task").count
        threads.withLock { $0 = max($0, now) }
    }
}
