import Platform

/// Where a user's agents listen: in the user's runtime folder, or beside the sockets of a sandbox.
package struct AgentSockets: Sendable, Equatable {
    /// The folder of both. The agent makes it.
    package let folder: String
    /// Whether a program may start an agent there.
    let mayStart: Bool

    /// The agent that shows dialogs.
    package var session: String { "\(folder)/agent.sock" }
    /// The agent that a person has opened in a terminal.
    package var terminal: String { "\(folder)/agent-terminal.sock" }

    /// - Parameter user: the user of this process.
    /// - Returns: nil if there is no folder that only this user can change.
    package init?(environment: [String: String], user: UInt32) {
        let runtime = environment["XDG_RUNTIME_DIR"].flatMap { $0.isEmpty ? nil : $0 }
        mayStart = runtime != nil
        let paths = SocketPaths(environment: environment)
        if paths.broker != SocketPaths.installedBroker {
            guard let slash = paths.broker.lastIndex(of: "/") else { return nil }
            folder = String(paths.broker[..<slash])
            return
        }
        // cron and sudo set no variable, but the folder is there while the user has a session.
        let parent = runtime ?? "/run/user/\(user)"
        // `try?`: a folder that cannot be looked at is none.
        guard parent.hasPrefix("/"), let status = try? FileStatus.of(parent), status.isSafeFolder(of: user) else {
            return nil
        }
        folder = "\(parent)/coffer"
    }
}

extension FileStatus {
    /// Whether this is a folder in which only this user, and root, can change names.
    package func isSafeFolder(of user: UInt32) -> Bool { isFolder && uid == user && mode & 0o022 == 0 }
}
