import CLinux
import Glibc

/// Changes a program's output on its way.
public protocol OutputFilter {
    /// - Returns: what can be passed on now.
    mutating func read(_ bytes: [UInt8]) -> [UInt8]
    /// - Returns: what was held back, when nothing follows.
    mutating func finish() -> [UInt8]
}

/// How a program ended.
public enum ProgramEnd: Sendable, Equatable {
    case exited(Int32)
    case killed(signal: Int32)

    /// - Parameter status: as waitpid(2) gives it.
    init(_ status: Int32) {
        self = status & 0x7F == 0 ? .exited((status >> 8) & 0xFF) : .killed(signal: status & 0x7F)
    }

    /// Ends this process in the same way.
    public func repeatHere() -> Never {
        switch self {
        case .exited(let status): exit(status)
        case .killed(let number):
            signal(number, SIG_DFL)
            var set = sigset_t()
            unsafe sigemptyset(&set)
            unsafe sigaddset(&set, number)
            _ = unsafe pthread_sigmask(SIG_UNBLOCK, &set, nil)
            kill(getpid(), number)
            // Some signals end no process (SIGCHLD), or not this one (the first of a container).
            exit(128 + number)
        }
    }
}

extension ProgramImage {
    /// Signals that people and supervisors send to a process, and mean the program that it runs.
    private static let forwarded = [SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2]
    /// Enough for what two full pipes hold.
    private static let looks = 64

    /// Runs the program beside this process, in its process group and with its standard input, and passes its output on.
    /// - Returns: when the program has ended, and nobody holds its output open.
    ///   `unwritten` says why its output could not all be written, for example to a full disk.
    public func relay(
        restoring inheritance: ProcessInheritance, output: any OutputFilter, errors: any OutputFilter
    ) throws(SystemError) -> (end: ProgramEnd, unwritten: SystemError?) {
        var mask = sigset_t()
        _ = unsafe pthread_sigmask(SIG_BLOCK, nil, &mask)
        let signals = try SignalDescriptor(Self.forwarded + JobControl.signals)
        // This process may have inherited an ignored SIGCHLD, and then it could not wait for its child.
        signal(SIGCHLD, SIG_DFL)
        let streams = [
            try RelayedStream(to: STDOUT_FILENO, output), try RelayedStream(to: STDERR_FILENO, errors),
        ]
        // From here on this process makes no files.
        inheritance.restoreMask()
        let pid = try start(streams, mask, restoring: inheritance)
        let exit = Descriptor(adopting: try checked("watch process \(pid)") { coffer_pidfd_open(pid) })
        for stream in streams { stream.hasStarted() }
        var result: ProgramEnd?
        // How often this process still looks for output before it stops, as the program has.
        var looks: Int?
        while result == nil || streams.contains(where: \.isOpen) {
            var entries = [
                pollfd(fd: signals.number, events: Int16(POLLIN), revents: 0),
                // A negative number is passed over.
                pollfd(fd: result == nil ? exit.number : -1, events: Int16(POLLIN), revents: 0),
            ]
            entries += streams.map(\.wish)
            try checked("wait for a program") { unsafe poll(&entries, nfds_t(entries.count), looks == nil ? -1 : 0) }
            // What the program has written before it stopped comes first, but others may write on and on.
            if let left = looks {
                looks = left - 1
                if entries.prefix(left > 0 ? entries.count : 2).allSatisfy({ $0.revents == 0 }) {
                    looks = nil
                    JobControl.stop()
                    continue
                }
            }
            for (index, entry) in entries.dropFirst(2).enumerated() where entry.revents != 0 {
                try streams[index].advance()
            }
            // Before the end is taken note of: what came before the end was for the program, too.
            if entries[0].revents != 0 || entries[1].revents != 0 {
                for arrival in signals.takeWithSenders() where arrival.number != SIGCHLD {
                    // With the program gone, what is left is this process.
                    if result != nil {
                        guard JobControl.signals.contains(arrival.number) else {
                            return (.killed(signal: arrival.number), nil)
                        }
                        if arrival.number == SIGTSTP { JobControl.stop() }
                        continue
                    }
                    // A key in the terminal, and its end, reach the whole group, so the program has had the signal.
                    if arrival.isFromKernel { continue }
                    if arrival.number == SIGCONT { looks = nil }
                    kill(pid, arrival.number)
                }
                if result == nil {
                    switch try ChildChange.look(at: pid) {
                    case .ended(let status): (result, looks) = (ProgramEnd(status), nil)
                    case .stopped: looks = Self.looks
                    case nil: break
                    }
                }
            }
        }
        return (result ?? .exited(0), streams.lazy.compactMap(\.failure).first)
    }

    private func start(
        _ streams: [RelayedStream], _ mask: sigset_t, restoring inheritance: ProcessInheritance
    ) throws(SystemError) -> Int32 {
        var actions = unsafe posix_spawn_file_actions_t()
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }
        for stream in streams {
            unsafe posix_spawn_file_actions_adddup2(&actions, stream.writingEnd, stream.target)
        }
        // Onto its own number: then the program inherits it, and nothing else of this process's does.
        for file in files { unsafe posix_spawn_file_actions_adddup2(&actions, file.number, file.number) }
        var attributes = posix_spawnattr_t()
        unsafe posix_spawnattr_init(&attributes)
        defer { unsafe posix_spawnattr_destroy(&attributes) }
        var mask = mask
        unsafe posix_spawnattr_setsigmask(&attributes, &mask)
        var defaults = sigset_t()
        unsafe sigemptyset(&defaults)
        if !inheritance.ignoresBrokenPipes { unsafe sigaddset(&defaults, SIGPIPE) }
        unsafe posix_spawnattr_setsigdefault(&attributes, &defaults)
        unsafe posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))
        var pid: pid_t = 0
        let code = unsafe try attempt { path, words, variables in
            var words = unsafe words
            var variables = unsafe variables
            return unsafe posix_spawn(&pid, path, &actions, &attributes, &words, &variables)
        }
        guard code == 0 else { throw SystemError("start \(path)", errno: code) }
        return pid
    }
}

/// One of a program's two outputs, from the pipe that it writes to this process's own.
final class RelayedStream {
    let target: Int32
    private var filter: any OutputFilter
    private var source: Descriptor?
    /// The program's end; nil once the program has it.
    private var programsEnd: Descriptor?
    /// Why the output could not be written. None if nobody reads it.
    private(set) var failure: SystemError?
    /// What is to be written.
    private var waiting: ArraySlice<UInt8> = []

    /// The most bytes that are read at once. This and what the filter holds back is all that is kept.
    private static let portion = 65_536
    /// The room that a pipe has when `poll` says that it has any (PIPE_BUF).
    private static let chunk = 4096

    init(to target: Int32, _ filter: any OutputFilter) throws(SystemError) {
        self.target = target
        self.filter = filter
        var ends: [Int32] = [-1, -1]
        try checked("make a pipe") { unsafe coffer_pipe(&ends) }
        let reading = Descriptor(adopting: ends[0])
        let writing = Descriptor(adopting: ends[1])
        // Above the standard ones, which are set one by one for the program and would overwrite a lower number.
        source = Descriptor(adopting: try checked("move a descriptor") { coffer_duplicate_above(reading.number, 3) })
        programsEnd = Descriptor(
            adopting: try checked("move a descriptor") { coffer_duplicate_above(writing.number, 3) })
    }

    var writingEnd: Int32 { programsEnd?.number ?? -1 }

    /// Closes the program's end here, so that the end of the output can be seen.
    func hasStarted() { programsEnd = nil }

    var isOpen: Bool { source != nil || !waiting.isEmpty }

    /// What to wait for. While something waits to be written, nothing is read, so the program waits for its reader as usual.
    var wish: pollfd {
        waiting.isEmpty
            ? pollfd(fd: source?.number ?? -1, events: Int16(POLLIN), revents: 0)
            : pollfd(fd: target, events: Int16(POLLOUT), revents: 0)
    }

    /// Reads or writes, whichever ``wish`` waited for.
    func advance() throws(SystemError) {
        if waiting.isEmpty { try read() } else { try write() }
    }

    private func read() throws(SystemError) {
        guard let number = source?.number else { return }
        var bytes = [UInt8](repeating: 0, count: Self.portion)
        let count = try checked("read a program's output") { unsafe Glibc.read(number, &bytes, bytes.count) }
        if count == 0 {
            source = nil
            waiting = filter.finish()[...]
        } else {
            waiting = filter.read(Array(bytes[..<count]))[...]
        }
    }

    private func write() throws(SystemError) {
        let part = Array(waiting.prefix(Self.chunk))
        let count = unsafe Glibc.write(target, part, part.count)
        if count > 0 {
            waiting = waiting.dropFirst(count)
        } else if errno != EINTR, errno != EAGAIN {
            // The program learns it at its next write, as without this process. If nobody reads the output, that is all.
            if errno != EPIPE { failure = SystemError("write the program's output", errno: errno) }
            source = nil
            waiting = []
        }
    }
}
