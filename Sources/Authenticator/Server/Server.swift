import BrokerProtocol
import Configuration
import Glibc
import Logging
import Platform
import ServiceManager

/// Listens, and starts a process for each connection. It reads nothing from a client, and loads nothing that a conversation needs.
public struct Server: ~Copyable {
    /// Conversations' processes. More than there may be conversations: the others are about to be refused, and end at once.
    private static let processLimit = Int(ConversationLimits.total) + 64
    /// What conversations have to end when the server does.
    private static let patience = Duration.seconds(3)
    /// Logins that are reported at the same time. Only root can make more of them, and they are over in a moment.
    private static let reportLimit = 32
    /// A conversation that is not over so long after its time limit hangs in a module, and is ended.
    private static let grace = Duration.seconds(60)
    /// Started by a connection it ends when nobody has come for so long: the next one starts it again.
    private static let idleness = Duration.seconds(60)

    /// One conversation's process.
    private struct Child {
        let uid: UInt32
        /// When it must have ended.
        var end: ContinuousClock.Instant
    }

    private let configuration: Configuration
    private let configurationPath: String
    private let listener: UnixListener
    /// Root's own: `pam_coffer`'s. nil where the service manager listens, and has a unit of its own for it.
    private let reportListener: UnixListener?
    /// -1 without one.
    private let reportNumber: Int32
    private let signals: SignalDescriptor
    private let limits: ConversationLimits
    private var conversations: [Int32: Child] = [:]
    /// Of whom it was said that they have too many, and who has had too many ever since.
    private var warned: Set<UInt32> = []
    private var reports: Set<Int32> = []
    private let logger = Logger(
        label: "coffer-authenticator", factory: { label in StreamLogHandler.standardError(label: label) })

    /// - Parameter configurationPath: passed on to the conversations' processes.
    public init(configuration: Configuration, configurationPath: String) throws(SystemError) {
        let signals = try SignalDescriptor([SIGTERM, SIGINT, SIGCHLD])
        let listener = try UnixListener(path: configuration.authSocket, mode: 0o666)
        let reportListener = try UnixListener(path: configuration.reportSocket, mode: 0o600)
        self.configuration = configuration
        limits = ConversationLimits(configuration)
        self.configurationPath = configurationPath
        self.signals = signals
        self.listener = listener
        reportNumber = reportListener.number
        self.reportListener = consume reportListener
    }

    /// Takes over the clients' socket on which the service manager listens.
    ///
    /// - Parameter number: the socket's descriptor.
    public init(configuration: Configuration, configurationPath: String, listening number: Int32) throws(SystemError) {
        let signals = try SignalDescriptor([SIGTERM, SIGINT, SIGCHLD])
        let listener = UnixListener(adopting: try ProcessSurroundings.adopt(number))
        self.configuration = configuration
        limits = ConversationLimits(configuration)
        self.configurationPath = configurationPath
        self.signals = signals
        self.listener = listener
        reportListener = nil
        reportNumber = -1
    }

    /// Serves until SIGTERM or SIGINT, and then ends all conversations; where it has made the sockets itself it removes them, where it has not it also ends
    /// when nobody has come for a while.
    public mutating func run() throws(SystemError) {
        // What a module has started and a conversation has left behind comes to this process, and is ended.
        try ChildProcess.adoptOrphans()
        ServiceNotification.ready.send()
        logger.notice("listening", metadata: ["socket": "\(configuration.authSocket)"])
        while true {
            // Descriptors that are not there are -1, which poll passes over: who is not accepted waits in the listener's queue, in order.
            let idle = reportNumber < 0 && conversations.isEmpty ? ContinuousClock.now + Self.idleness : nil
            let ready = try Readiness.wait(
                for: [
                    (signals.number, .input),
                    (conversations.count < Self.processLimit ? listener.number : -1, .input),
                    (reports.count < Self.reportLimit ? reportNumber : -1, .input),
                ], until: idle ?? conversations.values.map(\.end).min())
            if ready[0] {
                let taken = signals.take()
                forget(ChildProcess.reap())
                if taken.contains(SIGTERM) || taken.contains(SIGINT) { break }
            }
            if idle != nil, !ready.contains(true) { break }
            endOverdue()
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
            // Each process counts for itself; this spares the start of those that would only be refused.
            guard conversations.values.count(where: { $0.uid == peer.uid }) < limits.ofUser else {
                if warned.insert(peer.uid).inserted {
                    logger.warning("too many conversations", metadata: ["uid": "\(peer.uid)"])
                }
                return refuse(connection)
            }
            let end = ContinuousClock.now + .seconds(configuration.promptTimeout) + Self.grace
            conversations[try start("converse", on: connection)] = Child(uid: peer.uid, end: end)
        } catch {
            // One connection's trouble; the others go on.
            logger.error("connection refused", metadata: ["reason": "\(error)"])
        }
    }

    private mutating func acceptReport() {
        do throws(SystemError) {
            guard let connection = try reportListener?.accept() else { return }
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
        channel.fail(ConversationLimits.tooMany.fault)
    }

    private mutating func endOverdue() {
        let now = ContinuousClock.now
        for (pid, child) in conversations where child.end <= now {
            ChildProcess.signal(pid, SIGKILL)
            logger.error("a conversation did not end", metadata: ["uid": "\(child.uid)", "pid": "\(pid)"])
            conversations[pid]?.end = now + Self.grace
        }
    }

    private mutating func stop() throws(SystemError) {
        if reportNumber >= 0 {
            try FileRemoval.remove(configuration.authSocket)
            try FileRemoval.remove(configuration.reportSocket)
        }
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
            if let child = conversations.removeValue(forKey: pid) { warned.remove(child.uid) }
            reports.remove(pid)
        }
        if !ended.isEmpty { ChildProcess.endOrphans(except: { conversations[$0] != nil || reports.contains($0) }) }
    }
}
