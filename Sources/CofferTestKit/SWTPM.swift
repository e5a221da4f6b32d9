import CLinux
import Foundation
import Platform
import Synchronization
import TPM

/// A TPM of one's own: swtpm in a folder of its own, ended with this value. It serves one connection at a time.
public final class SWTPM: Sendable {
    public let folder: TemporaryFolder
    public let socket: String
    /// nil once it has ended: its number may be another process's.
    private let pid: Mutex<Int32?>

    public var configuration: TCTIConfiguration { .swtpm(path: socket) }
    /// As tpm2-tools write it.
    public var tools: String { "swtpm:path=\(socket)" }

    /// Starts a fresh one. It is ready when this returns: swtpm detaches itself only then.
    public init() throws {
        folder = try TemporaryFolder()
        socket = folder.path + "/tpm.sock"
        pid = Mutex(try Self.start(folder.path, socket))
    }

    /// - Returns: its number.
    private static func start(_ folder: String, _ socket: String) throws -> Int32 {
        let pidFile = folder + "/pid"
        try Tool.output(
            "swtpm",
            [
                "socket", "--tpm2", "--tpmstate", "dir=\(folder)", "--server", "type=unixio,path=\(socket)",
                "--ctrl", "type=unixio,path=\(socket).ctrl", "--flags", "not-need-init,startup-clear",
                "--daemon", "--pid", "file=\(pidFile)",
            ])
        let text = try String(contentsOfFile: pidFile, encoding: .utf8).trimmingCharacters(in: .whitespacesAndNewlines)
        guard let number = Int32(text), number > 1 else { throw Tool.Failure(description: "swtpm wrote no process id") }
        return number
    }

    deinit { signal(SIGKILL) }

    /// Ends it and returns when it is gone.
    public func stop() throws {
        guard let number = pid.withLock({ $0 }) else { return }
        let process = Descriptor(adopting: coffer_pidfd_open(number))
        signal(SIGKILL)
        // A process's descriptor becomes readable when the process has ended.
        guard try process.waitToRead(until: .now + patience) else {
            throw Tool.Failure(description: "swtpm did not end")
        }
        pid.withLock { $0 = nil }
    }

    /// Starts it again where it ended, with the state that is in its folder.
    public func restart() throws {
        try stop()
        // What a killed one leaves behind.
        for path in [socket, socket + ".ctrl", folder.path + "/pid"]
        where FileManager.default.fileExists(atPath: path) {
            try FileManager.default.removeItem(atPath: path)
        }
        let number = try Self.start(folder.path, socket)
        pid.withLock { $0 = number }
    }

    /// It answers every command with a failure from now on, as a TPM whose self-test failed.
    public func fail() throws { try Tool.output("swtpm_ioctl", ["--unix", socket + ".ctrl", "--stop"]) }

    /// A copy of its permanent state, to be put back with ``restore(_:)``. Only while it is stopped.
    public func saveState() throws -> [String: Data] {
        var state: [String: Data] = [:]
        for name in try FileManager.default.contentsOfDirectory(atPath: folder.path) where name.hasPrefix("tpm2-") {
            state[name] = try Data(contentsOf: URL(fileURLWithPath: "\(folder.path)/\(name)"))
        }
        return state
    }

    /// Puts an earlier state back. Only while it is stopped.
    public func restore(_ state: [String: Data]) throws {
        for name in try saveState().keys { try FileManager.default.removeItem(atPath: "\(folder.path)/\(name)") }
        for (name, content) in state { try content.write(to: URL(fileURLWithPath: "\(folder.path)/\(name)")) }
    }

    /// It takes connections and answers nothing, as a TPM that hangs.
    public func hang() { signal(SIGSTOP) }

    public func resume() { signal(SIGCONT) }

    /// `TPM2_Clear` by the platform: a new storage seed, as after a reset in the firmware settings.
    public func clear() throws { try Tool.output("tpm2_clear", ["-T", tools, "-c", "p"]) }

    /// Handles of transient objects now loaded, asked by another program.
    public func transientHandles() throws -> [String] { try handles("transient") }

    /// Handles of sessions, loaded or saved, asked by another program.
    public func sessionHandles() throws -> [String] { try handles("loaded-session") + handles("saved-session") }

    public func persistentHandles() throws -> [String] { try handles("persistent") }

    /// Transient objects and sessions: what must not be left behind.
    public func leftovers() throws -> [String] { try transientHandles() + sessionHandles() }

    private func signal(_ number: Int32) {
        if let process = pid.withLock({ $0 }) { kill(process, number) }
    }

    private func handles(_ kind: String) throws -> [String] {
        try Tool.output("tpm2_getcap", ["-T", tools, "handles-\(kind)"])
            .split(separator: "\n").map { $0.trimmingCharacters(in: CharacterSet(charactersIn: "- ")) }
    }
}

extension SWTPM {
    /// Brings it into its dictionary-attack lockout, by failures at an index of its own.
    public func lockOut(seconds: Int) throws {
        let tools = ["-T", tools]
        try Tool.output("tpm2_dictionarylockout", tools + ["-s", "-n", "1", "-t", "\(seconds)", "-l", "\(seconds)"])
        let handle = "0x1800001"
        try Tool.output(
            "tpm2_nvdefine", tools + ["-Q", "-C", "o", "-s", "8", "-a", "authread|authwrite", "-p", "x", handle])
        _ = try Tool.run("tpm2_nvwrite", tools + ["-C", handle, "-P", "wrong", "-i", "/etc/hostname", handle])
    }
}
