import BrokerProtocol
import Coffer
import Glibc
import Platform

/// Where this user's agents listen, and how one begins.
struct UserAgents {
    let sockets: AgentSockets
    private let environment: [String: String]

    init() throws(KeychainError) {
        environment = OwnProcess.environment
        guard let sockets = AgentSockets(environment: environment, user: geteuid()) else {
            throw KeychainError(
                .failed, "there is no folder for the agent's socket that only you can change",
                advice: "set XDG_RUNTIME_DIR, as a login does")
        }
        self.sockets = sockets
    }

    /// Asks in this terminal, until somebody stops it or another terminal takes over.
    func runInTerminal() throws(SystemError) {
        let listener = try listen(sockets.terminal, takingOver: true)
        do throws(KeychainError) {
            try TerminalPrompter().tell(
                .init(style: .info, text: "Prompts of your programs appear here. To end this: Ctrl-C"))
        } catch { throw SystemError("ask at the terminal", reason: error.message) }
        try server(ownPath: sockets.terminal, isTerminal: true).run(on: listener, idle: nil)
    }

    /// Makes the socket and starts an agent that serves it, unless there is one.
    func start() throws(SystemError) {
        if Reachability.answers(path: sockets.session) { return }
        try AgentStart.serve(
            try listen(sockets.session, takingOver: false), ["coffer", "agent", "run", "--serve"],
            environment: environment)
    }

    /// Serves the socket that another program has made, the service manager or ``start()``.
    func serve() throws(SystemError) {
        let listener = UnixListener(adopting: try OwnProcess.adopt(3))
        // The service manager keeps the socket, and the agent with the display that the person gave it.
        let isManaged = environment["LISTEN_FDS"] != nil
        try server(ownPath: isManaged ? nil : sockets.session, isTerminal: false).run(
            on: listener, idle: isManaged ? nil : AgentLimits.idle)
    }

    private func server(ownPath: String?, isTerminal: Bool) -> AgentServer {
        AgentServer(
            place: AgentPlace(environment: environment, isTerminal: isTerminal),
            paths: SocketPaths(environment: environment), ownPath: ownPath)
    }

    /// - Parameter takingOver: whether an agent that listens there is stopped.
    private func listen(_ path: String, takingOver: Bool) throws(SystemError) -> UnixListener {
        try Folder.make(sockets.folder, mode: 0o700)
        guard let status = try FileStatus.of(sockets.folder), status.isSafeFolder(of: geteuid()) else {
            throw SystemError(
                "listen on \(path)", reason: "others can change \(sockets.folder)",
                advice: "make it your own folder, with mode 0700")
        }
        // Of two that begin at once, the second finds the first one's socket.
        let lock = try FileLock(path: path + ".lock")
        defer { lock.keep() }
        if takingOver {
            // `try?`: without an agent there is nothing to stop.
            _ = try? AgentClient(path: path, user: geteuid()).call(Agent.Stop())
        }
        return try UnixListener(path: path, mode: 0o600)
    }
}
