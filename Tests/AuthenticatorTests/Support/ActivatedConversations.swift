import Foundation
import Glibc
import Platform
import TestSupport

/// Conversations as a service manager starts them. Ended with the value.
final class ActivatedConversations {
    let socket: String
    private let process: Subprocess

    /// How the service manager starts them.
    enum Kind {
        /// A process for each connection (`Accept=yes`), and nothing counts them beforehand.
        case accepted
        /// The program, which has the listening socket from then on.
        case listening
    }

    /// - Parameters:
    /// - fixture: the fixture whose folder and broker they use.
    ///   - launcher: a command that becomes the program.
    ///   - subcommand: what the program does with an accepted connection.
    init(_ fixture: Fixture, _ kind: Kind, launcher: [String] = [], subcommand: String = "converse") throws {
        socket = "\(fixture.path)/activated.sock"
        let errors = socket + ".log"
        process = try Subprocess(
            "/usr/bin/systemd-socket-activate",
            ["--listen=\(socket)"] + (kind == .accepted ? ["--accept"] : []) + launcher
                + [
                    Fixture.program, kind == .accepted ? subcommand : "serve", "--config",
                    "\(fixture.path)/coffer.conf",
                ]
        ) {
            $0.environment = ["PATH": "/usr/bin:/bin"]
            $0.errors = .file(errors)
        }
        guard eventually({ Self.isListening(socket) }) else {
            throw SystemError("start systemd-socket-activate", reason: "it does not listen")
        }
        try FileManager.default.setAttributes([.posixPermissions: 0o666], ofItemAtPath: socket)
    }

    deinit {
        process.signal(SIGTERM)
        // If one does not end, the next tests notice it.
        _ = try? process.wait(until: .now + .seconds(60))
    }

    /// Whether somebody accepts connections there. The file appears a moment earlier, and a connection as a trial would
    /// be a conversation.
    private static func isListening(_ socket: String) -> Bool {
        // The test waits until it is there. Any program may give its socket a name that is no UTF-8.
        let sockets = ProcFile.text("/proc/net/unix") ?? ""
        // Number, references, protocol, flags (this one is __SO_ACCEPTCON), type, state, inode, path.
        return sockets.split(separator: "\n").contains { line in
            let fields = line.split(separator: " ", maxSplits: 7)
            return fields.count == 8 && fields[3] == "00010000" && fields[7] == socket
        }
    }

    // Without a file the log is empty.
    var log: String { (try? String(contentsOfFile: socket + ".log", encoding: .utf8)) ?? "" }

    /// The conversations' processes.
    var conversations: [Int32] { Fixture.children(of: process.pid) }
}
