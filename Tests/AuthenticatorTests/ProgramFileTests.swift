import Foundation
import Glibc
import TestSupport
import Testing

@testable import Authenticator
@testable import Platform

/// Attacker 4 mounts a program of its own over another one, in a mount namespace that every user can make. Prompts and
/// logs name a path only if the file is really there.
@Suite struct ProgramFileTests {
    private static let elsewhere = ", in a file system of its own (process "
    /// A user needs a user namespace first.
    private static let namespace = geteuid() == 0 ? ["--mount"] : ["--user", "--map-root-user", "--mount"]
    private static var canMount: Bool {
        // `try?`: without the tool the answer is no.
        (try? Command(["/usr/bin/unshare"] + Self.namespace + ["mount", "--bind", "/etc", "/mnt"]))?.code == 0
    }

    /// An authenticator, and a folder with an honest program and another one.
    private struct Scene {
        let fixture: Fixture
        let folder: TemporaryFolder
        var honest: String { folder.path + "/git" }
        var other: String { folder.path + "/python3" }

        init() throws {
            fixture = try Fixture()
            folder = try TemporaryFolder()
            try Tool.output("cp", ["-L", "/usr/bin/true", honest])
            try Tool.output("cp", ["-L", "/usr/bin/python3", other])
        }

        /// The words with which a Python begins a conversation, and prints the notice.
        var arguments: [String] { ["-S", "-c", ProgramFileTests.client, "\(fixture.path)/auth.sock"] }

        /// Runs a program, and returns the notice on one line for each statement.
        func notice(_ path: String, _ words: [String]) throws -> String {
            let program = try Subprocess(path, words) {
                $0.environment = ["PATH": "/usr/bin:/bin", "PYTHONHOME": "/usr"]
                $0.output = .pipe
            }
            let text = try program.readText()
            #expect(try program.finish() == 0)
            return text.unbroken
        }

        /// What the broker was told of the last program.
        var told: String? { fixture.broker.describes.last?.program }
    }

    /// Begins a conversation and prints the notice. With `gone` it removes its own file before.
    private static let client = #"""
        import json, os, socket, sys
        if sys.argv[2:] == ["gone"]: os.unlink(os.readlink("/proc/self/exe"))
        s = socket.socket(socket.AF_UNIX); s.settimeout(600); s.connect(sys.argv[1])
        call = {"method": "org.coffer.Authentication.Begin", "parameters": {"challenge": "c"}}
        s.sendall(json.dumps(call).encode() + b"\0")
        answer = b""
        while not answer.endswith(b"\0"): answer += s.recv(65536)
        sys.stdout.buffer.write(json.loads(answer[:-1])["parameters"]["message"]["text"].encode())
        """#

    @Test(.enabled(if: canMount, "it mounts a program over another one"))
    func aProgramThatIsMountedOverAnotherIsNotTakenForIt() throws {
        let scene = try Scene()
        let script = #"mount --bind "$1" "$2" && shift && exec "$@""#
        let text = try scene.notice(
            "/usr/bin/unshare",
            Self.namespace + ["sh", "-c", script, "sh", scene.other, scene.honest] + scene.arguments)
        #expect(text.contains("\nfor a program that calls itself \(scene.honest)\(Self.elsewhere)"), "\(text)")
        #expect(scene.told == nil && !scene.fixture.broker.describes.isEmpty)
        let log = "program=\(scene.honest.prefix(PromptLimits.program))?"
        #expect(eventually { scene.fixture.log.contains(log) }, "\(scene.fixture.log)")
    }

    /// The process itself is in no namespace of its own, but the file that it runs is.
    @Test(.enabled(if: canMount, "it mounts a program over another one"))
    func nobodyTakesItForTheOtherFromOutsideEither() throws {
        let scene = try Scene()
        let script = #"mount --bind "$1" "$2" && echo ready && exec sleep 6000"#
        let holder = try Subprocess(
            "/usr/bin/unshare", Self.namespace + ["sh", "-c", script, "sh", scene.other, scene.honest]
        ) { $0.output = .pipe }
        // `try?`: what has ended already is ended.
        defer { try? holder.end() }
        try #require(String(decoding: try holder.read(limit: 6), as: UTF8.self) == "ready\n")
        let text = try scene.notice("/proc/\(holder.pid)/root\(scene.honest)", scene.arguments)
        #expect(text.contains("\nfor a program that calls itself \(scene.honest)\(Self.elsewhere)"), "\(text)")
        #expect(scene.told == nil)
    }

    /// A service with a `/tmp` of its own, or a shell in such a namespace, is named as before.
    @Test(.enabled(if: canMount, "it makes a mount namespace"))
    func aProgramInANamespaceOfItsOwnIsNamedIfItsFileIsThere() throws {
        let scene = try Scene()
        let text = try scene.notice("/usr/bin/unshare", Self.namespace + [scene.other] + scene.arguments)
        #expect(text.contains("\nfor \(scene.other) (process "), "\(text)")
        #expect(scene.told == scene.other)
    }

    /// An update has replaced a program that still runs.
    @Test func aProgramWhoseFileIsGoneIsNamed() throws {
        let scene = try Scene()
        let text = try scene.notice(scene.other, scene.arguments + ["gone"])
        #expect(text.contains("\nfor \"\(scene.other) (deleted)\" (process "), "\(text)")
        #expect(scene.told == scene.other + " (deleted)")
    }

    /// It runs from memory, under a name of its choice.
    @Test func aProgramWithoutAFileIsNotNamed() throws {
        let scene = try Scene()
        let script = #"""
            import os, sys
            file = os.memfd_create("git", 0)
            with open(sys.argv[1], "rb") as source: os.write(file, source.read())
            os.execve(file, sys.argv[1:], os.environ)
            """#
        let text = try scene.notice(scene.other, ["-S", "-c", script, scene.other] + scene.arguments)
        #expect(
            text.contains("\nfor a program that calls itself \"/memfd:git (deleted)\"\(Self.elsewhere)"), "\(text)")
        #expect(scene.told == nil)
    }

    @Test func theMountOfAFileIsFoundInTheListByItsWholeNumber() {
        func mount(_ text: String) -> String? {
            ProgramFile.mount(in: Array(text.utf8)).map { String(decoding: $0, as: UTF8.self) }
        }
        #expect(mount("pos:\t0\nflags:\t012000000\nmnt_id:\t24\nino:\t3\n") == "24")
        #expect(mount("pos:\t0\nflags:\t012000000\n") == nil)
        #expect(mount("mnt_id:\t\n") == nil)
        #expect(mount("") == nil)
        let mounts = Array("24 1 0:22 / / rw - ext4 /dev/x rw\n245 24 0:5 / /mnt/25\\01226 rw - tmpfs none rw\n".utf8)
        for number in ["24", "245"] { #expect(ProgramFile.lists(mounts, Array(number.utf8)), "\(number)") }
        for number in ["2", "4", "1", "25", "26", "0"] {
            #expect(!ProgramFile.lists(mounts, Array(number.utf8)), "\(number)")
        }
    }

    @Test func whatAProcessCanHaveChosenHasAQuestionMarkInTheLog() {
        #expect(RunningProgram.file("/usr/bin/git").logged == "/usr/bin/git")
        #expect(RunningProgram.elsewhere("/usr/bin/git").logged == "/usr/bin/git?")
        #expect(RunningProgram.unnamed("git").logged == "git?")
        #expect(RunningProgram.unnamed("git").shown == "a program that calls itself \"git\"")
        #expect(RunningProgram.unnamed("git").resolved == nil)
    }

    /// No path imitates what stands behind it.
    @Test func aPathThatCouldBeMisreadIsQuoted() {
        let path = "/a, in a file system of its own (process 1, no terminal)"
        #expect(
            RunningProgram.elsewhere(path).shown
                == "a program that calls itself \"\(path)\", in a file system of its own")
        let long = "/" + String(repeating: "d", count: 3000) + "/git"
        let shown = RunningProgram.elsewhere(long).shown
        #expect(shown.contains("…") && shown.count < 220, "\(shown)")
    }
}
