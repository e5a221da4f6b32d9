import CLinux
import Glibc
import Synchronization

/// The controlling terminal, `/dev/tty`. It reaches the person even if standard input and output are redirected.
public struct Terminal: ~Copyable {
    private let descriptor: Descriptor

    /// - Throws: ``SystemError`` if the process has no controlling terminal.
    public init() throws(SystemError) {
        self.descriptor = try Descriptor.open("/dev/tty", O_RDWR | O_NOCTTY)
    }

    /// The result of a prompt.
    public enum Answer: Sendable {
        case line([UInt8])
        /// Ctrl-C, Ctrl-\, Ctrl-D on an empty line, or the terminal is gone.
        case cancelled

        var isCancelled: Bool {
            switch self {
            case .line: false
            case .cancelled: true
            }
        }
    }

    /// Whether this process belongs to the terminal's foreground. One in the background would be stopped when it reads, or take what is typed for
    /// others.
    public var isForeground: Bool {
        let group = tcgetpgrp(descriptor.number)
        return group >= 0 && group == getpgrp()
    }

    /// The number of cells in a line of the terminal; nil if the descriptor is no terminal or the terminal does not know.
    public static func columns(of descriptor: Int32) -> Int? {
        var size = winsize()
        guard unsafe ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
        return Int(size.ws_col)
    }

    /// The size in cells; nil if the terminal does not know it.
    public var size: (rows: Int, columns: Int)? {
        var size = winsize()
        guard unsafe ioctl(descriptor.number, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0 else {
            return nil
        }
        return (Int(size.ws_row), Int(size.ws_col))
    }

    public func write(_ text: String) throws(SystemError) {
        let bytes = Array(text.utf8)
        let number = descriptor.number
        var written = 0
        while written < bytes.count {
            written += try checked("write to the terminal") {
                unsafe bytes.withUnsafeBytes {
                    unsafe Glibc.write(number, $0.baseAddress! + written, $0.count - written)
                }
            }
        }
    }

    /// Shows a prompt and reads a line.
    /// - Parameter hidden: do not show the typing.
    /// - Parameter limit: the most bytes that are accepted; the rest is dropped.
    /// - Parameter wakeUp: a descriptor that cancels the prompt when it becomes readable.
    /// - Parameter guardian: a program that runs ``TerminalGuard/run()``, and its arguments; nil to ask without a guard.
    public func ask(
        _ prompt: String, hidden: Bool, limit: Int, wakeUp: Int32? = nil,
        guardian: (path: String, arguments: [String])? = nil
    ) throws(SystemError) -> Answer {
        var answer = Answer.cancelled
        try reading(prompt, guardian: guardian) { (signals, again) throws(SystemError) in
            let typed = try readLine(hidden: hidden, limit: limit, signals: signals, wakeUp: wakeUp, again: again)
            // Ctrl-D after something was typed does nothing here.
            if case .line(let line) = typed { answer = .line(line) }
            return !answer.isCancelled
        }
        return answer
    }

    /// The result of a prompt for several lines.
    public enum Lines: Sendable {
        /// Each line with its line break. The last one has none if the input ended within it.
        case text([[UInt8]])
        case cancelled
        /// More than the limit was typed.
        case tooLong
    }

    /// Shows a prompt and reads hidden lines until Ctrl-D.
    /// - Parameter last: a line that ends the input, too, and is no part of it.
    /// - Parameter limit: the most bytes that are accepted.
    /// - Parameter guardian: as for ``ask(_:hidden:limit:wakeUp:guardian:)``.
    public func askLines(
        _ prompt: String, until last: [UInt8]?, limit: Int, guardian: (path: String, arguments: [String])? = nil
    ) throws(SystemError) -> Lines {
        var answer = Lines.cancelled
        try reading(prompt, guardian: guardian) { (signals, again) throws(SystemError) in
            var lines: [[UInt8]] = []
            var left = limit
            while true {
                let typed = try readLine(
                    hidden: true, limit: left + 1, signals: signals, wakeUp: nil, endsWithinLine: true, again: again)
                let line: [UInt8]
                var isEnd = false
                switch typed {
                case .line(let typed) where typed == last: (line, isEnd) = ([], true)
                case .line(let typed):
                    line = typed + [10]
                    Wipe.storage(of: typed)
                case .end(let rest): (line, isEnd) = (rest, true)
                case .cancelled: return false
                }
                left -= line.count
                if left < 0 {
                    answer = .tooLong
                    return false
                }
                if !line.isEmpty { lines.append(line) }
                if isEnd {
                    answer = .text(lines)
                    return true
                }
            }
        }
        return answer
    }

    /// What a person did in a line.
    private enum Typed {
        case line([UInt8])
        /// Ctrl-D, and what was typed before it.
        case end([UInt8])
        case cancelled
    }

    /// Shows a prompt while the terminal shows no typing and sends no signals, and then restores the terminal.
    /// - Parameter body: gets a descriptor that becomes readable when a signal arrives, and what shows the prompt again. It says whether the person
    ///   came to the end of the answer.
    private func reading(
        _ prompt: String, guardian: (path: String, arguments: [String])?,
        _ body: (_ signals: Int32, _ again: () throws(SystemError) -> Void) throws(SystemError) -> Bool
    ) throws(SystemError) {
        let number = descriptor.number
        let settings = try TerminalSettings(of: number)

        // Signals are read as events while the settings are changed, so that the settings are restored on every way out. The terminal's own signals
        // are blocked: a process that was put into the background meanwhile gets an error and is not stopped.
        var signals = sigset_t()
        unsafe sigemptyset(&signals)
        for signal in Self.endings + [SIGCONT] { unsafe sigaddset(&signals, signal) }
        var blocked = signals
        for signal in [SIGTTOU, SIGTTIN] { unsafe sigaddset(&blocked, signal) }
        var mask = sigset_t()
        unsafe pthread_sigmask(SIG_BLOCK, &blocked, &mask)
        defer { unsafe pthread_sigmask(SIG_SETMASK, &mask, nil) }
        let events = Descriptor(
            adopting: try checked("watch for signals") {
                unsafe signalfd(-1, &signals, Int32(SFD_CLOEXEC) | Int32(SFD_NONBLOCK))
            })

        // `try?`: signals that reach other threads, and SIGKILL, then leave the terminal without echo. It still asks.
        var guarding = guardian.flatMap { try? TerminalGuard($0, terminal: number) }
        defer { guarding.take()?.finish() }
        guard isForeground else { throw SystemError("ask at the terminal", reason: "this runs in its background") }
        try settings.apply(number)
        var isWhole = false
        // What was typed after an answer is for the next program. Half an answer is for nobody.
        defer { if isForeground { settings.restore(number, drops: !isWhole) } }
        try write(prompt)
        isWhole = try body(
            events.number,
            { () throws(SystemError) in
                try settings.apply(number)
                try write("\n" + prompt)
            })
        try write("\n")
    }

    /// Whether a person has pressed Ctrl-C at a question. The terminal sends no signal then.
    public static var isInterrupted: Bool { interruption.load(ordering: .relaxed) }

    private static let interruption = Atomic(false)

    private static let endings = [SIGINT, SIGTERM, SIGHUP, SIGQUIT]

    /// - Parameter endsWithinLine: whether Ctrl-D ends the input even if something was typed in the line.
    /// - Parameter again: asks again, after somebody has stopped and continued the process. A shell changes the settings meanwhile.
    private func readLine(
        hidden: Bool, limit: Int, signals: Int32, wakeUp: Int32?, endsWithinLine: Bool = false,
        again: () throws(SystemError) -> Void
    ) throws(SystemError) -> Typed {
        var line: [UInt8] = []
        line.reserveCapacity(min(limit, 4096))
        while true {
            var entries = [
                pollfd(fd: descriptor.number, events: Int16(POLLIN), revents: 0),
                pollfd(fd: signals, events: Int16(POLLIN), revents: 0),
                pollfd(fd: wakeUp ?? -1, events: Int16(POLLIN), revents: 0),
            ]
            let ready = unsafe poll(&entries, 3, -1)
            if ready < 0, errno != EINTR { throw SystemError("wait for the terminal", errno: errno) }
            if entries[2].revents != 0 { return .cancelled }
            if entries[1].revents != 0 {
                guard Self.isOnlyContinuation(signals), isForeground else { return .cancelled }
                Wipe.bytes(&line)
                line.removeAll(keepingCapacity: true)
                try again()
                continue
            }
            guard entries[0].revents != 0 else { continue }
            var byte: UInt8 = 0
            let count = unsafe read(descriptor.number, &byte, 1)
            if count < 0, errno == EINTR { continue }
            guard count == 1 else { return .cancelled }
            switch byte {
            case 10, 13: return .line(line)
            case 3:
                Self.interruption.store(true, ordering: .relaxed)
                return .cancelled
            case 28: return .cancelled
            case 4: if line.isEmpty || endsWithinLine { return .end(line) }
            case 8, 127: try eraseLast(of: &line, hidden: hidden)
            case 21:
                while !line.isEmpty { try eraseLast(of: &line, hidden: hidden) }
            default:
                guard line.count < limit else { continue }
                Wipe.makeRoom(for: 1, in: &line)
                line.append(byte)
                if !hidden { try echo([byte]) }
            }
        }
    }

    /// Takes SIGCONT. Any other signal stays pending, and ends the process when it is no longer blocked.
    private static func isOnlyContinuation(_ signals: Int32) -> Bool {
        var pending = sigset_t()
        guard unsafe sigpending(&pending) == 0, endings.allSatisfy({ unsafe sigismember(&pending, $0) == 0 })
        else { return false }
        var information = signalfd_siginfo()
        return unsafe read(signals, &information, MemoryLayout<signalfd_siginfo>.size) > 0
    }

    private func eraseLast(of line: inout [UInt8], hidden: Bool) throws(SystemError) {
        guard !line.isEmpty else { return }
        // A character may have several bytes in UTF-8, so its continuation bytes go first.
        while let last = line.popLast(), last & 0xC0 == 0x80 {}
        if !hidden { try write("\u{8} \u{8}") }
    }

    private func echo(_ bytes: [UInt8]) throws(SystemError) {
        let number = descriptor.number
        try checked("write to the terminal") {
            unsafe bytes.withUnsafeBytes { unsafe Glibc.write(number, $0.baseAddress, $0.count) }
        }
    }
}

/// The terminal of this process's session, tty(4).
public enum ControllingTerminal {
    /// Leaves the terminal, so that what a person allows its programs is not for this one. A process without a terminal stays as it is.
    /// - Throws: ``SystemError`` if the process still has its terminal.
    public static func leave() throws(SystemError) {
        guard try ProcessStat(pid: getpid()).terminal != 0 else { return }
        let terminal = try Descriptor.open("/dev/tty", O_RDWR | O_NOCTTY)
        // If the leader of a session leaves, its programs are told that the terminal hangs up, and this is one of them.
        let former = signal(SIGHUP, SIG_IGN)
        defer { signal(SIGHUP, former) }
        try checked("leave the terminal") { ioctl(terminal.number, UInt(TIOCNOTTY)) }
    }
}
