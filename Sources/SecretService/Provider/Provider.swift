import CofferClient
import Logging
import SystemBus

/// The Secret Service on one bus, for the vault of the user who runs it. It keeps nothing but what the broker tells it, and
/// the `session` collection. The broker decides who reads what.
///
/// It runs on the thread of the bus, so every answer is sent from there.
public actor Provider {
    let server: BusServer
    let backend: BrokerBackend
    let asking: AskingLimits
    let logger: Logger

    var clients = Clients()
    var sessions = BusSessionTable()
    var prompts = PromptTable()
    var collections: CollectionTable
    var index = ItemIndex()
    /// The items of the vault, by the id on the bus. Some are not in the index: records, keys.
    var vault = KnownItems()
    var state = VaultStatus.State.sealed
    var following = Following.not
    var lastTransient: UInt64 = 0
    /// Items in memory have other paths in each run. A client that holds an old path would use another client's item.
    let transientRun = ProviderRun.name()
    var obstacles = ObstacleTable()
    /// The requests of applications in a sandbox.
    var portalRequests = PortalRequestTable()
    var heldDeletion = HeldDeletion()
    /// Collections whose long list of items is to be sent.
    var pendingLists: Set<String> = []

    /// One person is asked one thing at a time.
    let asksTurn = Turn()
    /// Two clients that replace the same item do it one after the other.
    var writeTurns = WriteTurns()
    /// Collections that are being deleted. Nothing new comes into them.
    var leavingCollections: Set<String> = []

    var questions = QuestionTable()
    /// Whether another program has the name now.
    private(set) var isLeaving = false

    private var calls = CallTable()
    public nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe server.asUnownedSerialExecutor() }

    /// - Parameter logger: is told why a program got nothing.
    public init(server: BusServer, backend: BrokerBackend, asking: AskingLimits = AskingLimits(), logger: Logger) {
        self.server = server
        self.backend = backend
        self.asking = asking
        self.logger = logger
        collections = CollectionTable(started: .now)
    }

    /// Answers on the calling thread until the bus ends, or another program takes the name over.
    /// - Throws: ``BusError`` if the connection fails.
    public nonisolated func run() throws(BusError) {
        // Connections that end: their sessions and prompts end, too.
        try server.subscribe(
            "type='signal',sender='org.freedesktop.DBus',interface='org.freedesktop.DBus',member='NameOwnerChanged',arg2=''"
        )
        Task { await follow() }
        try server.run(limits: BusCallLimits.message) { event in
            assumeIsolated { $0.receive(event) }
        }
    }

    private func receive(_ event: BusEvent) {
        switch event {
        case .signal(let signal):
            guard signal.sender == ServiceName.daemon, signal.interface == ServiceName.daemon else { return }
            let texts = signal.arguments.compactMap(\.text)
            if signal.member == "NameOwnerChanged", texts.count == 3, texts[2].isEmpty { clientLeft(texts[0]) }
            if signal.member == "NameLost", texts == [ServiceName.bus] { leave() }
        case .call(let call):
            let caller = Result { () throws(CallerError) in try clients.client(call.sender, on: server) }
            let received = ReceivedCall(call: call, caller: caller)
            guard calls.add(received) else {
                server.reply(to: call, error: BusErrorName.limitsExceeded, "too many calls of this client are open")
                return
            }
            startCalls(of: call.sender)
        }
    }

    /// Begins calls of a client whose turn has come. Other clients have queues of their own.
    private func startCalls(of sender: String) {
        while let (number, turn) = calls.next(of: sender) {
            let task = Task {
                await answer(turn.call)
                calls.end(number, of: sender)
                startCalls(of: sender)
            }
            calls.begin(number, turn, of: sender) { task.cancel() }
        }
        guard let done = calls.takeDone(of: sender) else { return }
        if done.hasLeft {
            // Only now: what it has called needs its sessions, and may have made a prompt.
            sessions.closeAll(of: sender)
            dropPrompts(of: sender)
        }
        stopIfDone()
    }

    /// Ends, because another program has taken the name over. Nobody is asked any longer. Calls that came before are answered.
    private func leave() {
        guard !isLeaving else { return }
        isLeaving = true
        logger.notice("another program has taken \(ServiceName.bus) over; this one ends")
        for id in prompts.ids { finish(id, nil) }
        questions.cancelAll()
        stopIfDone()
        Task {
            // `try?`: nobody cancels this.
            try? await Task.sleep(for: BusCallLimits.leaving)
            server.stop()
        }
    }

    private func stopIfDone() {
        if isLeaving, calls.isEmpty { server.stop() }
    }

    /// What a client began ends with its connection. A script that sends a change and ends has its change, though.
    private func clientLeft(_ name: String) {
        clients.forget(name)
        obstacles.clientLeft(name)
        dropPrompts(of: name)
        portalRequests.clientLeft(name)
        for dropped in calls.clientLeft(name) { server.release(dropped.call) }
        startCalls(of: name)
    }

    private func dropPrompts(of name: String) {
        for prompt in prompts.removeAll(of: name) { prompt.task?.cancel() }
    }

    private func answer(_ received: ReceivedCall) async {
        let call = received.call
        do throws(ServiceError) {
            server.reply(to: call, try await dispatch(call, from: received.caller))
        } catch {
            if error.cause == .authenticationNeeded, let client = clients[call.sender] { report(error, client) }
            server.reply(to: call, error: error.name, error.message)
        }
    }
}
