import BrokerProtocol
import Foundation
import Platform
import Synchronization
import TestSupport
import Testing

@testable import Coffer
@testable import CofferClient
@testable import coffer_cli

/// The service manager listens for a broker that cannot start: callers can connect, and nobody takes their calls.
@Suite struct WaitingTests {
    @Test func aPersonIsToldWhatTheCommandWaitsFor() throws {
        let scratch = try Scratch()
        let path = scratch.file("coffer.sock")
        let listener = try UnixListener(path: path, mode: 0o666).release()
        var program = Program(scratch: scratch)
        program.environment["COFFER_SOCKET"] = path
        program.executable = "/bin/sh"
        // What the person sees comes first, and only then does the wait end.
        let turn = Program.Turn(wait: "waiting for the broker", type: "") { close(listener) }
        let result = try program.run("-c", "exec \"$0\" status 2>/dev/tty", Program.path, turns: [turn])
        #expect(result.screen.contains("systemctl status cofferd"), "\(result)")
        #expect(result.screen.components(separatedBy: "waiting for the broker").count == 2, "\(result)")
        #expect(result.status == ExitStatus.unreachable.rawValue, "\(result)")
    }

    @Test func theWaitIsToldOnceAndEnds() throws {
        let scratch = try Scratch()
        let path = scratch.file("coffer.sock")
        let listener = try UnixListener(path: path, mode: 0o666).release()
        defer { close(listener) }
        let told = Mutex(0)
        let client = BrokerClient(path: path, patience: .milliseconds(300), notice: .milliseconds(20)) {
            told.withLock { $0 += 1 }
        }
        let error = #expect(throws: KeychainError.self) { _ = try client.call(Keychain.Status()) }
        #expect(error?.code == .brokerSilent && told.withLock { $0 } == 1)
        // Without somebody to tell, only the limit counts.
        let quiet = BrokerClient(path: path, patience: .milliseconds(50), notice: .zero)
        #expect(throws: KeychainError.self) { _ = try quiet.call(Keychain.Status()) }
    }
}
