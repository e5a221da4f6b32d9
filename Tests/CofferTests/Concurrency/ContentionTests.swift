import Coffer
import CofferTestKit
import Foundation
import Platform
import TestSupport
import Testing

/// Many tasks and processes use the same items at once.
@Suite(.timeLimit(.minutes(30)))
struct ContentionTests {
    @Test(
        "a hundred tasks mix reads, writes and deletions, and no update is lost",
        arguments: [Place.memory, .softwareBroker])
    func tasks(_ place: Place) async throws {
        let fixture = try await Fixture(place)
        let keychain = fixture.keychain("contention")
        try await withThrowingTaskGroup(of: Void.self) { group in
            for task in 0..<100 {
                group.addTask {
                    for round in 0..<3 {
                        try await keychain.update(for: "shared") { String((Int($0 ?? "") ?? 0) + 1) }
                        try await Self.mix(keychain, task, round)
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(try await keychain.string(for: "shared") == "300")
        await fixture.end()
    }

    private static func mix(_ keychain: Keychain, _ task: Int, _ round: Int) async throws {
        let common = "common \(round)"
        switch (task + round) % 4 {
        case 0: try await keychain.set("from \(task)", for: common)
        case 1: try await keychain.delete(common)
        case 2:
            do throws(KeychainError) { _ = try await keychain.string(for: common) } catch {
                // Another task may have deleted it.
                #expect(error.code == .notFound)
            }
        default:
            let own = ItemChange(keychain.name("own \(task)"), .set(NewItem(value: Array("\(round)".utf8))))
            try await keychain.apply([own, ItemChange(keychain.name(common), .set(NewItem(value: Array("x".utf8))))])
        }
    }

    @Test("ten processes at once lose no update")
    func processes() async throws {
        let sandbox = try await SandboxBroker(programs: Fixture.programs)
        let rounds = 3
        let processes = try (0..<10).map { number in
            try Subprocess(Fixture.programs + "/coffer-contender", ["\(number)", "\(rounds)"]) { setup in
                setup.environment = ProcessInfo.processInfo.environment.merging(sandbox.environment) { $1 }
                setup.errors = .inherited
            }
        }
        let statuses = try await Self.finish(processes)
        #expect(statuses == Array(repeating: 0, count: 10))
        let keychain = Keychain(service: "contention", prompts: .never, backend: sandbox.backend)
        #expect(try await keychain.string(for: "shared") == "\(10 * 4 * rounds)")
        await sandbox.stop()
    }

    /// On a thread of its own, because waiting blocks.
    private static func finish(_ processes: [Subprocess]) async throws -> [Int32] {
        try await withCheckedThrowingContinuation { continuation in
            Thread.detachNewThread {
                continuation.resume(with: Result { try processes.map { try $0.finish() } })
            }
        }
    }
}
