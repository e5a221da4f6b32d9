import BrokerProtocol
import Foundation
import Platform
import TestSupport
import Testing
import Varlink

/// A broker that cannot start, as the service manager starts it: with the clients' socket, on which somebody waits already.
@Suite(.timeLimit(.minutes(3))) struct StartRefusalTests {
    private static let start = #"""
        import os, socket, sys
        listener = socket.socket(socket.AF_UNIX); listener.bind(sys.argv[1]); listener.listen(8)
        os.dup2(listener.fileno(), 3); os.set_inheritable(3, True)
        os.environ.update(LISTEN_PID=str(os.getpid()), LISTEN_FDS="1")
        os.execvp(sys.argv[2], sys.argv[2:])
        """#

    /// Starts the program and calls it several times.
    private func answers(_ command: [String], socket: String) throws -> [Fault] {
        let process = try Subprocess("/usr/bin/python3", ["-c", Self.start, socket] + command) {
            $0.errors = .file(socket + ".log")
        }
        defer { #expect(throws: Never.self) { try process.end() } }
        return try (0..<3).map { _ in
            var client = try connected(socket)
            guard case .fault(let fault) = try client.call(Keychain.Status(), until: .now + patience) else {
                throw SystemError("call the broker", reason: "it answers as if it had started")
            }
            return fault
        }
    }

    /// The file is there a moment before somebody listens.
    private func connected(_ path: String) throws -> VarlinkConnection {
        let end = ContinuousClock.now + patience
        while true {
            do { return try VarlinkConnection(path: path, until: end) } catch {
                guard ContinuousClock.now < end else { throw error }
                Thread.sleep(forTimeInterval: 0.01)
            }
        }
    }

    @Test("everybody who calls is told why, and it does not end at once, to be started again and again")
    func wrongConfiguration() throws {
        let folder = try TemporaryFolder()
        let configuration = folder.path + "/cofferd.conf"
        try DurableFile.write(Array("no-such-key = 1\n".utf8), to: configuration, mode: 0o600)
        let faults = try answers(
            [Cofferd.program, "--config", configuration], socket: folder.path + "/coffer.sock")
        for fault in faults {
            #expect(fault.name == .failed && fault.details.advice == "see: systemctl status cofferd")
            let message = try #require(fault.details.message)
            #expect(message.hasPrefix("the broker cannot start: ") && message.contains("no-such-key"), "\(message)")
        }
    }

    @Test(
        "memory that cannot be locked: the kernel's reason, and both usual causes",
        .enabled(if: geteuid() == 0, "only root can make a configuration that is no sandbox's"))
    func memory() throws {
        let folder = try TemporaryFolder()
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: folder.path)
        let configuration = folder.path + "/cofferd.conf"
        try DurableFile.write(Array("system-bus = no\n".utf8), to: configuration, mode: 0o644)
        let powerless = [
            "setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "--bounding-set=-all", "--inh-caps=-all",
        ]
        // Where the programs are, others may not look. What is open already needs no path.
        let run = ["sh", "-c", #"exec 9<"$1"; shift; exec "$@""#, "sh", Cofferd.program]
        let faults = try answers(
            run + ["prlimit", "--memlock=65536:65536"] + powerless
                + ["/proc/self/fd/9", "--config", configuration], socket: folder.path + "/coffer.sock")
        let message = try #require(faults[0].details.message)
        #expect(message.contains("errno ") && !message.contains("errno 0"), "\(message)")
        #expect(message.contains("LimitMEMLOCK is too small (it is 65536 bytes)"), "\(message)")
        #expect(message.contains("CAP_IPC_LOCK") && message.contains("@memlock"), "\(message)")
    }
}
