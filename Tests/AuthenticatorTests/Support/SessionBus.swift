import Foundation
import Platform
import TestSupport

/// A session bus of another user (uid 1), in that user's own runtime folder. It ends with the value.
final class SessionBus: Sendable {
    enum Kind {
        /// dbus-daemon with python-dbusmock's notification daemon on it.
        case desktop
        /// Accepts connections, notes whose they are, and never answers.
        case silent
        /// As `silent`, but root's, although the folder is the user's.
        case foreign
    }

    static let uid: UInt32 = 1
    private let log: String
    private let children: [Subprocess]

    /// - Parameter folder: the folder of the runtime folders.
    init(_ kind: Kind, in folder: String) throws {
        let own = "\(folder)/\(Self.uid)"
        try FileManager.default.createDirectory(atPath: own, withIntermediateDirectories: true)
        try FileManager.default.setAttributes([.ownerAccountID: Self.uid, .posixPermissions: 0o700], ofItemAtPath: own)
        let log = "\(own)/log"
        self.log = log
        let socket = "\(own)/bus"
        let asUser = [
            "/usr/bin/setpriv", "--reuid=\(Self.uid)", "--regid=\(Self.uid)", "--clear-groups", "/usr/bin/env",
            "DBUS_SESSION_BUS_ADDRESS=unix:path=\(socket)",
        ]
        var children: [Subprocess] = []
        switch kind {
        case .desktop:
            children.append(
                try Self.run(
                    asUser + ["/usr/bin/dbus-daemon", "--session", "--nofork", "--address=unix:path=\(socket)"]))
            try Self.wait { FileManager.default.fileExists(atPath: socket) }
            children.append(
                try Self.run(
                    asUser + [
                        "/usr/bin/python3", "-m", "dbusmock", "--session", "--template", "notification_daemon",
                        "-l", log,
                    ]))
            try Self.wait {
                // The test waits until the mock is there.
                (try? Command(
                    asUser + [
                        "/usr/bin/busctl", "--address=unix:path=\(socket)", "call", "org.freedesktop.Notifications",
                        "/org/freedesktop/Notifications", "org.freedesktop.Notifications", "GetCapabilities",
                    ]))?.code == 0
            }
        case .silent, .foreign:
            let prefix = kind == .silent ? asUser : ["/usr/bin/env"]
            children.append(try Self.run(prefix + ["/usr/bin/python3", "-c", Self.listener, socket, log]))
            try Self.wait { FileManager.default.fileExists(atPath: log) }
        }
        self.children = children
    }

    deinit {
        // If SIGKILL does not end a process, a test cannot end it either.
        for child in children { try? child.end() }
    }

    /// The calls, or the connections, one a line.
    var lines: [String] {
        // Without a file there is nothing yet.
        ((try? String(contentsOfFile: log, encoding: .utf8)) ?? "").split(separator: "\n").map(String.init)
    }

    private static func run(_ words: [String]) throws -> Subprocess {
        try Subprocess(words[0], Array(words.dropFirst())) { $0.directory = "/" }
    }

    private static func wait(_ condition: () -> Bool) throws {
        guard eventually(condition) else { throw SystemError("start a session bus", reason: "it is not there") }
    }

    private static let listener = #"""
        import os, socket, struct, sys
        s = socket.socket(socket.AF_UNIX); s.bind(sys.argv[1]); os.chmod(sys.argv[1], 0o666); s.listen(8)
        log = open(sys.argv[2], "w"); kept = []
        while True:
            c, _ = s.accept(); kept.append(c)
            pid, uid, gid = struct.unpack("3i", c.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12))
            status = dict(l.split(":", 1) for l in open(f"/proc/{pid}/status") if ":" in l)
            log.write(f"uid {uid} gid {gid} groups [{status['Groups'].strip()}] new {status['NoNewPrivs'].strip()}\n"); log.flush()
        """#
}
