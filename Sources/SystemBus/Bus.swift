import CSystemd
import Glibc
import Platform
import Synchronization

/// A connection to a message bus, closed with this value. It has no callbacks. Its holder asks for the next message, on a thread that may wait.
@safe public struct Bus: ~Copyable {
    /// The address of the system bus. The environment cannot change it.
    public static let systemAddress = "unix:path=/run/dbus/system_bus_socket"

    let pointer: OpaquePointer
    private let patience: Duration

    /// How long an answer may take by default.
    public static let patience = Duration.seconds(2)

    /// Connects as a client.
    /// - Parameters:
    ///   - address: a D-Bus address: `unix:path=…`.
    ///   - patience: how long an answer may take.
    /// - Throws: ``BusError``.
    public init(address: String, patience: Duration = Bus.patience) throws(BusError) {
        var made: OpaquePointer?
        try checked("make a bus connection") { unsafe sd_bus_new(&made) }
        guard let pointer = unsafe made else { throw BusError("make a bus connection", code: -ENOMEM) }
        do throws(BusError) { unsafe try Self.start(pointer, address) } catch {
            unsafe sd_bus_unref(pointer)
            throw error
        }
        unsafe self.pointer = unsafe pointer
        self.patience = patience
    }

    private static func start(_ pointer: OpaquePointer, _ address: String) throws(BusError) {
        try checked("use the bus address \(address)") { unsafe sd_bus_set_address(pointer, address) }
        try checked("be a client of the bus") { unsafe sd_bus_set_bus_client(pointer, 1) }
        try checked("take descriptors from the bus") { unsafe sd_bus_negotiate_fds(pointer, 1) }
        try checked("connect to the bus at \(address)") { unsafe sd_bus_start(pointer) }
    }

    deinit { unsafe sd_bus_close_unref(pointer) }

    /// This connection's name on the bus.
    public func uniqueName() throws(BusError) -> String {
        var name: UnsafePointer<CChar>?
        try checked("learn a name on the bus") { unsafe sd_bus_get_unique_name(pointer, &name) }
        return unsafe name.map { unsafe String(cString: $0) } ?? ""
    }

    /// The user who serves this bus, as the kernel names them.
    public func servingUser() throws(BusError) -> UInt32 {
        let descriptor = try checked("ask who serves the bus") { unsafe sd_bus_get_fd(pointer) }
        do throws(SystemError) { return try PeerCredentials(ofSocket: descriptor).uid } catch {
            throw BusError("ask who serves the bus", reason: error.reason)
        }
    }

    /// Calls a method that takes strings, and waits for the answer. Signals that come meanwhile are kept.
    /// - Throws: ``BusError``, also if the answer is an error.
    public func call(
        _ destination: String, _ path: String, _ interface: String, _ member: String, _ arguments: [String] = []
    ) throws(BusError) -> BusMessage {
        try call(destination, path, interface, member, values: arguments.map { .text($0) })
    }

    /// Calls a method and waits for the answer. Signals that come meanwhile are kept.
    /// - Parameter limit: how long the answer may take; nil for the connection's limit. A service that has to be started first takes longer.
    /// - Throws: ``BusError``. If the answer is an error, it has that error's name.
    public func call(
        _ destination: String, _ path: String, _ interface: String, _ member: String, values: [BusValue],
        within limit: Duration? = nil
    ) throws(BusError) -> BusMessage {
        var made: OpaquePointer?
        try checked("call \(member)") {
            unsafe sd_bus_message_new_method_call(pointer, &made, destination, path, interface, member)
        }
        guard let made = unsafe made else { throw BusError("call \(member)", code: -ENOMEM) }
        let message = unsafe BusMessage(adopting: made)
        for value in values { try message.append(value) }
        return try answer(to: message, of: destination, "\(interface).\(member)", within: limit ?? patience)
    }

    /// Sends a call and takes the answer that its destination gives. A session bus lets each client send answers to calls that were
    /// not its own, and the bus library goes by their numbers, which can be guessed.
    /// - Parameter called: the method, for the words of an error.
    /// - Throws: ``BusError``, also if somebody else has answered.
    func answer(
        to message: borrowing BusMessage, of destination: String, _ called: String, within limit: Duration
    ) throws(BusError) -> BusMessage {
        var reply: OpaquePointer?
        var fault = unsafe sd_bus_error()
        defer { unsafe sd_bus_error_free(&fault) }
        let microseconds = UInt64(max(limit / .microseconds(1), 1))
        let code = unsafe message.withPointer { unsafe sd_bus_call(pointer, $0, microseconds, &fault, &reply) }
        guard code >= 0 else {
            let name = unsafe fault.name.map { unsafe String(cString: $0) }
            throw BusError("call \(called)", code: code, name: name)
        }
        guard let reply = unsafe reply else { throw BusError("call \(called)", code: -ENOMSG) }
        let answer = unsafe BusMessage(adopting: reply)
        guard try answer.sender == connection(of: destination) else {
            throw BusError("call \(called)", reason: "another program on the bus has answered")
        }
        return answer
    }

    /// How the bus daemon names who is meant by a destination: itself, a connection, or the owner of a name.
    private func connection(of destination: String) throws(BusError) -> String {
        destination == Self.daemon || destination.hasPrefix(":") ? destination : try owner(of: destination)
    }

    private static let daemon = "org.freedesktop.DBus"

    /// Asks the bus daemon for the signals that a match rule describes.
    public func subscribe(_ rule: String) throws(BusError) {
        _ = try call("org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus", "AddMatch", [rule])
    }

    /// The unique name of the connection that owns a well-known name.
    public func owner(of name: String) throws(BusError) -> String {
        let answer = try call(
            "org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus", "GetNameOwner", [name])
        return try answer.text()
    }

    /// The process that the kernel named when a connection was made.
    public func process(of name: String) throws(BusError) -> Int32 {
        let answer = try call(
            "org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus", "GetConnectionUnixProcessID",
            [name])
        return Int32(clamping: try answer.number())
    }

    /// Waits for the next message.
    /// - Returns: nil if `wake` was rung, or if the deadline came first.
    /// - Throws: ``BusError`` if the connection is lost.
    public func next(or wake: Wake, until deadline: ContinuousClock.Instant? = nil) throws(BusError) -> BusMessage? {
        while true {
            if wake.isRung { return nil }
            var message: OpaquePointer?
            let code = try checked("read from the bus") { unsafe sd_bus_process(pointer, &message) }
            if let message = unsafe message { return unsafe BusMessage(adopting: message) }
            if code > 0 { continue }
            let descriptor = try checked("wait for the bus") { unsafe sd_bus_get_fd(pointer) }
            do throws(SystemError) {
                let ready = try Readiness.wait(
                    for: [(descriptor, .input), (wake.descriptor, .input)], until: deadline)
                if !ready.contains(true) { return nil }
            } catch { throw BusError("wait for the bus", code: -error.errno) }
        }
    }
}

/// A failed call to the bus: the operation, and the library's code.
public struct BusError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The operation in words: "connect to the system bus".
    public let operation: String
    /// The raw code, a negated `errno`; 0 if the failure did not come from the library.
    public let code: Int32
    /// The reason in words.
    public let reason: String
    /// The name of the error in the answer (`org.freedesktop.DBus.Error.…`); nil if there was no answer.
    public let name: String?

    /// - Parameter code: a negated `errno`.
    public init(_ operation: String, code: Int32, name: String? = nil) {
        self.operation = operation
        self.code = code
        self.reason = SystemError(operation, errno: -code).reason
        self.name = name
    }

    public init(_ operation: String, reason: String) {
        self.operation = operation
        self.code = 0
        self.reason = reason
        self.name = nil
    }

    public var description: String { "cannot \(operation): \(reason)" }
}

/// Checks sd-bus's return codes; a negative one is an error. It repeats calls that a signal interrupted.
@discardableResult
func checked(_ operation: @autoclosure () -> String, _ call: () -> Int32) throws(BusError) -> Int32 {
    while true {
        let code = call()
        if code >= 0 { return code }
        if code != -EINTR { throw BusError(operation(), code: code) }
    }
}

/// A bell that another thread can ring once. It ends a wait for the bus.
public final class Wake: Sendable {
    private let reading: Descriptor
    private let writing: Mutex<Descriptor?>
    private let rung = Atomic(false)

    /// - Throws: ``BusError`` if no descriptor is left.
    public init() throws(BusError) {
        var pair: [Int32] = [-1, -1]
        let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
        guard unsafe socketpair(AF_UNIX, type, 0, &pair) == 0 else {
            throw BusError("make a pair of sockets", code: -Glibc.errno)
        }
        reading = Descriptor(adopting: pair[0])
        writing = Mutex(Descriptor(adopting: pair[1]))
    }

    public var isRung: Bool { rung.load(ordering: .acquiring) }

    /// Rings the bell. A second ring does nothing.
    public func ring() {
        rung.store(true, ordering: .releasing)
        // The other end becomes readable when this one is closed.
        writing.withLock { $0 = nil }
    }

    /// Waits on the calling thread.
    /// - Returns: whether the bell was rung in time.
    public func wait(_ duration: Duration) -> Bool {
        // If waiting fails, `isRung` still gives the right answer.
        _ = try? reading.waitToRead(until: .now + duration)
        return isRung
    }

    var descriptor: Int32 { reading.number }
}
