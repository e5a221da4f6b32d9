import BrokerProtocol
import Glibc
import Logging
import Platform
import RootConfiguration
import ServiceManager

/// Listens, and starts a process for each connection. It reads nothing from a client and loads nothing that a conversation needs.
public struct Server: ~Copyable {
    /// One conversation's process.
    private struct Child {
        let uid: UInt32
        /// The time by which it must have ended.
        var end: ContinuousClock.Instant
    }

    private let configuration: Configuration
    private let configurationPath: String
    private let listener: UnixListener
    /// The socket for `pam_coffer`, which only root can use. nil if the service manager listens, since it has a separate unit for this.
    private let reportListener: UnixListener?
    /// The report socket's descriptor; -1 without one.
    private let reportNumber: Int32
    private let signals: SignalDescriptor
    private var arrivals: Arrivals
    private var conversations: [Int32: Child] = [:]
    /// Users who have had too many conversations ever since the log said so.
    private var warned: Set<UInt32> = []
    private var pace = LogPace()
    private var reports: Set<Int32> = []
    private let logger = Logger(
        label: "coffer-authenticator", factory: { label in StreamLogHandler.standardError(label: label) })

    /// - Parameter configurationPath: passed on to the conversations' processes.
    public init(configuration: Configuration, configurationPath: String) throws(SystemError) {
        let signals = try SignalDescriptor([SIGTERM, SIGINT, SIGCHLD])
        let listener = try UnixListener(path: configuration.authSocket, mode: 0o666)
        let reportListener = try UnixListener(path: configuration.reportSocket, mode: 0o600)
        self.configuration = configuration
        arrivals = Arrivals(ofUser: ConversationPlaces(configuration).ofUser)
        self.configurationPath = configurationPath
        self.signals = signals
        self.listener = listener
        reportNumber = reportListener.number
        self.reportListener = consume reportListener
    }

    /// Takes over the clients' socket from the service manager.
    ///
    /// - Parameter number: the socket's descriptor.
    public init(configuration: Configuration, configurationPath: String, listening number: Int32) throws(SystemError) {
        let signals = try SignalDescriptor([SIGTERM, SIGINT, SIGCHLD])
        let listener = UnixListener(adopting: try OwnProcess.adopt(number))
        self.configuration = configuration
        arrivals = Arrivals(ofUser: ConversationPlaces(configuration).ofUser)
        self.configurationPath = configurationPath
        self.signals = signals
        self.listener = listener
        reportListener = nil
        reportNumber = -1
    }

    /// Serves until SIGTERM or SIGINT, and then ends all conversations. It removes the sockets if it made them itself. If it did not, it also ends
    /// after a minute without a conversation.
    public mutating func run() throws(SystemError) {
        // A process that a module started and a conversation left behind becomes this process's child, and is ended.
        try ChildProcess.adoptOrphans()
        ServiceNotification.ready.send()
        logger.notice("listening", metadata: ["socket": "\(configuration.authSocket)"])
        while true {
            // A missing descriptor is -1, which poll ignores. Connections that are not accepted yet wait in the listener's queue, in order.
            let isIdle = reportNumber < 0 && conversations.isEmpty && arrivals.isEmpty
            let idle = isIdle ? ContinuousClock.now + ServerLimits.idle : nil
            let hasRoom = conversations.count < ServerLimits.processes
            let ready = try Readiness.wait(
                for: [
                    (signals.number, .input),
                    (hasRoom ? listener.number : -1, .input),
                    (reports.count < ServerLimits.reports ? reportNumber : -1, .input),
                ],
                until: idle
                    ?? (conversations.values.map(\.end) + (hasRoom ? [arrivals.next].compactMap(\.self) : [])).min())
            if ready[0] {
                let taken = signals.take()
                forget(ChildProcess.reap())
                if taken.contains(SIGTERM) || taken.contains(SIGINT) { break }
            }
            if idle != nil, !ready.contains(true) { break }
            logGaps(at: .now)
            endOverdue()
            startDue()
            if ready[1] { accept() }
            if ready[2] { acceptReport() }
        }
        logGaps(at: .now + JournalLimits.interval * JournalLimits.burst)
        ServiceNotification.stopping.send()
        try stop()
    }

    private mutating func accept() {
        do throws(SystemError) {
            let connection = try listener.accept()
            let peer = try PeerCredentials(ofSocket: connection.number)
            // Each process checks the places itself. This check saves starting those that would only be refused.
            let running = conversations.values.count { $0.uid == peer.uid }
            switch arrivals.judge(connection, of: peer.uid, running: running) {
            case .start(let connection): try converse(on: connection, with: peer.uid)
            case .refuse(let connection):
                if warned.insert(peer.uid).inserted, pace.takes(of: peer.uid) {
                    logger.warning("too many conversations", metadata: ["uid": "\(peer.uid)"])
                }
                refuse(connection)
            case .none: break
            }
        } catch { logRefusal(error) }
    }

    /// Starts the processes of those connections that had to wait for their turn.
    private mutating func startDue() {
        while conversations.count < ServerLimits.processes, let turn = arrivals.takeDue() {
            do throws(SystemError) { try converse(on: turn.connection, with: turn.uid) } catch { logRefusal(error) }
        }
    }

    /// One connection failed; the others go on.
    private mutating func logRefusal(_ error: SystemError) {
        guard pace.takes(of: LogPace.nobody) else { return }
        logger.error("connection refused", metadata: ["reason": "\(error)"])
    }

    private mutating func converse(on connection: borrowing Descriptor, with uid: UInt32) throws(SystemError) {
        let end = ContinuousClock.now + .seconds(configuration.promptTimeout) + ServerLimits.grace
        let subcommand = pace.takes(of: uid) ? "converse" : "converse-unlogged"
        conversations[try start(subcommand, on: connection)] = Child(uid: uid, end: end)
    }

    /// Says how much the log does not have.
    private mutating func logGaps(at now: ContinuousClock.Instant) {
        for gap in pace.takeGaps(at: now) {
            let uid = gap.uid.map { "\($0)" } ?? "any"
            logger.warning(
                "conversations came too fast to be logged", metadata: ["uid": "\(uid)", "count": "\(gap.count)"])
        }
    }

    private mutating func acceptReport() {
        do throws(SystemError) {
            guard let connection = try reportListener?.accept() else { return }
            reports.insert(try start("report", on: connection))
        } catch {
            // One connection failed; the others go on.
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
        channel.fail(ConversationPlaces.tooMany.fault)
    }

    private mutating func endOverdue() {
        let now = ContinuousClock.now
        for (pid, child) in conversations where child.end <= now {
            ChildProcess.signal(pid, SIGKILL)
            logger.error("a conversation did not end", metadata: ["uid": "\(child.uid)", "pid": "\(pid)"])
            conversations[pid]?.end = now + ServerLimits.grace
        }
    }

    private mutating func stop() throws(SystemError) {
        if reportNumber >= 0 {
            try FileRemoval.remove(configuration.authSocket)
            try FileRemoval.remove(configuration.reportSocket)
        }
        for pid in conversations.keys { ChildProcess.signal(pid, SIGTERM) }
        let deadline = ContinuousClock.now + ServerLimits.stop
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
