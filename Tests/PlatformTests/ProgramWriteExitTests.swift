import Glibc
import Platform
import Testing

/// An application that uses the library need not ignore SIGPIPE, which would end it. A program that it writes to can end at
/// any time.
@Suite(.timeLimit(.minutes(30)))
struct ProgramWriteExitTests {
    @Test func aProgramThatHasGoneIsAnErrorAndNoSignal() async {
        await #expect(processExitsWith: .success) {
            signal(SIGPIPE, SIG_DFL)
            let program = try Subprocess("/bin/true", []) { $0.input = .pipe }
            _ = try program.wait(until: nil)
            let error = #expect(throws: SystemError.self) { try program.write([1]) }
            guard error?.errno == EPIPE else { exit(1) }
        }
    }

    @Test func aGuardedProgramThatHasGoneIsAnErrorAndNoSignal() async {
        await #expect(processExitsWith: .success) {
            signal(SIGPIPE, SIG_DFL)
            let folder = try ProcessLink.read("exe", of: getpid()).split(separator: "/").dropLast().joined(
                separator: "/")
            let program = try GuardedProgram(
                ("/\(folder)/coffer", ["coffer", "guard-program", "--"]), ["/bin/true"], hangUp: -1)
            do throws(SystemError) {
                // The guard has the program's input, too, and ends a moment after it.
                while true {
                    try program.write([1])
                    usleep(1000)
                }
            } catch { guard error.errno == EPIPE else { exit(3) } }
        }
    }
}
