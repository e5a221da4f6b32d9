import Foundation
import TestSupport
import Testing

/// A newcomer runs this first. Its success shows something only if it fails when it must.
@Suite struct DemoTests {
    private func run(in folder: TemporaryFolder, path: String? = nil) throws -> Outcome {
        var environment = ProcessInfo.processInfo.environment
        environment["TMPDIR"] = folder.path
        if let path { environment["PATH"] = path }
        return try Command(
            program: SourceTree.path("scripts/demo"), arguments: [], environment: environment, limit: patience
        ).run()
    }

    @Test func itShowsTheMainJobAndCleansUp() throws {
        let folder = try TemporaryFolder()
        let outcome = try run(in: folder)
        #expect(outcome.code == 0, "\(outcome)")
        #expect(outcome.errors.contains("Stored demo/you") && outcome.text.contains("the spare key is under stone"))
        #expect(outcome.text.split(separator: "\n").count { $0 == "exit code 4" } == 2)
        #expect(outcome.errors.contains("wrong password"))
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == [])
    }

    @Test func withoutATPMSimulatorItFails() throws {
        let folder = try TemporaryFolder()
        // All programs except the simulator's.
        let programs = try TemporaryFolder()
        for name in try FileManager.default.contentsOfDirectory(atPath: "/usr/bin") where !name.hasPrefix("swtpm") {
            try FileManager.default.createSymbolicLink(
                atPath: "\(programs.path)/\(name)", withDestinationPath: "/usr/bin/\(name)")
        }
        let outcome = try run(in: folder, path: programs.path)
        #expect(outcome.code != 0 && outcome.errors.contains("swtpm"), "\(outcome)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == [])
    }

    @Test func withAnotherPasswordBehindItItFails() throws {
        let folder = try TemporaryFolder()
        // A thread of its own, because the tests may hold all threads that tasks run on.
        Thread.detachNewThread {
            let limit = ContinuousClock.now + patience
            while ContinuousClock.now < limit {
                // Neither folder is there yet.
                let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
                for name in names {
                    let box = "\(folder.path)/\(name)/sandbox"
                    // As above.
                    let records = (try? FileManager.default.contentsOfDirectory(atPath: box + "/registry/vaults")) ?? []
                    // With the right password, the vault was made by then.
                    guard !records.isEmpty else { continue }
                    // If the demo cannot be changed, it succeeds and the test fails.
                    try? Data("another\n".utf8).write(to: URL(fileURLWithPath: box + "/pam.d/password"))
                    return
                }
                usleep(2000)
            }
        }
        let outcome = try run(in: folder)
        #expect(outcome.code != 0 && !outcome.text.contains("Done."), "\(outcome)")
        #expect(outcome.errors.contains("coffer get ended with exit code 4") && !outcome.text.contains("the spare key"))
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == [])
    }
}
