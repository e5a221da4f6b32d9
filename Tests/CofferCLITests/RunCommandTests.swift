import BrokerProtocol
import Foundation
import Glibc
import Platform
import TestSupport
import Testing
import Varlink

@testable import coffer_cli

/// `coffer run` becomes the program, or starts nothing.
@Suite struct RunCommandTests {
    private func fixture(_ values: [UInt8]...) throws -> FakeCoffer {
        let items = values.enumerated().map { index, bytes in
            Keychain.ItemValue(value: Data(bytes).base64EncodedString(), item: FakeCoffer.item("s\(index)", "a"))
        }
        if let only = items.first, items.count == 1 {
            return try FakeCoffer(broker: ["Get": [.answer(Keychain.Get.Reply(value: only.value, item: only.item))]])
        }
        return try FakeCoffer(broker: ["GetAll": [.answer(Keychain.GetAll.Reply(items: items))]])
    }

    /// One answer holds 2 MiB, and two values of 1 MiB are more.
    @Test func secretsThatDoNotFitIntoOneAnswerAreReadInSeveral() throws {
        let fixture = try FakeCoffer(broker: [
            "GetAll": [.fault(.limitExceeded, "these items do not fit into one answer")],
            "Get": [
                FakeCoffer.value(Array("one".utf8), FakeCoffer.item("s0", "a")),
                FakeCoffer.value(Array("two".utf8), FakeCoffer.item("s1", "a")),
            ],
        ])
        let result = try fixture.program.run(
            "run", "--env", "X=coffer://s0/a", "--env", "Y=coffer://s1/a", "--", "/bin/sh", "-c", "echo $X $Y")
        #expect(result.status == 0 && result.text == "one two\n", "\(result)")
        #expect(fixture.broker.calls("GetAll").count == 1 && fixture.broker.calls("Get").count == 2)
        let note = "so they are read in several requests, and each may ask you"
        #expect(result.errors == "coffer: these items do not fit into one answer, \(note)\n")
    }

    /// Programs such as ssh close what they inherit, and then an example with them works for nobody.
    @Test(
        .enabled(
            if: ["ssh-agent", "ssh-add", "ssh-keygen"].allSatisfy {
                FileManager.default.isExecutableFile(atPath: "/usr/bin/\($0)")
            }, "needs OpenSSH"))
    func theExampleOfTheHelpGivesAKeyToTheProgramThatItNames() throws {
        let example = try #require(
            RunCommand.configuration.discussion.split(separator: "\n").first { $0.contains("--file KEY=") })
        let scratch = try Scratch()
        let key = try Tool.run("ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-f", scratch.file("key")])
        #expect(key.status == 0, "\(key)")
        let fixture = try FakeCoffer(broker: ["Get": [FakeCoffer.value(try scratch.contents("key"))]])
        var agent = fixture.program
        agent.executable = "/usr/bin/ssh-agent"
        agent.environment["PATH"] = URL(filePath: Program.path).deletingLastPathComponent().path() + ":/usr/bin:/bin"
        let result = try agent.run(
            "/bin/sh", "-c", "\(example)\nssh-add -l; ssh-agent -k >\(fixture.scratch.file("end"))")
        #expect(result.text.contains("(ED25519)"), "\(result)")
    }

    /// The process that the caller started is the program: signals, job control and the status are its own.
    /// With a lease, the variables are read twice. A pipe is empty the second time, and the command would run without them.
    @Test func aLeaseTakesNoVariablesFromAPipe() throws {
        let fixture = try FakeCoffer(broker: [:])
        let result = try fixture.program.run(
            "run", "--lease", "5m", "--items", "a/b", "--env-file", "/dev/null", "--", "/bin/echo", "ran")
        #expect(result.status != 0 && result.text.isEmpty, "\(result)")
        #expect(result.errors.contains("is no regular file, and --lease reads it twice"), "\(result)")
        // Without a lease, it is read once.
        let once = try fixture.program.run("run", "--env-file", "/dev/null", "--", "/bin/echo", "ran")
        #expect(once.text == "ran\n", "\(once)")
    }

    @Test func itBecomesTheProgram() throws {
        let fixture = try fixture([0x61])
        let script = "echo $$ >\(fixture.scratch.file("pid")); cat /proc/$$/comm; kill -USR1 $$"
        let result = try fixture.program.run("run", "--env", "X=coffer://s0/a", "--", "/bin/sh", "-c", script)
        #expect(result.status == 128 + SIGUSR1)
        #expect(result.text == "sh\n")
    }

    /// Coffer's own precautions (umask, SIGPIPE) are not the program's, and none of its descriptors are.
    @Test func theProgramIsStartedAsIfByTheCaller() throws {
        let fixture = try fixture([0x61])
        // The shell looks by itself: it blocks signals for a moment while it starts something.
        let choice = "case $line in SigIgn*|SigBlk*) echo \"$line\";; esac"
        let signals = "while read -r line; do \(choice); done </proc/$$/status"
        let look = "umask; \(signals); ls /proc/$$/fd; echo \"$0\" \"$@\""
        var plain = fixture.program
        plain.executable = "/bin/sh"
        let without = try plain.run("-c", look, "name", "a b", "")
        let with = try fixture.program.run(
            "run", "--env", "X=coffer://s0/a", "--", "/bin/sh", "-c", look, "name", "a b", "")
        #expect(without.status == 0)
        #expect(with.text == without.text)
    }

    /// Arguments and variables need not be UTF-8.
    @Test func bytesArePassedOnUnchanged() throws {
        var fixture = try fixture([0xFF, 0xFE])
        fixture.program.executable = "/bin/sh"
        let result = try fixture.program.run(
            "-c",
            "OLD=$(printf '\\351'); export OLD; exec \(Program.path) run --env X=coffer://s0/a -- printf '%s|' \"$OLD\" \"$(printf '\\200')\" -- -x"
        )
        #expect(result.status == 0, "\(result.errors)")
        #expect(result.output == [0xE9, 0x7C, 0x80, 0x7C] + Array("--|-x|".utf8))
    }

    @Test func valuesInVariablesLoseOneNewlineAndFilesNothing() throws {
        let fixture = try fixture(Array("one\n\n".utf8), Array("two\n".utf8))
        let result = try fixture.program.run(
            "run", "--env", "X=coffer://s0/a", "--file", "Y=coffer://s1/a", "--", "/bin/sh", "-c",
            "printf '%s|' \"$X\"; cat \"$Y\" \"$Y\"")
        #expect(result.text == "one\n|two\ntwo\n", "\(result.errors)")
    }

    /// Attacker 4 could otherwise change what the program is about to read.
    @Test func aFileCannotBeChangedAndIsNobodyElsesToRead() throws {
        let fixture = try fixture(Array("key".utf8))
        let result = try fixture.program.run(
            "run", "--file", "KEY=coffer://s0/a", "--", "/usr/bin/python3", "-c",
            """
            import fcntl, os, stat
            fd = int(os.environ['KEY'].rsplit('/', 1)[1])
            print(oct(stat.S_IMODE(os.fstat(fd).st_mode)), fcntl.fcntl(fd, 1034) & 15, fd >= 100)
            for act in (lambda: os.pwrite(fd, b'x', 0), lambda: os.ftruncate(fd, 0), lambda: os.ftruncate(fd, 9)):
                try: act(); print('changed')
                except OSError: print('refused')
            print(open(os.environ['KEY']).read())
            """)
        #expect(result.text == "0o400 15 True\nrefused\nrefused\nrefused\nkey\n", "\(result.errors)")
    }

    /// One that cannot be read keeps the others from being handed out.
    @Test func nothingIsStartedUnlessAllIsRead() throws {
        let fixture = try FakeCoffer(broker: ["GetAll": [FakeCoffer.absent]])
        let result = try fixture.program.run(
            "run", "--env", "X=coffer://s0/a", "--env", "Y=coffer://s1/a", "--", "/usr/bin/touch",
            fixture.scratch.file("started"))
        #expect(result.status == 3)
        #expect(!FileManager.default.fileExists(atPath: fixture.scratch.file("started")))
    }

    /// Nobody is asked, and nothing is read, for a command that cannot run.
    @Test(arguments: [
        ("no-such-command", Int32(127)), ("/etc/passwd", 126), ("/tmp", 126), ("", 127), ("./no/such", 127),
    ])
    func theCommandIsLookedUpFirst(command: String, status: Int32) throws {
        let fixture = try fixture([0x61])
        let result = try fixture.program.run("run", "--env", "X=coffer://s0/a", "--", command)
        #expect(result.status == status)
        #expect(fixture.broker.calls("Get").isEmpty)
        #expect(result.output.isEmpty)
    }

    /// A secret's value that looks like a reference is a value.
    @Test func aValueIsNotResolvedAgain() throws {
        let fixture = try fixture(Array("coffer://other/secret".utf8))
        let result = try fixture.program.run("run", "--env", "X=coffer://s0/a", "--", "printenv", "X")
        #expect(result.text == "coffer://other/secret\n")
        #expect(fixture.broker.calls("Get").count == 1)
        #expect(!result.errors.contains("warning"))
    }

    /// Who can set a variable of the caller's gets no secret by it.
    @Test func aReferenceThatNobodyNamedStaysAsItIs() throws {
        var fixture = try fixture([0x61])
        fixture.program.environment["X"] = "coffer://s0/a"
        let result = try fixture.program.run("run", "--", "printenv", "X")
        #expect(result.text == "coffer://s0/a\n")
        #expect(fixture.broker.calls("Get").isEmpty)
        #expect(result.errors.contains("warning: the variable X holds a reference"))
        fixture.program.environment["COFFER_ASKPASS_PROMPT"] = "of an earlier question"
        let named = try fixture.program.run("run", "--env", "X", "--", "env")
        #expect(named.text.contains("\nX=a\n") || named.text.hasPrefix("X=a\n"))
        #expect(!named.text.contains("COFFER_ASKPASS_PROMPT"))
    }

    @Test func whatIsNoReferenceIsNotRepeated() throws {
        let fixture = try fixture([0x61])
        for option in ["--env", "--file"] {
            let result = try fixture.program.run("run", option, "PW=hunter2-of-mine", "--", "true")
            #expect(result.status == 64)
            #expect(!result.errors.contains("hunter2-of-mine"))
        }
    }

    @Test func aZeroByteIsNotCutOff() throws {
        let fixture = try fixture([0x61, 0, 0x62])
        let result = try fixture.program.run("run", "--env", "X=coffer://s0/a", "--", "/bin/echo", "started")
        #expect(result.status == 1)
        #expect(result.output.isEmpty)
        #expect(result.errors.contains("--file X=coffer://s0/a"))
    }

    @Test func anOverlongVariableIsRefused() throws {
        let fixture = try fixture([UInt8](repeating: 0x61, count: 131_071 - 2), [0x62])
        let fits = try fixture.program.run(
            "run", "--env", "X=coffer://s0/a", "--env", "Y=coffer://s1/a", "--", "/bin/sh", "-c", "echo ${#X}")
        #expect(fits.text == "131069\n", "\(fits.errors)")
        let long = try self.fixture([UInt8](repeating: 0x61, count: 131_071 - 1))
        let result = try long.program.run("run", "--env", "X=coffer://s0/a", "--", "/bin/echo", "started")
        #expect(result.status == 1)
        #expect(result.errors.contains("too long for an environment variable"))
        #expect(result.errors.contains("--file X=coffer://s0/a"))
        #expect(result.output.isEmpty)
    }

    /// More than one prompt can name are read in several requests, and all before anything is started.
    @Test func manySecretsAreReadInRequestsOf32() throws {
        func reply(_ range: Range<Int>) -> Keychain.GetAll.Reply {
            Keychain.GetAll.Reply(
                items: range.map { Keychain.ItemValue(value: "YQ==", item: FakeCoffer.item("s", "a\($0)")) })
        }
        let fixture = try FakeCoffer(broker: ["GetAll": [.answer(reply(0..<32)), .answer(reply(32..<40))]])
        let options = (0..<40).flatMap { ["--env", "X\($0)=coffer://s/a\($0)"] } + ["--env", "AGAIN=coffer://s/a3"]
        let result = try fixture.program.run(["run"] + options + ["--", "printenv", "X39", "AGAIN"])
        #expect(result.text == "a\na\n", "\(result.errors)")
        #expect(result.errors == "coffer: these secrets need 2 requests, and each may ask you\n")
        let calls = try fixture.broker.calls("GetAll").map { try $0.parameters(Keychain.GetAll.self)?.items.count }
        #expect(calls == [32, 8])
    }
}
