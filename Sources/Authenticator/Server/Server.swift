import BrokerProtocol
import Configuration
import Glibc
import Logging
import Platform

/// Listens where no service manager does, and starts a process for each connection.
public struct Server: ~Copyable {
    /// Conversations of all users together.
    public static let totalLimit = 256
    /// Conversations of one user. One program may have several, for requests that one prompt answers.
    static let userLimit = 32
    /// What conversations have to end when the server does.
    private static let patience = Duration.seconds(3)
    /// Logins that are reported at the same time. Only root can make more of them, and they are over in a moment.
    private static let reportLimit = 32

    private let configuration: Configuration
    private let configurationPath: String
    private let listener: UnixListener
    /// Root's own: `pam_coffer`'s.
    private let reportListener: UnixListener
    private let signals: SignalDescriptor
    private var conversations: [Int32: PeerCredentials] = [:]
    private var reports: Set<Int32> = []
    private let logger = Logger(
        label: "coffer-authenticator", factory: { label in StreamLogHandler.standardError(label: label) })

    /// - Parameter configurationPath: passed on to the conversations' processes.
    public init(configuration: Configuration, configurationPath: String) throws(SystemError) {
        let signals = try SignalDescriptor([SIGTERM, SIGINT, SIGCHLD])
        let listener = try UnixListener(path: configuration.authSocket, mode: 0o666)
        let reportListener = try UnixListener(path: configuration.reportSocket, mode: 0o600)
        self.configuration = configuration
        self.configurationPath = configurationPath
        self.signals = signals
        self.listener = listener
        self.reportListener = reportListener
    }

    /// Serves until SIGTERM or SIGINT; then ends all conversations and removes the socket.
    public mutating func run() throws(SystemError) {
        ServiceNotification.ready.send()
        logger.notice("listening", metadata: ["socket": "\(configuration.authSocket)"])
        while true {
            let ready = try Readiness.wait(
                for: [(signals.number, .input), (listener.number, .input), (reportListener.number, .input)], until: nil)
            if ready[0] {
                let taken = signals.take()
                forget(ChildProcess.reap())
                if taken.contains(SIGTERM) || taken.contains(SIGINT) { break }
            }
            if ready[1] { accept() }
            if ready[2] { acceptReport() }
        }
        ServiceNotification.stopping.send()
        try stop()
    }

    private mutating func accept() {
        do throws(SystemError) {
            let connection = try listener.accept()
            let peer = try PeerCredentials(ofSocket: connection.number)
            guard hasRoom(for: peer) else {
                logger.warning("too many conversations", metadata: ["uid": "\(peer.uid)"])
                refuse(connection)
                return
            }
            conversations[try start("converse", on: connection)] = peer
        } catch {
            // One connection's trouble; the others go on.
            logger.error("connection refused", metadata: ["reason": "\(error)"])
        }
    }

    private func hasRoom(for peer: PeerCredentials) -> Bool {
        let own = conversations.values.filter { $0.uid == peer.uid }
        let programs = Set(own.map(\.pid)).union([peer.pid])
        return conversations.count < Self.totalLimit
            && own.count < max(Self.userLimit, configuration.authenticationsPerUser)
            && programs.count <= configuration.authenticationsPerUser
    }

    private mutating func acceptReport() {
        do throws(SystemError) {
            let connection = try reportListener.accept()
            guard reports.count < Self.reportLimit else {
                logger.warning("too many reports of logins")
                return
            }
            reports.insert(try start("report", on: connection))
        } catch {
            // As above.
            logger.error("report refused", metadata: ["reason": "\(error)"])
        }
    }

    private func start(_ subcommand: String, on connection: borrowing Descriptor) throws(SystemError) -> Int32 {
        try ChildProcess.startSelf(
            ["coffer-authenticator", subcommand, "--config", configurationPath, "--connection", "3"],
            descriptor: connection.number)
    }

    private func refuse(_ connection: consuming Descriptor) {
        let channel = ClientChannel(adopting: connection)
        channel.fail(
            Fault(.authenticationLimitExceeded, "Too many authentications are open: finish or cancel one of them."))
    }

    private mutating func stop() throws(SystemError) {
        try FileRemoval.remove(configuration.authSocket)
        try FileRemoval.remove(configuration.reportSocket)
        for pid in conversations.keys { ChildProcess.signal(pid, SIGTERM) }
        let deadline = ContinuousClock.now + Self.patience
        while !conversations.isEmpty {
            let ready = try Readiness.wait(for: [(signals.number, .input)], until: deadline)
            _ = signals.take()
            forget(ChildProcess.reap())
            guard ready[0] else { break }
        }
        for pid in conversations.keys { ChildProcess.signal(pid, SIGKILL) }
    }

    private mutating func forget(_ ended: [Int32]) {
        for pid in ended {
            conversations[pid] = nil
            reports.remove(pid)
        }
    }
}
