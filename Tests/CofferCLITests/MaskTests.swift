import BrokerProtocol
import Foundation
import Glibc
import Platform
import TestSupport
import Testing

@testable import coffer_cli

/// `coffer run --mask` keeps secrets out of the program's output, however the program writes them.
@Suite struct MaskTests {
    private func mask(_ strings: String..., reading parts: [String]) -> (shown: [String], end: String) {
        var mask = OutputMask(SecretMatcher(strings.map { Array($0.utf8) }))
        let shown = parts.map { String(decoding: mask.read(Array($0.utf8)), as: UTF8.self) }
        return (shown, String(decoding: mask.finish(), as: UTF8.self))
    }

    /// Attacker: a program whose writes divide a secret.
    @Test func aSecretIsMaskedWhereverItIsDivided() {
        let secret = "hunter2"
        for cut in 0...secret.count {
            let (shown, end) = mask(
                secret, reading: ["pw=" + secret.prefix(cut), secret.dropFirst(cut) + ";"])
            #expect(shown.joined() + end == "pw=[masked];")
        }
        let single = mask(secret, reading: "a hunter2hunter2 b".map(String.init))
        #expect(single.shown.joined() + single.end == "a [masked] b")
    }

    /// People see a question at once, unless it ends like a secret's beginning.
    @Test func whatBeginsNoSecretIsShownAtOnce() {
        let (shown, end) = mask("hunter2", "unter3", reading: ["Name? ", "hunt", "ed hun", "ter", "4 hu"])
        #expect(shown == ["Name? ", "", "hunted ", "", "hunter4 "])
        #expect(end == "hu")
    }

    @Test func secretsThatOverlapLeaveNothing() {
        let (shown, end) = mask("abcd", "cdef", "bc", reading: ["xabcdefx", "abc"])
        #expect(shown.joined() + end == "x[masked]xa[masked]")
    }

    private func fixture(_ value: String) throws -> FakeCoffer {
        try FakeCoffer(broker: [
            "Get": [
                .answer(
                    Keychain.Get.Reply(value: Data(value.utf8).base64EncodedString(), item: FakeCoffer.item("s", "a")))
            ]
        ])
    }

    @Test func bothOutputsAndEachLineAreMasked() throws {
        let fixture = try fixture("first-line-of-it\nsecond-line-of-it\n}\n")
        let result = try fixture.program.run(
            "run", "--mask", "--file", "K=coffer://s/a", "--", "/bin/sh", "-c",
            "sed 's/^/> /' \"$K\"; cat \"$K\" >&2; printf '\\377\\000'; exit 9")
        #expect(result.status == 9)
        #expect(result.output == Array("> [masked]\n> [masked]\n> }\n".utf8) + [0xFF, 0])
        #expect(result.errors == "[masked]\n")
    }

    /// A line of eight bytes is masked by itself, and a shorter one is too common for that.
    @Test(arguments: [(7, false), (8, true), (9, true), (15, true), (16, true)])
    func aLineOfASecretIsMaskedFromEightBytesOn(count: Int, isMasked: Bool) throws {
        let line = String("abcdefghijklmnop".prefix(count))
        let fixture = try fixture("\(line)\nthe-other-line-of-it\n")
        let result = try fixture.program.run(
            "run", "--mask", "--file", "K=coffer://s/a", "--", "/bin/sh", "-c", "head -n 1 \"$K\"")
        #expect(result.text == (isMasked ? "[masked]\n" : "\(line)\n"))
    }

    /// Programs leave out blank lines, as `$(cat FILE)` does. What is left is the secret.
    @Test(arguments: ["hunter2pass\n\n", "\nhunter2pass", "hunter2pass\r", "\r\npass\n\n"])
    func aSecretAmongBlankLinesIsMasked(value: String) throws {
        let fixture = try fixture(value)
        let result = try fixture.program.run(
            "run", "--mask", "--file", "K=coffer://s/a", "--", "/bin/sh", "-c",
            "printf '<%s>' \"$(tr -d '\\r\\n' <\"$K\")\"")
        #expect(result.text == "<[masked]>", "\(result)")
    }

    /// The process in between is not noticed: status, signals, descriptors, umask and file.
    @Test func theProgramEndsAsItEnds() throws {
        let fixture = try fixture("hunter2")
        let killed = try fixture.program.run(
            "run", "--mask", "--env", "X=coffer://s/a", "--", "/bin/sh", "-c", "kill -KILL $$")
        #expect(killed.status == 128 + SIGKILL)
        // The shell starts nothing to look: dash blocks all signals for the moment in which it starts a program.
        let look =
            "umask; while read -r line; do case $line in SigIgn*|SigBlk*) echo \"$line\";; esac; done </proc/$$/status; "
            + "cd /proc/$$/fd; echo *"
        var plain = fixture.program
        plain.executable = "/bin/sh"
        let without = try plain.run("-c", look)
        let with = try fixture.program.run("run", "--mask", "--env", "X=coffer://s/a", "--", "/bin/sh", "-c", look)
        #expect(with.text == without.text)
    }

    /// A supervisor signals the process that it started.
    @Test(arguments: [SIGTERM, SIGHUP, SIGINT, SIGUSR1, SIGUSR2])
    func signalsReachTheProgram(number: Int32) throws {
        let fixture = try fixture("hunter2")
        // The program signals its parent, and then gets it from there.
        let result = try fixture.program.run(
            "run", "--mask", "--env", "X=coffer://s/a", "--", "/usr/bin/python3", "-c",
            """
            import os, signal, sys
            signal.signal(\(number), lambda *_: sys.exit(7))
            os.kill(os.getppid(), \(number))
            signal.pause()
            """)
        #expect(result.status == 7, "\(result.errors)")
    }

    /// Programs without one of the standard streams are usual below supervisors. No other file gets the stream's number.
    @Test(arguments: [
        ("echo out; exit 3", ">&-"), ("echo err >&2; exit 3", "2>&-"), ("exit 3", "<&-"),
        ("echo out; exit 3", "<&- >&- 2>&-"),
    ])
    func aStreamThatIsClosedHoldsNothingUp(program: String, closing: String) throws {
        var fixture = try fixture("hunter2")
        fixture.program.executable = "/bin/sh"
        let result = try fixture.program.run(
            "-c", "\(Program.path) run --mask --env X=coffer://s/a -- sh -c '\(program)' \(closing)")
        #expect(result.status == 3, "\(result)")
        let value = try fixture.program.run("-c", "\(Program.path) get s a \(closing); echo $?")
        let canWrite = !closing.contains(" ") && closing != ">&-"
        #expect(value.text.hasSuffix(canWrite ? "hunter20\n" : "1\n"), "\(value)")
        #expect(!value.errors.contains("hunter2"))
    }

    /// What the program started holds its output open, and ignores the key. The person still gets their terminal back.
    @Test func aKeyEndsTheWaitForOthers() throws {
        let fixture = try fixture("hunter2")
        // The shell is gone for `kill -0` when coffer has taken note of its end.
        let result = try fixture.program.run(
            "run", "--mask", "--env", "X=coffer://s/a", "--", "/bin/sh", "-c",
            "(trap '' INT; while kill -0 $$ 2>/dev/null; do sleep 0.01; done; "
                + "exec sh -c 'echo $$ >\(fixture.scratch.file("left")); echo alone; exec sleep 6000') &",
            input: .terminal, output: .terminal, turns: [.init(wait: "alone", type: "\u{3}")])
        let left = String(decoding: try fixture.scratch.contents("left"), as: UTF8.self)
        kill(try #require(Int32(left.filter(\.isNumber))), SIGKILL)
        #expect(result.status == 128 + SIGINT, "\(result)")
    }

    /// A reader that has enough ends the program, as without --mask.
    @Test func aReaderThatStopsEndsTheProgram() throws {
        var fixture = try fixture("hunter2")
        fixture.program.executable = "/bin/sh"
        let result = try fixture.program.run(
            "-c", "\(Program.path) run --mask --env X=coffer://s/a -- yes hunter2 | head -n 2")
        #expect(result.text == "[masked]\n[masked]\n")
    }

    /// A log that is cut short must not pass for a whole one.
    @Test(arguments: [(">/dev/full", 0, 1), (">/dev/full", 5, 5), ("2>/dev/full", 0, 1)])
    func outputThatCannotBeWrittenIsAFailure(target: String, ends: Int32, status: Int32) throws {
        var fixture = try fixture("hunter2")
        fixture.program.executable = "/bin/sh"
        let result = try fixture.program.run(
            "-c",
            "\(Program.path) run --mask --env X=coffer://s/a -- sh -c 'echo out; echo err >&2; exit \(ends)' \(target)")
        #expect(result.status == status)
        #expect(target.hasPrefix("2") || result.errors.contains("could not all be written"), "\(result.errors)")
    }

    /// Masks would show where a short secret stands, so nothing is started.
    @Test(arguments: ["abc", "\nabc\n\n"]) func aSecretThatIsTooShortIsRefused(value: String) throws {
        let fixture = try fixture(value)
        let result = try fixture.program.run("run", "--mask", "--env", "X=coffer://s/a", "--", "/bin/echo", "started")
        #expect(result.status == 1)
        #expect(result.output.isEmpty)
        #expect(result.errors.contains("too short to be masked"))
    }
}
