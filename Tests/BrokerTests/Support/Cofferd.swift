import CLinux
import CofferTestKit
import Foundation
import Platform

/// The real program in a process of its own, with the software sealer and everything it keeps in a folder.
final class Cofferd: Sendable {
    let folder: TemporaryFolder
    let process: ProcessIdentity
    private let running: Running

    // @unchecked Sendable: Foundation's Process is made once and only asked for its end.
    private final class Running: @unchecked Sendable {
        let process: Process
        init(_ process: Process) { self.process = process }
    }

    struct Failure: Error { let log: String }

    /// The program beside the test bundle.
    static var program: String {
        // Without a path the program is not found, and every test says so.
        let bundle = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
        return URL(fileURLWithPath: bundle).deletingLastPathComponent().path + "/cofferd"
    }

    /// Starts it; it is ready when this returns.
    /// - Parameters:
    ///   - limits: what the shell does before it becomes the program.
    ///   - settings: further lines of the configuration.
    ///   - sealer: the lines that choose one.
    init(
        folder: TemporaryFolder? = nil, limits: String = "true", environment: [String: String] = [:],
        settings: String = "sandbox = yes\n", sealer: String = "sealer = software"
    ) throws {
        let folder = try folder ?? TemporaryFolder()
        for name in ["vaults", "registry"] { try Folder.make("\(folder.path)/\(name)", mode: 0o755) }
        let user = try Account.withUID(ProcessSurroundings.effectiveUser)?.name ?? "root"
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
        try DurableFile.write([], to: log, mode: 0o600)
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        process.arguments = [
            "-c", "\(limits) && exec \"$0\" --config \"$1\"", Self.program, folder.path + "/cofferd.conf",
        ]
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        process.standardError = try FileHandle(forWritingTo: URL(fileURLWithPath: log))
        try process.run()
        self.folder = folder
        self.running = Running(process)
        self.process = try ProcessIdentity(observing: process.processIdentifier)
        let deadline = ContinuousClock.now + .seconds(20)
        while !(try self.log.contains(" ready")) {
            guard process.isRunning, ContinuousClock.now < deadline else {
                process.terminate()
                throw Failure(log: try self.log)
            }
            usleep(5000)
        }
    }

    var socket: String { folder.path + "/coffer.sock" }

    var log: String { get throws { try String(contentsOfFile: folder.path + "/log", encoding: .utf8) } }

    /// Sends a signal and waits for the end.
    /// - Returns: the exit status, or the signal that ended it.
    @discardableResult
    func end(_ signal: Int32 = SIGTERM) throws -> Int32 {
        let held = Descriptor(adopting: coffer_pidfd_open(process.pid))
        kill(process.pid, signal)
        guard try held.waitToRead(until: .now + .seconds(20)) else {
            kill(process.pid, SIGKILL)
            throw Failure(log: try log)
        }
        running.process.waitUntilExit()
        return running.process.terminationStatus
    }

    deinit {
        if running.process.isRunning { kill(process.pid, SIGKILL) }
    }
}
