import Foundation
import Platform
import Testing

@Suite struct SubprocessTests {
    @Test func whatIsWrittenComesOutAndTheStatusIsKnown() throws {
        let shell = try Subprocess("/bin/sh", ["-c", "cat; echo problem >&2; exit 7"]) {
            $0.input = .pipe
            $0.output = .pipe
            $0.errors = .output
        }
        try shell.write(Array("text\n".utf8))
        #expect(shell.isRunning)
        shell.closeInput()
        #expect(try String(decoding: shell.readAll(), as: UTF8.self) == "text\nproblem\n")
        #expect(try shell.wait(until: nil) == 7)
        #expect(shell.status == 7)
        #expect(throws: SystemError.self) { try shell.write([1]) }
    }

    @Test func aDeadlineIsNoEndAndASignalIsOne() throws {
        let sleeper = try Subprocess("/usr/bin/sleep", ["infinity"])
        #expect(try sleeper.wait(until: .now) == nil)
        sleeper.signal(SIGKILL)
        #expect(try sleeper.wait(until: nil) == 128 + SIGKILL)
        // The pid may belong to another process now, so it gets no signal.
        sleeper.signal(SIGKILL)
    }

    @Test func aProgramThatIsNotThereIsAnError() {
        #expect(throws: SystemError.self) { try Subprocess("/nowhere/program") }
    }

    /// With as many descriptors as a broker may have, too.
    @Test func itGetsItsThreeDescriptorsOnlyAndBlocksNoSignal() throws {
        let folder = try TemporaryFolder()
        // A descriptor that somebody forgot to make close-on-exec.
        let forgotten = Descriptor(adopting: dup(2))
        #expect(forgotten.number > 2)
        let script =
            "ulimit -n 20000; ls /proc/self/fd | wc -l; grep -E '^Sig(Blk|Ign)' /proc/self/status; pwd; echo $A"
        let shell = try Subprocess("/bin/sh", ["-c", script]) {
            $0.environment = ["A": "b", "PATH": "/usr/bin:/bin"]
            $0.directory = folder.path
            $0.output = .file(folder.path + "/out")
        }
        #expect(try shell.wait(until: nil) == 0)
        let lines = try String(contentsOfFile: folder.path + "/out", encoding: .utf8).split(separator: "\n")
        // The fourth is ls's own, for the folder that it lists.
        #expect(lines.first == "4")
        #expect(lines.dropFirst().first == "SigBlk:\t0000000000000000")
        #expect(lines.suffix(2) == ["\(folder.path)", "b"])
    }

    @Test func itLeadsItsGroupAndIfAskedASession() throws {
        for leadsSession in [false, true] {
            let shell = try Subprocess("/bin/sh", ["-c", "cut -d' ' -f 5,6 /proc/$$/stat"]) {
                $0.output = .pipe
                $0.leadsSession = leadsSession
            }
            let numbers = String(decoding: try shell.readAll(), as: UTF8.self).split(whereSeparator: \.isWhitespace)
            #expect(numbers.first == "\(shell.pid)")
            #expect((numbers.last == "\(shell.pid)") == leadsSession)
            #expect(try shell.wait(until: nil) == 0)
        }
    }
}
