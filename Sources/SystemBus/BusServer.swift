import CSystemd
import Glibc
import Platform
import Synchronization

/// What comes from the bus to a program that answers calls.
public enum BusEvent: Sendable {
    case call(BusCall)
    case signal(BusSignal)
}

/// A method call. It is answered once, with ``BusServer/reply(to:_:)`` or ``BusServer/reply(to:error:_:)``, or released with
/// ``BusServer/release(_:)``.
public struct BusCall: Sendable {
    /// The unique name of the connection that calls, as the bus daemon gives it.
    public let sender: String
    public let path: String
    /// Empty if the caller left it out.
    public let interface: String
    public let member: String
    public let arguments: [BusValue]
    /// About how much memory it takes until it is answered, in bytes.
    public let size: Int
    fileprivate let number: UInt64

    /// What each call takes, and each value in one.
    static let (sizeOfCall, sizeOfValue) = (512, 64)

    /// The types of all arguments.
    public var signature: String { arguments.map(\.signature).joined() }
}

/// A signal that another connection or the bus daemon sent.
public struct BusSignal: Sendable {
    public let sender: String
    public let interface: String
    public let member: String
    public let arguments: [BusValue]
}

/// A connection to a message bus that answers calls. The thread in ``run(limits:_:)`` has it: sd-bus allows no other one.
/// An actor that has this as its executor runs on that thread, too, between two messages.
///
/// `@unchecked`: only that thread uses the connection and what is held for it.
public final class BusServer: SerialExecutor, @unchecked Sendable {
    private let bus: Bus
    /// Calls without an answer yet. sd-bus makes an answer from the call.
    private var open: [UInt64: HeldMessage] = [:]
    private var lastNumber: UInt64 = 0
    /// The thread of ``run(limits:_:)``; 0 outside of it.
    private let runner = Atomic<pthread_t>(0)
    private let jobs = Mutex<[UnownedJob]>([])
    private let bell: Bell
    private let isStopped = Atomic(false)

    private final class HeldMessage {
        let message: BusMessage
        init(_ message: consuming BusMessage) { self.message = message }
    }

    /// - Parameter address: a D-Bus address, such as `DBUS_SESSION_BUS_ADDRESS` has.
    public init(address: String) throws(BusError) {
        bus = try Bus(address: address)
        bell = try Bell()
    }

    // MARK: The bus daemon. Only before `run`, or on its thread.

    public func uniqueName() throws(BusError) -> String { try bus.uniqueName() }

    /// Asks the bus daemon for signals.
    public func subscribe(_ rule: String) throws(BusError) { try bus.subscribe(rule) }

    /// What came of asking for a name.
    public enum NameAnswer: UInt32, Sendable {
        case isOwner = 1
        case isQueued = 2
        case isTaken = 3
        case wasOwner = 4
    }

    /// Takes a name that others may take over, if they say so.
    /// - Parameter replacing: takes it from a program that allows that.
    public func requestName(_ name: String, replacing: Bool) throws(BusError) -> NameAnswer {
        // ALLOW_REPLACEMENT 1, REPLACE_EXISTING 2, DO_NOT_QUEUE 4.
        let answer = try daemon("RequestName", [.text(name), .number(replacing ? 7 : 5)])
        return NameAnswer(rawValue: try answer.number()) ?? .isTaken
    }

    /// The unique name of the connection that owns a name; nil if none does.
    public func owner(of name: String) throws(BusError) -> String? {
        do throws(BusError) { return try daemon("GetNameOwner", [.text(name)]).text() } catch {
            guard error.name == BusErrorName.nobodyHasName else { throw error }
            return nil
        }
    }

    /// The process that the kernel named when a connection was made.
    public func process(of name: String) throws(BusError) -> Int32 { try bus.process(of: name) }

    /// The user that the kernel named when a connection was made.
    public func user(of name: String) throws(BusError) -> UInt32 {
        try daemon("GetConnectionUnixUser", [.text(name)]).number()
    }

    private func daemon(_ member: String, _ arguments: [BusValue]) throws(BusError) -> BusMessage {
        try bus.call(
            "org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus", member, values: arguments)
    }

    // MARK: The loop

    /// Answers calls on the calling thread, until the connection ends or ``stop()`` is called.
    /// - Parameter limits: a larger call is answered with an error.
    /// - Throws: ``BusError`` if the connection fails.
    public func run(limits: BusMessageLimits, _ receive: (BusEvent) -> Void) throws(BusError) {
        runner.store(pthread_self(), ordering: .releasing)
        defer { runner.store(0, ordering: .releasing) }
        while !isStopped.load(ordering: .acquiring) {
            runJobs()
            var made: OpaquePointer?
            let code = unsafe sd_bus_process(bus.pointer, &made)
            if code == -ENOTCONN || code == -ECONNRESET { return }
            try checked("read from the bus") { code == -EINTR ? 0 : code }
            if let made = unsafe made {
                take(unsafe BusMessage(adopting: made), limits, receive)
            } else if code == 0 {
                try wait()
            }
        }
        // What was answered last is sent before the connection ends.
        _ = unsafe sd_bus_flush(bus.pointer)
    }

    /// Ends ``run(limits:_:)``. Any thread may call it.
    public func stop() {
        isStopped.store(true, ordering: .releasing)
        bell.ring()
    }

    private func take(_ message: consuming BusMessage, _ limits: BusMessageLimits, _ receive: (BusEvent) -> Void) {
        // Its memory is wiped when it is freed.
        _ = unsafe sd_bus_message_sensitive(message.pointer)
        let (sender, path, interface, member) = (message.sender, message.path, message.interface, message.member)
        let isCall = message.isCall
        var left = limits
        let arguments = Result { () throws(BusError) in try message.values(&left) }
        guard isCall else {
            // A signal that cannot be read is for somebody else.
            if case .success(let arguments) = arguments, message.isSignal {
                receive(.signal(BusSignal(sender: sender, interface: interface, member: member, arguments: arguments)))
            }
            return
        }
        lastNumber += 1
        open[lastNumber] = HeldMessage(message)
        // A path can be much longer than all else.
        let texts = [sender, path, interface, member].reduce(0) { $0 + $1.utf8.count }
        let values = (limits.values - left.values) * BusCall.sizeOfValue + limits.bytes - left.bytes
        let call = BusCall(
            sender: sender, path: path, interface: interface, member: member,
            arguments: (try? arguments.get()) ?? [],  // An error is answered below.
            size: BusCall.sizeOfCall + texts + values, number: lastNumber)
        switch arguments {
        case .success: receive(.call(call))
        case .failure(let error):
            reply(
                to: call, error: error.isTooLarge ? BusErrorName.limitsExceeded : BusErrorName.invalidArguments,
                error.isTooLarge ? "the message is too large" : "the message cannot be read")
        }
    }

    private func wait() throws(BusError) {
        let descriptor = try checked("wait for the bus") { unsafe sd_bus_get_fd(bus.pointer) }
        let events = try checked("wait for the bus") { unsafe sd_bus_get_events(bus.pointer) }
        var until: UInt64 = .max
        try checked("wait for the bus") { unsafe sd_bus_get_timeout(bus.pointer, &until) }
        var entries = [
            pollfd(fd: descriptor, events: Int16(truncatingIfNeeded: events), revents: 0),
            pollfd(fd: bell.descriptor, events: Int16(POLLIN), revents: 0),
        ]
        // sd-bus only has a time limit while it connects or has sent calls of its own. A second is often enough then.
        let limit: Int32 = until == .max ? -1 : 1000
        if unsafe poll(&entries, nfds_t(entries.count), until == 0 ? 0 : limit) < 0, errno != EINTR {
            throw BusError("wait for the bus", code: -Glibc.errno)
        }
        if entries[1].revents != 0 { bell.silence() }
    }

    // MARK: Answers and signals. Only on the thread of `run`.

    /// A caller that wants no answer gets none.
    public func reply(to call: BusCall, _ values: [BusValue]) {
        guard let held = open.removeValue(forKey: call.number),
            unsafe sd_bus_message_get_expect_reply(held.message.pointer) > 0
        else { return }
        var made: OpaquePointer?
        guard unsafe sd_bus_message_new_method_return(held.message.pointer, &made) >= 0, let made = unsafe made else {
            return
        }
        do throws(BusError) { try send(unsafe BusMessage(adopting: made), values) } catch {
            open[call.number] = held
            let reason =
                error == .textNotCarried ? "has characters that D-Bus cannot carry" : "does not fit into a message"
            reply(to: call, error: BusErrorName.failed, "the answer \(reason)")
        }
    }

    /// - Parameters:
    ///   - name: the error's name, as D-Bus has them.
    ///   - text: what happened, for people. It may quote names that D-Bus does not carry.
    public func reply(to call: BusCall, error name: String, _ text: String) {
        guard let held = open.removeValue(forKey: call.number) else { return }
        // Without an answer, the caller would wait until it gives up.
        let shown = BusText.shown(text)
        _ = unsafe name.withCString { name in
            unsafe shown.withCString { text in
                var fault = unsafe sd_bus_error(name: name, message: text, _need_free: 0)
                // If this fails, the connection has ended.
                return unsafe sd_bus_reply_method_error(held.message.pointer, &fault)
            }
        }
    }

    /// Gives up a call without an answer, because its caller has left. What came with it is freed.
    public func release(_ call: BusCall) { open[call.number] = nil }

    /// Sends a signal to everybody who asked for such signals, or to one connection.
    public func emit(
        _ member: String, of interface: String, at path: String, _ values: [BusValue], to destination: String? = nil
    ) {
        var made: OpaquePointer?
        guard unsafe sd_bus_message_new_signal(bus.pointer, &made, path, interface, member) >= 0,
            let made = unsafe made
        else { return }
        let message = unsafe BusMessage(adopting: made)
        if let destination, unsafe sd_bus_message_set_destination(message.pointer, destination) < 0 { return }
        // `try?`: nobody waits for a signal.
        try? send(message, values)
    }

    /// - Throws: ``BusError`` if it was not sent. A connection that has ended is noticed by `run`.
    private func send(_ message: consuming BusMessage, _ values: [BusValue]) throws(BusError) {
        _ = unsafe sd_bus_message_sensitive(message.pointer)
        for value in values { try message.append(value) }
        // It also fails if too much waits to be sent. Then the caller gets an error in its place, which is small.
        let code = unsafe sd_bus_send(bus.pointer, message.pointer, nil)
        guard code >= 0 else { throw BusError("send on the bus", code: code) }
    }

    // MARK: The executor

    public func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let isFirst = jobs.withLock { jobs in
            jobs.append(job)
            return jobs.count == 1
        }
        // The loop runs all jobs before it waits, so its own thread needs no bell.
        if isFirst, runner.load(ordering: .acquiring) != pthread_self() { bell.ring() }
    }

    public func checkIsolated() {
        precondition(runner.load(ordering: .acquiring) == pthread_self(), "only the thread of the bus may do this")
    }

    private func runJobs() {
        while true {
            let next = jobs.withLock { jobs -> [UnownedJob] in
                defer { jobs = [] }
                return jobs
            }
            if next.isEmpty { return }
            for job in next { unsafe job.runSynchronously(on: asUnownedSerialExecutor()) }
        }
    }
}

/// Errors that D-Bus itself has (D-Bus Specification, "Standard errors").
public enum BusErrorName {
    public static let failed = "org.freedesktop.DBus.Error.Failed"
    public static let invalidArguments = "org.freedesktop.DBus.Error.InvalidArgs"
    public static let limitsExceeded = "org.freedesktop.DBus.Error.LimitsExceeded"
    public static let notSupported = "org.freedesktop.DBus.Error.NotSupported"
    public static let accessDenied = "org.freedesktop.DBus.Error.AccessDenied"
    public static let authenticationFailed = "org.freedesktop.DBus.Error.AuthFailed"
    public static let timeout = "org.freedesktop.DBus.Error.Timeout"
    public static let nobodyHasName = "org.freedesktop.DBus.Error.NameHasNoOwner"
    public static let unknownMethod = "org.freedesktop.DBus.Error.UnknownMethod"
    public static let unknownInterface = "org.freedesktop.DBus.Error.UnknownInterface"
    public static let unknownProperty = "org.freedesktop.DBus.Error.UnknownProperty"
    public static let readOnlyProperty = "org.freedesktop.DBus.Error.PropertyReadOnly"
}

/// A bell that any thread can ring again and again. It ends a wait for the bus.
private final class Bell: Sendable {
    private let reading: Descriptor
    private let writing: Descriptor

    init() throws(BusError) {
        var ends: [Int32] = [-1, -1]
        let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        guard unsafe socketpair(AF_UNIX, type, 0, &ends) == 0 else {
            throw BusError("make a pair of sockets", code: -Glibc.errno)
        }
        reading = Descriptor(adopting: ends[0])
        writing = Descriptor(adopting: ends[1])
    }

    var descriptor: Int32 { reading.number }

    func ring() {
        var byte: UInt8 = 1
        // If there is no room, it rings already.
        _ = unsafe write(writing.number, &byte, 1)
    }

    func silence() {
        var bytes = [UInt8](repeating: 0, count: 512)
        while unsafe read(reading.number, &bytes, bytes.count) == bytes.count {}
    }
}
