import Glibc
import Platform
import Testing

/// A terminal whose person is a test.
final class PseudoTerminal {
    private let master: Descriptor
    let slave: String

    init() throws {
        // Swift does not see the macros for these calls. These are their values (ioctl_tty(2)).
        let opened = try Descriptor.open("/dev/ptmx", O_RDWR | O_NOCTTY)
        let side = opened.number
        var locked: Int32 = 0
        var number: UInt32 = 0
        try #require(unsafe ioctl(side, 0x4004_5431, &locked) == 0)  // TIOCSPTLCK
        try #require(unsafe ioctl(side, 0x8004_5430, &number) == 0)  // TIOCGPTN
        master = opened
        slave = "/dev/pts/\(number)"
    }

    /// Waits for each text and types what follows it.
    /// - Returns: the text that was shown.
    func play(_ turns: [Program.Turn], until limit: ContinuousClock.Instant, watching process: borrowing ProcessHandle)
        throws -> String
    {
        var shown = ""
        for turn in turns {
            var since = ""
            while !since.contains(turn.wait) {
                try #require(
                    try master.waitToRead(until: limit),
                    "the terminal never showed '\(turn.wait)', but: \(shown)\(since)")
                guard let more = read() else { return shown + since }
                since += more
            }
            shown += since
            try turn.act()
            let bytes = Array(turn.type.utf8) + turn.bytes
            try #require(unsafe write(master.number, bytes, bytes.count) == bytes.count)
        }
        while try master.waitToRead(until: limit), let more = read() { shown += more }
        return shown
    }

    /// The text that was shown and not yet read. It does not wait.
    func rest() -> String {
        var shown = ""
        // The loop ends when there is nothing more to read.
        while (try? master.waitToRead(until: .now + .milliseconds(1))) == true, let more = read() { shown += more }
        return shown
    }

    var echoes: Bool {
        var settings = termios()
        return unsafe tcgetattr(master.number, &settings) == 0 && settings.c_lflag & tcflag_t(ECHO) != 0
    }

    /// nil if the other side is closed.
    private func read() -> String? {
        var bytes = [UInt8](repeating: 0, count: 4096)
        let count = unsafe Glibc.read(master.number, &bytes, bytes.count)
        return count > 0 ? String(decoding: bytes.prefix(count), as: UTF8.self) : nil
    }
}
