import CLinux
import Foundation
import Platform
import Synchronization
import TPM

/// A private swtpm in a folder of its own, ended with this value. It serves one connection at a time.
public final class SWTPM: Sendable {
    public let folder: TemporaryFolder
    public let socket: String
    /// nil after it has ended, because another process may have its pid then.
    private let pid: Mutex<Int32?>

    public var configuration: TCTIConfiguration { .swtpm(path: socket) }
    /// The configuration in the form of tpm2-tools.
    public var tools: String { "swtpm:path=\(socket)" }

    /// Starts a fresh swtpm. It is ready when this returns, because swtpm detaches itself only then.
    public init() throws {
        folder = try TemporaryFolder()
        socket = folder.path + "/tpm.sock"
        pid = Mutex(try Self.start(folder.path, socket))
    }

    /// - Returns: its pid.
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

    /// Ends it and waits until it is gone.
    public func stop() throws {
        guard let number = pid.withLock({ $0 }) else { return }
        let process = Descriptor(adopting: coffer_pidfd_open(number))
        signal(SIGKILL)
        // A pidfd becomes readable when its process has ended.
        guard try process.waitToRead(until: .now + patience) else {
            throw Tool.Failure(description: "swtpm did not end")
        }
        pid.withLock { $0 = nil }
    }

    /// Starts it again with the state in its folder.
    public func restart() throws {
        try stop()
        // A killed swtpm leaves these files behind.
        for path in [socket, socket + ".ctrl", folder.path + "/pid"]
        where FileManager.default.fileExists(atPath: path) {
            try FileManager.default.removeItem(atPath: path)
        }
        let number = try Self.start(folder.path, socket)
        pid.withLock { $0 = number }
    }

    /// Makes it answer every command with a failure from now on, like a TPM whose self-test failed.
    public func fail() throws { try Tool.output("swtpm_ioctl", ["--unix", socket + ".ctrl", "--stop"]) }

    /// A copy of its permanent state, for ``restore(_:)``. Call this only while it is stopped.
    public func saveState() throws -> [String: Data] {
        var state: [String: Data] = [:]
        for name in try FileManager.default.contentsOfDirectory(atPath: folder.path) where name.hasPrefix("tpm2-") {
            state[name] = try Data(contentsOf: URL(fileURLWithPath: "\(folder.path)/\(name)"))
        }
        return state
    }

    /// Puts an earlier state back. Call this only while it is stopped.
    public func restore(_ state: [String: Data]) throws {
        for name in try saveState().keys { try FileManager.default.removeItem(atPath: "\(folder.path)/\(name)") }
        for (name, content) in state { try content.write(to: URL(fileURLWithPath: "\(folder.path)/\(name)")) }
    }

    /// Makes it accept connections without answering, like a TPM that hangs.
    public func hang() { signal(SIGSTOP) }

    public func resume() { signal(SIGCONT) }

    /// Runs `TPM2_Clear` as the platform. It gives a new storage seed, like a reset in the firmware settings.
    public func clear() throws { try Tool.output("tpm2_clear", ["-T", tools, "-c", "p"]) }

    /// The handles of the transient objects that are loaded now, as another program sees them.
    public func transientHandles() throws -> [String] { try handles("transient") }

    /// The handles of sessions, loaded or saved, as another program sees them.
    public func sessionHandles() throws -> [String] { try handles("loaded-session") + handles("saved-session") }

    public func persistentHandles() throws -> [String] { try handles("persistent") }

    /// Transient objects and sessions, which must not be left behind.
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
    /// Brings it into its dictionary-attack lockout by failures at an index made for this.
    public func lockOut(seconds: Int) throws {
        let tools = ["-T", tools]
        try Tool.output("tpm2_dictionarylockout", tools + ["-s", "-n", "1", "-t", "\(seconds)", "-l", "\(seconds)"])
        let handle = "0x1800001"
        try Tool.output(
            "tpm2_nvdefine", tools + ["-Q", "-C", "o", "-s", "8", "-a", "authread|authwrite", "-p", "x", handle])
        _ = try Tool.run("tpm2_nvwrite", tools + ["-C", handle, "-P", "wrong", "-i", "/etc/hostname", handle])
    }
}
