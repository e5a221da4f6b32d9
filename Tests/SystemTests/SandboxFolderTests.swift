import Foundation
import Glibc
import TestSupport
import Testing

/// The folder of `scripts/sandbox`. What is in it runs as its caller: the programs that it names, and `env`, which the
/// caller's shell reads. Attacker: another user of the machine, who makes the folder first.
@Suite struct SandboxFolderTests {
    private let folder: TemporaryFolder
    private var box: String { folder.path + "/box" }
    private var mark: String { folder.path + "/started" }

    /// Stand-ins for the programs leave a mark, and end.
    init() throws {
        folder = try TemporaryFolder()
        for path in ["bin", "box"] {
            try FileManager.default.createDirectory(
                atPath: "\(folder.path)/\(path)", withIntermediateDirectories: false)
        }
        for name in ["cofferd", "coffer-authenticator", "coffer"] {
            try Script.write(
                """
                #!/bin/sh
                echo started >"\(mark)"
                """, to: "\(folder.path)/bin/\(name)")
        }
    }

    private func start() throws -> Outcome {
        try Sandbox.script(["start", box, "--software", "--programs", folder.path + "/bin"])
    }

    private var isStarted: Bool { FileManager.default.fileExists(atPath: mark) }

    private func setMode(_ mode: mode_t) throws {
        let result = unsafe chmod(box, mode)
        try #require(result == 0)
    }

    @Test(arguments: [0o777, 0o775, 0o757, 0o1777] as [mode_t])
    func aFolderThatOthersCanWriteIsRefused(_ mode: mode_t) throws {
        try setMode(mode)
        let outcome = try start()
        #expect(outcome.code == 1 && outcome.errors.contains("others can write in"), "\(outcome)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: box).isEmpty && !isStarted)
        try setMode(0o755)
        #expect(try start().errors.contains("cofferd ended at once") && isStarted)
    }

    @Test(arguments: ["stop", "stop-broker", "start-broker"])
    func aSandboxThatOthersCanWriteIsLeftAlone(_ verb: String) throws {
        // What somebody else has made.
        try FileManager.default.createDirectory(atPath: box + "/log", withIntermediateDirectories: false)
        try Data().write(to: URL(filePath: box + "/cofferd.conf"))
        try Data("\(folder.path)/bin\n\n".utf8).write(to: URL(filePath: box + "/.sandbox"))
        try setMode(0o777)
        let outcome = try Sandbox.script([verb, box])
        #expect(outcome.code == 1 && outcome.errors.contains("others can write in"), "\(outcome)")
        #expect(!isStarted && !FileManager.default.fileExists(atPath: box + "/.lock"))
    }

    @Test(.enabled(if: geteuid() == 0, "only root can give files away"))
    func aFolderOfSomebodyElseIsRefused() throws {
        try setMode(0o755)
        let result = unsafe chown(box, 65_534, 65_534)
        try #require(result == 0)
        let outcome = try start()
        #expect(outcome.code == 1 && outcome.errors.contains("is not your own folder"), "\(outcome)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: box).isEmpty && !isStarted)
    }
}
