import Glibc
import Platform
import TestSupport
import Testing

/// Makes every run of the package's tests fail that leaves a child, whichever tests it has: traits are made before tests are chosen.
struct NoChildIsLeft: SuiteTrait {
    init() { LeftChildren.watch() }
}

@Suite(NoChildIsLeft())
struct LeftChildrenExitTests {
    @Test func aProcessThatLeavesAChildFails() async {
        await #expect(processExitsWith: .exitCode(1)) {
            LeftChildren.watch()
            // It runs for longer than the wait for what is just being ended.
            _ = try Subprocess("/usr/bin/sleep", ["6000"]) { $0.outlives = true }
        }
    }

    @Test func aProcessThatDoesNotWaitForAChildFails() async {
        await #expect(processExitsWith: .exitCode(1)) {
            LeftChildren.watch()
            let child = try Subprocess("/bin/true") { $0.output = .pipe }
            // Its end is seen without waiting for it.
            _ = try child.readAll()
            withExtendedLifetime(child) { exit(0) }
        }
    }

    @Test func aProcessWhoseChildrenEndedWithTheirValuesDoesNot() async {
        await #expect(processExitsWith: .success) {
            LeftChildren.watch()
            _ = try Subprocess("/usr/bin/sleep", ["6000"])
            // Without waiting: the program of a test that threw.
            let group = try Subprocess("/bin/sh", ["-c", "sleep 6000 & echo; wait"]) { $0.output = .pipe }
            _ = try group.read(limit: 1)
        }
    }

    /// A program that asks a person, and an error before it was waited for.
    @Test func aGuardedProgramEndsWithItsValue() async {
        await #expect(processExitsWith: .success) {
            LeftChildren.watch()
            let folder = try ProcessLink.read("exe", of: getpid()).split(separator: "/").dropLast().joined(
                separator: "/")
            let program = try GuardedProgram(
                ("/\(folder)/coffer", ["coffer", "guard-program", "--"]), ["/usr/bin/sleep", "6000"], hangUp: -1)
            _ = consume program
        }
    }
}
