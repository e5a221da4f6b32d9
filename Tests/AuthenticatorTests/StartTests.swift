import BrokerProtocol
import Foundation
import Platform
import TestSupport
import Testing
import Varlink

/// An authenticator that cannot start, as the service manager starts it: with the clients' socket.
@Suite(.timeLimit(.minutes(30))) struct StartTests {
    @Test func everybodyWhoCallsIsToldWhy() throws {
        let folder = try TemporaryFolder()
        let (configuration, path) = (folder.path + "/cofferd.conf", folder.path + "/auth.sock")
        try DurableFile.write(Array("no-such-key = 1\n".utf8), to: configuration, mode: 0o600)
        let tests = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        let program = URL(fileURLWithPath: tests).deletingLastPathComponent().path + "/coffer-authenticator"
        let server = try ActivatedProgram([program, "serve", "--config", configuration], socket: path)
        // It does not end at once, to be started again and again.
        for _ in 0..<3 {
            var client = try server.connected()
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
        #expect(try String(contentsOfFile: path + ".log", encoding: .utf8).contains("cannot start: "))
        try server.end()
    }
}
