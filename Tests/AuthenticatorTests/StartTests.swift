import BrokerProtocol
import Foundation
import Platform
import TestSupport
import Testing
import Varlink

/// An authenticator that cannot start, as the service manager starts it: with the clients' socket.
@Suite(.timeLimit(.minutes(30))) struct StartTests {
    private static let start = #"""
        import os, socket, sys
        listener = socket.socket(socket.AF_UNIX); listener.bind(sys.argv[1]); listener.listen(8)
        os.dup2(listener.fileno(), 3); os.set_inheritable(3, True)
        os.environ.update(LISTEN_PID=str(os.getpid()), LISTEN_FDS="1")
        os.execvp(sys.argv[2], sys.argv[2:])
        """#

    @Test func everybodyWhoCallsIsToldWhy() throws {
        let folder = try TemporaryFolder()
        let (configuration, path) = (folder.path + "/cofferd.conf", folder.path + "/auth.sock")
        try DurableFile.write(Array("no-such-key = 1\n".utf8), to: configuration, mode: 0o600)
        let tests = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        let program = URL(fileURLWithPath: tests).deletingLastPathComponent().path + "/coffer-authenticator"
        let process = try Subprocess(
            "/usr/bin/python3", ["-c", Self.start, path, program, "serve", "--config", configuration]
        ) {
            $0.errors = .file(folder.path + "/log")
        }
        defer { #expect(throws: Never.self) { try process.end() } }
        // It does not end at once, to be started again and again.
        for _ in 0..<3 {
            var client = try connected(path)
            guard
                case .fault(let fault) = try client.call(
                    BrokerProtocol.Authentication.Biometry(), until: .now + patience)
            else {
                Issue.record("it answers as if it had started")
                return
            }
            #expect(fault.name == .authenticationMisconfigured)
            #expect(fault.details.advice == "see: systemctl status coffer-authenticator")
            let message = try #require(fault.details.message)
            #expect(
                message.hasPrefix("the authenticator cannot start: ") && message.contains("no-such-key"), "\(message)")
        }
        #expect(try String(contentsOfFile: folder.path + "/log", encoding: .utf8).contains("cannot start: "))
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
}
