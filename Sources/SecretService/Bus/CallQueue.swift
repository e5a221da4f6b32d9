import SystemBus

/// A call, and who made it as far as the bus tells.
struct ReceivedCall: Sendable {
    let call: BusCall
    /// Learned when the call came, because a client may leave before its turn.
    let caller: Result<BusClient, CallerError>
}

/// The calls of one client that have no answer. A few are worked on at once. The others wait in the order in which they
/// came.
struct CallQueue<Call: Sendable> {
    private struct Waiting {
        let call: Call
        let size: Int
        let asksPerson: Bool
    }

    /// A call whose turn has come.
    struct Turn {
        let call: Call
        fileprivate let asksPerson: Bool
    }

    /// How much a client may leave to wait.
    struct Limits {
        var atOnce = BusCallLimits.openCalls
        var waiting = BusCallLimits.waitingCalls
        var bytes = BusCallLimits.waitingBytes
    }

    private let limits: Limits
    private var waiting: [Waiting] = []
    /// How many at the front of `waiting` have been taken.
    private var taken = 0
    private var bytes = 0
    private var running: [UInt64: (asksPerson: Bool, cancel: @Sendable () -> Void)] = [:]
    /// Whether the client's connection has ended.
    private(set) var hasLeft = false

    init(limits: Limits = Limits()) { self.limits = limits }

    var isEmpty: Bool { running.isEmpty && waiting.count == taken }

    /// - Parameters:
    ///   - size: the call's, in bytes.
    ///   - asksPerson: whether a person may have to be asked for it, and it changes nothing.
    /// - Returns: false if the client has too many calls already.
    mutating func add(_ call: Call, size: Int, asksPerson: Bool) -> Bool {
        guard waiting.count - taken < limits.waiting, bytes + size <= limits.bytes else { return false }
        waiting.append(Waiting(call: call, size: size, asksPerson: asksPerson))
        bytes += size
        return true
    }

    /// - Returns: nil if no call waits, or enough are worked on.
    mutating func next() -> Turn? {
        guard running.count < limits.atOnce, taken < waiting.count else { return nil }
        let next = waiting[taken]
        taken += 1
        bytes -= next.size
        // The front is given up in large pieces, so that each call is moved a few times at most.
        if taken * 2 >= waiting.count {
            waiting.removeFirst(taken)
            taken = 0
        }
        return Turn(call: next.call, asksPerson: next.asksPerson)
    }

    /// The call is worked on until ``end(_:)``.
    mutating func begin(_ number: UInt64, _ turn: Turn, cancel: @escaping @Sendable () -> Void) {
        running[number] = (turn.asksPerson, cancel)
    }

    mutating func end(_ number: UInt64) { running[number] = nil }

    /// Ends what only the client could use: calls that ask a person. What changes something goes on to its end.
    /// - Returns: the calls that have waited and are given up. They need no answer, but hold memory until they are released.
    mutating func clientLeft() -> [Call] {
        hasLeft = true
        for call in running.values where call.asksPerson { call.cancel() }
        let rest = waiting[taken...]
        waiting = rest.filter { !$0.asksPerson }
        taken = 0
        bytes = waiting.reduce(0) { $0 + $1.size }
        return rest.filter(\.asksPerson).map(\.call)
    }
}

/// The calls of all clients that have no answer. Each client has a queue of its own.
struct CallTable {
    private var queues: [String: CallQueue<ReceivedCall>] = [:]
    private var last: UInt64 = 0

    var isEmpty: Bool { queues.isEmpty }

    /// - Returns: false if the client has too many calls already.
    mutating func add(_ received: ReceivedCall) -> Bool {
        let call = received.call
        return queues[call.sender, default: CallQueue()].add(
            received, size: call.size, asksPerson: call.mayAskPerson)
    }

    /// - Returns: the next call of the client and its number; nil if none waits, or enough are worked on.
    mutating func next(of client: String) -> (number: UInt64, turn: CallQueue<ReceivedCall>.Turn)? {
        guard let turn = queues[client]?.next() else { return nil }
        last += 1
        return (last, turn)
    }

    /// The call is worked on until ``end(_:of:)``.
    mutating func begin(
        _ number: UInt64, _ turn: CallQueue<ReceivedCall>.Turn, of client: String,
        cancel: @escaping @Sendable () -> Void
    ) {
        queues[client]?.begin(number, turn, cancel: cancel)
    }

    mutating func end(_ number: UInt64, of client: String) { queues[client]?.end(number) }

    /// - Returns: the calls that have waited and are given up.
    mutating func clientLeft(_ client: String) -> [ReceivedCall] { queues[client, default: CallQueue()].clientLeft() }

    /// - Returns: the client's queue if it is empty, which is then gone.
    mutating func takeDone(of client: String) -> CallQueue<ReceivedCall>? {
        guard let queue = queues[client], queue.isEmpty else { return nil }
        queues[client] = nil
        return queue
    }
}

extension BusCall {
    /// Whether it reads secrets, for which a person may have to be asked. It changes nothing.
    var mayAskPerson: Bool { ["GetSecret", "GetSecrets", "RetrieveSecret"].contains(member) }

    /// Whether it does nothing but lock the vault. That may be done for anybody.
    var locksVault: Bool {
        guard path == ServiceName.root, ["", ServiceName.service].contains(interface) else { return false }
        return (member == "Lock" && signature == "ao") || (member == "LockService" && signature.isEmpty)
    }
}
