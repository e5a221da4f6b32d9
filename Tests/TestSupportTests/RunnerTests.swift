import Foundation
import Glibc
import Platform
import TestSupport
import Testing

/// What `scripts/test` does with a target that hangs, leaves something behind or has no tests. A script plays the built tests.
@Suite struct RunnerTests {
    /// The script's tests are in three targets, as those of a build.
    private static let tests = """
        #!/usr/bin/python3
        import json, os, subprocess, sys, time
        names = ["ATests.OneTests/stands()/A.swift:1:1", "BTests.OneTests/passes()/B.swift:1:1", "CTests.OneTests/leaves()/C.swift:1:1"]
        if "--list-tests" in sys.argv: print("\\n".join(names)); sys.exit(0)
        def value(option): return sys.argv[sys.argv.index(option) + 1]
        expression = value("--filter")
        name = next(name for name in names if "(?=" + name[0] + "Tests" in expression)
        events = open(value("--event-stream-output-path"), "w")
        def event(kind): print(json.dumps({"kind": "event", "payload": {"kind": kind, "testID": name}}), file=events, flush=True)
        event("testStarted")
        if name[0] == "A":
            sleeper = subprocess.Popen(["/usr/bin/sleep", "6001"], start_new_session=True)
            open(os.environ["PIDS"], "a").write(f"{os.getpid()} {sleeper.pid} ")
            while True: time.sleep(1)
        if name[0] == "C":
            shell = subprocess.run(["/bin/sh", "-c", "setsid sleep 6002 >/dev/null 2>&1 & echo $!"], capture_output=True, text=True)
            open(os.environ["PIDS"], "a").write(shell.stdout)
        event("testEnded")
        """

    private func run(_ expression: String, limit: Int = 600) throws -> (result: Tool.Result, pids: [Int32]) {
        let folder = try TemporaryFolder()
        try Script.write(Self.tests, to: folder.path + "/tests")
        let result = try Tool.run(
            "env",
            [
                "COFFER_TEST_PROGRAM=\(folder.path)/tests", "PIDS=\(folder.path)/pids", "LIMIT=\(limit)",
                SourceTree.path("scripts/test"), expression,
            ])
        // A run in which nothing hangs or is left has no such file.
        let pids = (try? String(contentsOfFile: folder.path + "/pids", encoding: .utf8)) ?? ""
        return (result, pids.split(whereSeparator: \.isWhitespace).compactMap { Int32($0) })
    }

    @Test func aTargetThatHangsIsEndedAndNamedAndTheNextOneRuns() throws {
        let (result, pids) = try run("[AB]Tests", limit: 2)
        let said = result.output + result.errors
        #expect(result.status == 1, "\(said)")
        try #require(pids.count == 2)
        #expect(said.contains("ATests did not end within 2 seconds"), "\(said)")
        #expect(said.contains("begun and not ended: ATests.OneTests/stands()"), "\(said)")
        // What it stands in, and what it waits for.
        #expect(said.contains("process \(pids[0]) [") && said.contains("sleep 6001"), "\(said)")
        #expect(said.contains("Failed: ATests\n"), "\(said)")
        #expect(said.contains("BTests took"), "\(said)")
        for pid in pids { #expect(kill(pid, 0) == -1 && errno == ESRCH) }
    }

    @Test func aTargetThatLeavesAProcessIsNamed() throws {
        let (result, pids) = try run("CTests")
        let said = result.output + result.errors
        try #require(pids.count == 1)
        #expect(result.status == 1 && said.contains("CTests left process \(pids[0]): sleep 6002"), "\(said)")
        #expect(kill(pids[0], 0) == -1 && errno == ESRCH)
    }

    @Test func whatPassesPasses() throws {
        let (result, _) = try run("BTests")
        #expect(result.status == 0, "\(result.output)\(result.errors)")
    }

    @Test func anExpressionThatNoTestMatchesIsAFailure() throws {
        let (result, _) = try run("NoSuchTests")
        #expect(result.status == 1 && result.errors.contains("no test matches"), "\(result.errors)")
    }
}
