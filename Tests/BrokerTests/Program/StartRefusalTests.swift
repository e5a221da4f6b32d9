import BrokerProtocol
import Foundation
import Platform
import TestSupport
import Testing
import Varlink

/// A broker that cannot start, as the service manager starts it: with the clients' socket, on which somebody waits already.
@Suite(.timeLimit(.minutes(30))) struct StartRefusalTests {
    /// Starts the program and calls it several times.
    private func answers(_ command: [String], socket: String) throws -> [Fault] {
        let server = try ActivatedProgram(command, socket: socket)
        var faults: [Fault] = []
        for _ in 0..<3 {
            var client = try server.connected()
            guard case .fault(let fault) = try client.call(Keychain.Status(), until: .now + patience) else {
                throw SystemError("call the broker", reason: "it answers as if it had started")
            }
            faults.append(fault)
        }
        try server.end()
        return faults
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
