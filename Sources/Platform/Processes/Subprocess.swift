import CLinux
import Glibc
import Synchronization

/// A program that runs beside this process and leads a process group. It ends with this value, and is reaped.
public final class Subprocess: Sendable {
    /// The target of one of the program's three standard descriptors.
    public enum Stream: Sendable, Equatable {
        case null
        /// This process's own.
        case inherited
        /// A file. It is opened for reading as standard input; otherwise it is made or emptied, and written.
        case file(String)
        /// A pipe. This value holds its other end.
        case pipe
        /// Only for standard error: the same as standard output.
        case output
    }

    /// The setup of a program.
    public struct Setup: Sendable {
        /// The program's name in its own arguments; nil for its path.
        public var name: String?
        /// nil for this process's own.
        public var environment: [String: String]?
        /// The folder in which it starts; nil for this process's own.
        public var directory: String?
        public var input = Stream.null
        public var output = Stream.null
        public var errors = Stream.null
        /// Whether it also leads a session of its own, without a terminal.
        public var leadsSession = false
        /// Whether it stays in this process's group instead of leading one, so that it can use the terminal.
        public var staysInGroup = false
        /// Whether it continues when this value ends.
        public var outlives = false
    }

    public let pid: Int32
    /// The writing end of a pipe to the program's standard input, until that is closed.
    private let input: Mutex<Descriptor?>
    /// The reading end of a pipe from the program's standard output, or from its standard error if only that is a pipe.
    private let output: Mutex<Descriptor?>
    /// What waitpid said; nil before the end has been taken note of. Until then the pid is nobody else's.
    private let exitStatus = Mutex<Int32?>(nil)
    /// What is killed with this value: the program, or its group if it leads one; nil if it continues.
    private let endsWithValue: Int32?

    /// Starts a program.
    /// - Parameter configure: changes the setup. By default, all three standard descriptors are /dev/null.
    public init(_ path: String, _ arguments: [String] = [], _ configure: (inout Setup) -> Void = { _ in })
        throws(SystemError)
    {
        var setup = Setup()
        configure(&setup)
        var launch = Launch(
            leads: setup.leadsSession ? .session : setup.staysInGroup ? .none : .group, directory: setup.directory,
            restored: [SIGPIPE, SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGCHLD])
        launch.environment = setup.environment.map { $0.map { "\($0.key)=\($0.value)" } }

        var writing: Descriptor?
        var reading: Descriptor?
        // The child's ends, kept open until it has started.
        var itsInput: Descriptor?
        var itsOutput: Descriptor?
        var itsErrors: Descriptor?
        switch setup.input {
        case .null: itsInput = try Self.open("/dev/null", O_RDONLY)
        case .file(let path): itsInput = try Self.open(path, O_RDONLY)
        case .pipe:
            let ends = try Self.pipe()
            itsInput = Descriptor(adopting: ends.reading)
            writing = Descriptor(adopting: ends.writing)
        case .inherited, .output: break
        }
        switch setup.output {
        case .null: itsOutput = try Self.open("/dev/null", O_WRONLY)
        case .file(let path): itsOutput = try Self.open(path, O_WRONLY | O_CREAT | O_TRUNC)
        case .pipe:
            let ends = try Self.pipe()
            reading = Descriptor(adopting: ends.reading)
            itsOutput = Descriptor(adopting: ends.writing)
        case .inherited, .output: break
        }
        switch setup.errors {
        case .null: itsErrors = try Self.open("/dev/null", O_WRONLY)
        case .file(let path): itsErrors = try Self.open(path, O_WRONLY | O_CREAT | O_TRUNC)
        case .pipe:
            let ends = try Self.pipe()
            reading = Descriptor(adopting: ends.reading)
            itsErrors = Descriptor(adopting: ends.writing)
        case .inherited, .output: break
        }
        if let number = itsInput?.number { launch.descriptors.append((number, 0)) }
        if let number = itsOutput?.number { launch.descriptors.append((number, 1)) }
        if let number = itsErrors?.number { launch.descriptors.append((number, 2)) }
        if setup.errors == .output { launch.descriptors.append((1, 2)) }
        // This process may have inherited an ignored SIGCHLD, and then it could not wait for its children.
        Glibc.signal(SIGCHLD, SIG_DFL)
        let pid = try launch.start(path, [setup.name ?? path] + arguments)
        self.pid = pid
        endsWithValue = setup.outlives ? nil : launch.leads == .none ? pid : -pid
        _ = consume itsInput
        _ = consume itsOutput
        _ = consume itsErrors
        input = Mutex(writing)
        output = Mutex(reading)
    }

    deinit {
        // Reaps a program that has ended. A zombie would disturb whatever in this process waits for any child.
        guard status == nil, let endsWithValue else { return }
        kill(endsWithValue, SIGKILL)
        // `try?`: if the wait fails, or SIGKILL does not end it in time, this process cannot do more.
        _ = try? wait(until: .now + ProgramLimits.kill)
    }

    /// Opens a descriptor above the three standard ones. The child's standard descriptors are set one by one, and would overwrite a lower number.
    private static func open(_ path: String, _ flags: Int32) throws(SystemError) -> Descriptor {
        try above(try Descriptor.open(path, flags, mode: 0o600))
    }

    private static func pipe() throws(SystemError) -> (reading: Int32, writing: Int32) {
        var ends: [Int32] = [-1, -1]
        try checked("make a pipe") { unsafe coffer_pipe(&ends) }
        let reading = Descriptor(adopting: ends[0])
        let writing = try above(Descriptor(adopting: ends[1]))
        return (try above(reading).release(), writing.release())
    }

    private static func above(_ descriptor: consuming Descriptor) throws(SystemError) -> Descriptor {
        if descriptor.number > 2 { return descriptor }
        let number = descriptor.number
        return Descriptor(adopting: try checked("move a descriptor") { coffer_duplicate_above(number, 3) })
    }
}

extension Subprocess {
    /// The exit status, or 128 plus the signal's number if a signal ended the program; nil if it still runs. Does not wait.
    public var status: Int32? {
        exitStatus.withLock { exitStatus in
            if exitStatus == nil {
                var status: Int32 = 0
                if unsafe waitpid(pid, &status, WNOHANG) == pid {
                    exitStatus = status & 0x7f == 0 ? (status >> 8) & 0xff : 128 + (status & 0x7f)
                }
            }
            return exitStatus
        }
    }

    public var isRunning: Bool { status == nil }

    /// Waits for the program to end. Blocks the thread.
    /// - Returns: the ``status``; nil if the deadline came first.
    public func wait(until deadline: ContinuousClock.Instant?) throws(SystemError) -> Int32? {
        while true {
            if let status { return status }
            // Under the lock: as long as its end has not been taken note of, nobody else has its number.
            let number = try exitStatus.withLock { exitStatus throws(SystemError) -> Int32? in
                guard exitStatus == nil else { return nil }
                return try checked("watch process \(pid)") { coffer_pidfd_open(pid) }
            }
            guard let number else { continue }
            guard try Descriptor(adopting: number).waitToRead(until: deadline) else { return status }
        }
    }

    /// Sends a signal, unless the program has ended.
    public func signal(_ number: Int32) {
        exitStatus.withLock { if $0 == nil { kill(pid, number) } }
    }

    /// Writes to the program's standard input, which must be a pipe. Blocks the thread while the pipe is full.
    public func write(_ bytes: [UInt8]) throws(SystemError) {
        try input.withLock { input throws(SystemError) in
            guard let number = input?.number else { throw SystemError("write to a program", errno: EPIPE) }
            var written = 0
            while written < bytes.count {
                written += try BrokenPipe.withoutSignal { () throws(SystemError) in
                    try checked("write to a program") {
                        unsafe bytes.withUnsafeBytes {
                            unsafe Glibc.write(number, $0.baseAddress! + written, $0.count - written)
                        }
                    }
                }
            }
        }
    }

    /// Closes the program's standard input.
    public func closeInput() { input.withLock { $0 = nil } }

    /// Reads the next output. Blocks the thread.
    /// - Returns: nothing at the end of the output.
    public func read(limit: Int) throws(SystemError) -> [UInt8] {
        try output.withLock { output throws(SystemError) in
            guard let number = output?.number else { return [] }
            var bytes = [UInt8](repeating: 0, count: limit)
            // It may be a secret, which only the result has.
            defer { Wipe.bytes(&bytes) }
            let count = try checked("read a program's output") { unsafe Glibc.read(number, &bytes, limit) }
            return Array(bytes[..<count])
        }
    }

    /// Reads the next output, until a deadline.
    /// - Returns: nothing at the end of the output; nil if the deadline came first.
    public func read(limit: Int, until deadline: ContinuousClock.Instant) throws(SystemError) -> [UInt8]? {
        let isReady = try output.withLock { output throws(SystemError) in
            // Without a pipe there is nothing to wait for.
            try output?.waitToRead(until: deadline) ?? true
        }
        return isReady ? try read(limit: limit) : nil
    }

    /// Stops reading the program's output.
    public func closeOutput() { output.withLock { $0 = nil } }

    /// Reads the program's output to its end. Blocks the thread.
    public func readAll() throws(SystemError) -> [UInt8] {
        var all: [UInt8] = []
        while true {
            var more = try read(limit: 65536)
            defer { Wipe.bytes(&more) }
            if more.isEmpty { return all }
            Wipe.append(more, to: &all)
        }
    }
}
