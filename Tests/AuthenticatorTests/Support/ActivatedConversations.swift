import CofferTestKit
import Foundation
import Glibc
import Platform

/// Conversations as a service manager starts them. Ended with the value.
final class ActivatedConversations {
    let socket: String
    private let process: Subprocess

    /// How the service manager does it.
    enum Kind {
        /// A process for each connection (`Accept=yes`), and nobody who counts them beforehand.
        case accepted
        /// The program, which has the listening socket from then on.
        case listening
    }

    /// - Parameter stage: whose folder and broker they use.
    init(_ stage: Stage, _ kind: Kind) throws {
        socket = "\(stage.path)/activated.sock"
        process = try Subprocess(
            "/usr/bin/systemd-socket-activate",
            ["--listen=\(socket)"] + (kind == .accepted ? ["--accept"] : [])
                + [Stage.program, kind == .accepted ? "converse" : "serve", "--config", "\(stage.path)/coffer.conf"]
        ) { $0.environment = ["PATH": "/usr/bin:/bin"] }
        // Not there yet is what is waited out.
        guard eventually({ (try? FileStatus.of(socket)) ?? nil != nil }) else {
            throw SystemError("start systemd-socket-activate", reason: "it does not listen")
        }
        try FileManager.default.setAttributes([.posixPermissions: 0o666], ofItemAtPath: socket)
    }

    deinit {
        process.signal(SIGTERM)
        // One that does not end shows up in the tests after this.
        _ = try? process.wait(until: .now + .seconds(60))
    }

    /// The conversations' processes.
    var conversations: [Int32] { Stage.children(of: process.pid) }
}
