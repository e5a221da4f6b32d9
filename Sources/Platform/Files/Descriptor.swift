import CLinux
import Glibc

/// An open file descriptor with one owner. It is closed with this value, unless ``release()`` gives it away.
public struct Descriptor: ~Copyable, Sendable {
    public let number: Int32

    /// Takes ownership of a descriptor that is already open.
    public init(adopting number: Int32) { self.number = number }

    deinit { close(number) }

    /// Gives the descriptor to another owner without closing it.
    public consuming func release() -> Int32 {
        let value = number
        discard self
        return value
    }

    /// Opens a file, always close-on-exec.
    public static func open(_ path: String, _ flags: Int32, mode: mode_t = 0) throws(SystemError) -> Descriptor {
        let number = try checked("open \(path)") { unsafe coffer_open(path, flags | O_CLOEXEC, mode) }
        return Descriptor(adopting: number)
    }

    /// Waits until there is something to read.
    /// - Returns: false if the deadline came first.
    public func waitToRead(until deadline: ContinuousClock.Instant?) throws(SystemError) -> Bool {
        try wait(for: Int16(POLLIN), until: deadline)
    }

    /// Whether the peer of a connected socket has closed its end. This takes nothing from the stream.
    public func peerHasClosed() -> Bool {
        var entry = pollfd(fd: number, events: UnixSocket.closed, revents: 0)
        return unsafe poll(&entry, 1, 0) > 0 && entry.revents & UnixSocket.closed != 0
    }

    /// Whether there is something to read now.
    func hasInput() throws(SystemError) -> Bool {
        var entry = pollfd(fd: number, events: Int16(POLLIN), revents: 0)
        return try checked("look at a descriptor") { unsafe poll(&entry, 1, 0) } > 0
    }

    func wait(for events: Int16, until deadline: ContinuousClock.Instant?) throws(SystemError) -> Bool {
        var entry = pollfd(fd: number, events: events, revents: 0)
        while true {
            var milliseconds: Int32 = -1
            if let deadline {
                let left = deadline - .now
                if left <= .zero { return false }
                let (seconds, attoseconds) = left.components
                milliseconds = Int32(clamping: seconds * 1000 + attoseconds / 1_000_000_000_000_000 + 1)
            }
            let ready = unsafe poll(&entry, 1, milliseconds)
            if ready > 0 { return true }
            if ready < 0, errno != EINTR { throw SystemError("wait for a descriptor", errno: errno) }
        }
    }
}

/// The number of descriptors that this process may have (getrlimit(2), RLIMIT_NOFILE).
public enum DescriptorLimit {
    /// Raises the soft limit as far as the hard limit allows.
    /// - Parameter wanted: the most that is needed.
    /// - Returns: the new limit.
    @discardableResult
    public static func raise(to wanted: UInt64) throws(SystemError) -> Int {
        let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        var limit = rlimit()
        try checked("ask for the limit on descriptors") { unsafe getrlimit(resource, &limit) }
        let possible = min(UInt64(limit.rlim_max), wanted)
        if UInt64(limit.rlim_cur) < possible {
            limit.rlim_cur = rlim_t(possible)
            try checked("raise the limit on descriptors") { unsafe setrlimit(resource, &limit) }
        }
        return Int(clamping: limit.rlim_cur)
    }
}

/// Waits for the first of several descriptors.
public enum Readiness {
    /// The event to wait for.
    public enum Interest: Sendable {
        /// Something to read, or the end.
        case input
        /// The other end has closed, even if there is still something to read.
        case hangUp
    }

    /// POLLRDHUP, which is hidden without _GNU_SOURCE.
    private static let hangUp: Int32 = 0x2000

    /// - Returns: for each entry, whether it is ready; all false if the deadline came first.
    public static func wait(
        for entries: [(descriptor: Int32, interest: Interest)], until deadline: ContinuousClock.Instant?
    ) throws(SystemError) -> [Bool] {
        var polled = requests(for: entries)
        while true {
            var milliseconds: Int32 = -1
            if let deadline {
                let left = deadline - .now
                if left <= .zero { return entries.map { _ in false } }
                milliseconds = Int32(clamping: Int64((left / .milliseconds(1)).rounded(.up)))
            }
            let ready = unsafe poll(&polled, nfds_t(polled.count), milliseconds)
            if ready > 0 { return polled.map { $0.revents != 0 } }
            if ready < 0, errno != EINTR { throw SystemError("wait for a descriptor", errno: errno) }
        }
    }

    /// Does not wait.
    /// - Returns: for each entry, whether it is ready.
    /// - Throws: ``SystemError`` if the descriptors cannot be looked at.
    public static func look(
        at entries: [(descriptor: Int32, interest: Interest)]
    ) throws(SystemError) -> [Bool] {
        var polled = requests(for: entries)
        try checked("look at descriptors") { unsafe poll(&polled, nfds_t(polled.count), 0) }
        return polled.map { $0.revents != 0 }
    }

    private static func requests(for entries: [(descriptor: Int32, interest: Interest)]) -> [pollfd] {
        entries.map { entry in
            pollfd(
                fd: entry.descriptor, events: Int16(entry.interest == .input ? POLLIN | hangUp : hangUp), revents: 0)
        }
    }
}

/// Signals that are read from a descriptor instead of interrupting the process (signalfd(2)). They stay blocked for good, also in threads that start
/// later.
public struct SignalDescriptor: ~Copyable {
    private let descriptor: Descriptor

    public init(_ numbers: [Int32]) throws(SystemError) {
        var set = sigset_t()
        unsafe sigemptyset(&set)
        for number in numbers { unsafe sigaddset(&set, number) }
        let code = unsafe pthread_sigmask(SIG_BLOCK, &set, nil)
        guard code == 0 else { throw SystemError("block signals", errno: code) }
        let number = try checked("watch for signals") {
            unsafe signalfd(-1, &set, Int32(SFD_CLOEXEC) | Int32(SFD_NONBLOCK))
        }
        descriptor = Descriptor(adopting: number)
    }

    /// The descriptor, for `poll`. It is readable when a signal is pending.
    public var number: Int32 { descriptor.number }

    /// Takes the pending signals and returns their numbers.
    public func take() -> [Int32] { takeWithSenders().map(\.number) }

    /// Takes the pending signals.
    /// - Returns: their numbers, and whether the kernel sent them by itself, as for a key in the terminal (SI_KERNEL).
    func takeWithSenders() -> [(number: Int32, isFromKernel: Bool)] {
        var taken: [(number: Int32, isFromKernel: Bool)] = []
        var information = signalfd_siginfo()
        let size = MemoryLayout<signalfd_siginfo>.size
        while unsafe read(descriptor.number, &information, size) == size {
            taken.append((Int32(information.ssi_signo), information.ssi_code == 0x80))
        }
        return taken
    }
}
