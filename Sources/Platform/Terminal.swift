import CLinux
import Glibc

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
    }

    /// The number of cells in a line of the terminal; nil if the descriptor is no terminal or the terminal does not know.
    public static func columns(of descriptor: Int32) -> Int? {
        var size = winsize()
        guard unsafe ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
        return Int(size.ws_col)
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
    public func ask(_ prompt: String, hidden: Bool, limit: Int, wakeUp: Int32? = nil) throws(SystemError) -> Answer {
        try reading(prompt) { signals throws(SystemError) in
            switch try readLine(hidden: hidden, limit: limit, signals: signals, wakeUp: wakeUp) {
            case .line(let line): .line(line)
            // Ctrl-D after something was typed does nothing here.
            case .end, .cancelled: .cancelled
            }
        }
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
    public func askLines(_ prompt: String, until last: [UInt8]?, limit: Int) throws(SystemError) -> Lines {
        try reading(prompt) { signals throws(SystemError) in
            var lines: [[UInt8]] = []
            var left = limit
            while true {
                let typed = try readLine(
                    hidden: true, limit: left + 1, signals: signals, wakeUp: nil, endsWithinLine: true)
                let line: [UInt8]
                switch typed {
                case .line(let typed) where typed == last: return .text(lines)
                case .line(let typed): line = typed + [10]
                case .end(let rest): line = rest
                case .cancelled: return .cancelled
                }
                left -= line.count
                if left < 0 { return .tooLong }
                if !line.isEmpty { lines.append(line) }
                if case .end = typed { return .text(lines) }
            }
        }
    }

    /// What a person did in a line.
    private enum Typed {
        case line([UInt8])
        /// Ctrl-D, and what was typed before it.
        case end([UInt8])
        case cancelled
    }

    /// Shows a prompt while the terminal shows no typing and sends no signals, and then restores the terminal.
    /// - Parameter body: gets a descriptor that becomes readable when a signal arrives.
    private func reading<Result>(
        _ prompt: String, _ body: (Int32) throws(SystemError) -> Result
    ) throws(SystemError) -> Result {
        var before = termios()
        let number = descriptor.number
        try checked("ask the terminal for its settings") { unsafe tcgetattr(number, &before) }

        // Signals are read as events while the settings are changed, so that the settings are restored on every way out.
        var signals = sigset_t()
        unsafe sigemptyset(&signals)
        for signal in [SIGINT, SIGTERM, SIGHUP, SIGQUIT] { unsafe sigaddset(&signals, signal) }
        var mask = sigset_t()
        unsafe pthread_sigmask(SIG_BLOCK, &signals, &mask)
        defer { unsafe pthread_sigmask(SIG_SETMASK, &mask, nil) }
        let events = Descriptor(
            adopting: try checked("watch for signals") { unsafe signalfd(-1, &signals, Int32(SFD_CLOEXEC)) })

        var raw = before
        raw.c_lflag &= ~tcflag_t(ECHO | ICANON | ISIG)
        raw.c_iflag |= tcflag_t(ICRNL)
        try checked("change the terminal's settings") { unsafe tcsetattr(number, TCSAFLUSH, &raw) }
        defer { unsafe tcsetattr(number, TCSAFLUSH, &before) }

        try write(prompt)
        let answer = try body(events.number)
        try write("\n")
        return answer
    }

    /// - Parameter endsWithinLine: whether Ctrl-D ends the input even if something was typed in the line.
    private func readLine(
        hidden: Bool, limit: Int, signals: Int32, wakeUp: Int32?, endsWithinLine: Bool = false
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
            if entries[1].revents != 0 || entries[2].revents != 0 { return .cancelled }
            guard entries[0].revents != 0 else { continue }
            var byte: UInt8 = 0
            let count = unsafe read(descriptor.number, &byte, 1)
            if count < 0, errno == EINTR { continue }
            guard count == 1 else { return .cancelled }
            switch byte {
            case 10, 13: return .line(line)
            case 3, 28: return .cancelled
            case 4: if line.isEmpty || endsWithinLine { return .end(line) }
            case 8, 127: try eraseLast(of: &line, hidden: hidden)
            case 21:
                while !line.isEmpty { try eraseLast(of: &line, hidden: hidden) }
            default:
                guard line.count < limit else { continue }
                line.append(byte)
                if !hidden { try echo([byte]) }
            }
        }
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
