import Foundation
import Platform
import TestSupport

/// The real program in a process of its own, with the software sealer and everything it keeps in a folder.
final class Cofferd: Sendable {
    let folder: TemporaryFolder
    let process: ProcessIdentity
    private let running: Subprocess

    struct Failure: Error { let log: String }

    /// The program beside the test bundle.
    static var program: String {
        // Without a path nothing finds the program, and every test says so.
        let bundle = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
        return URL(fileURLWithPath: bundle).deletingLastPathComponent().path + "/cofferd"
    }

    /// Starts it, and returns when it is ready.
    /// - Parameters:
    /// - limits: what the shell runs before it becomes the program.
    ///   - settings: further lines of the configuration.
    /// - sealer: the lines that choose a sealer.
    init(
        folder: TemporaryFolder? = nil, limits: String = "true", environment: [String: String] = [:],
        settings: String = "sandbox = yes\n", sealer: String = "sealer = software"
    ) throws {
        let folder = try folder ?? TemporaryFolder()
        for name in ["vaults", "registry"] { try Folder.make("\(folder.path)/\(name)", mode: 0o755) }
        let user = try Account.withUID(OwnProcess.effectiveUser)?.name ?? "root"
        let configuration = """
            socket = \(folder.path)/coffer.sock
            authenticator-socket = \(folder.path)/private.sock
            vault-directory = \(folder.path)/vaults
            registry-directory = \(folder.path)/registry
            broker-user = \(user)
            authenticator-user = \(user)
            \(sealer)
            system-bus = no
            connections-per-user = 1024
            """
        try DurableFile.write(
            Array((configuration + "\n" + settings).utf8), to: folder.path + "/cofferd.conf", mode: 0o600)
        let log = folder.path + "/log"
        let arguments = [
            "-c", "\(limits) && exec \"$0\" --config \"$1\"", Self.program, folder.path + "/cofferd.conf",
        ]
        running = try Subprocess("/bin/sh", arguments) {
            $0.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
            $0.errors = .file(log)
        }
        self.folder = folder
        self.process = try ProcessIdentity(observing: running.pid)
        let deadline = ContinuousClock.now + patience
        while !(try self.log.contains(" ready")) {
            guard running.isRunning, ContinuousClock.now < deadline else {
                try running.end()
                throw Failure(log: try self.log)
            }
            usleep(5000)
        }
    }

    var socket: String { folder.path + "/coffer.sock" }

    /// A line that is just being written may end in half a character.
    var log: String {
        get throws { String(decoding: try Data(contentsOf: URL(fileURLWithPath: folder.path + "/log")), as: UTF8.self) }
    }

    /// Sends a signal and waits for the end.
    /// - Returns: the exit status, or 128 and the number of the signal that ended it.
    @discardableResult
    func end(_ signal: Int32 = SIGTERM) throws -> Int32 {
        running.signal(signal)
        if let status = try running.wait(until: .now + patience) { return status }
        try running.end()
        throw Failure(log: try log)
    }

    // If SIGKILL does not end a process, a test cannot end it either.
    deinit { try? running.end() }
}
