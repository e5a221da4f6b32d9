import Glibc
import Testing

@testable import Platform

/// A terminal that asks shows no typing, and is afterwards as it was.
@Suite struct TerminalSettingsTests {
    /// Both sides of a new terminal.
    private final class NewTerminal {
        private let person: Descriptor
        private let program: Descriptor

        init() throws {
            // Swift does not see the macros for these calls. These are their values (ioctl_tty(2)).
            let opened = try Descriptor.open("/dev/ptmx", O_RDWR | O_NOCTTY)
            let side = opened.number
            var locked: Int32 = 0
            var number: UInt32 = 0
            try #require(unsafe ioctl(side, 0x4004_5431, &locked) == 0)  // TIOCSPTLCK
            try #require(unsafe ioctl(side, 0x8004_5430, &number) == 0)  // TIOCGPTN
            program = try Descriptor.open("/dev/pts/\(number)", O_RDWR | O_NOCTTY)
            person = opened
        }

        /// The program's side.
        var number: Int32 { program.number }
    }

    private static let typing = tcflag_t(ECHO | ICANON | ISIG)

    @Test func whatAsksShowsNothingAndChangesNothingElse() throws {
        let terminal = try NewTerminal()
        let number = terminal.number
        let shown = try TerminalSettings(of: number)
        #expect(shown.before.c_lflag & Self.typing == Self.typing)
        // A shell may have turned off that Return ends a line.
        var own = shown.before
        own.c_iflag &= ~tcflag_t(ICRNL)
        let isSet = unsafe tcsetattr(number, TCSANOW, &own) == 0
        #expect(isSet)
        let settings = try TerminalSettings(of: number)
        #expect(settings.before.c_iflag == own.c_iflag && settings.before.c_lflag == own.c_lflag)
        #expect(settings.asking.c_lflag == own.c_lflag & ~Self.typing)
        #expect(settings.asking.c_iflag == own.c_iflag | tcflag_t(ICRNL))
        #expect(settings.asking.c_oflag == settings.before.c_oflag)
        #expect(settings.asking.c_cflag == settings.before.c_cflag)
        withExtendedLifetime(terminal) {}
    }

    @Test func itIsPutBackAsItWas() throws {
        let terminal = try NewTerminal()
        let number = terminal.number
        let settings = try TerminalSettings(of: number)
        for drops in [true, false] {
            #expect(!settings.isAsking(number))
            try settings.apply(number)
            #expect(settings.isAsking(number))
            let asking = try TerminalSettings(of: number).before
            #expect(asking.c_lflag & Self.typing == 0)
            settings.restore(number, drops: drops)
            let after = try TerminalSettings(of: number).before
            #expect(after.c_lflag == settings.before.c_lflag && after.c_iflag == settings.before.c_iflag)
        }
        withExtendedLifetime(terminal) {}
    }

    @Test func whatIsNoTerminalHasNoSettings() throws {
        let terminal = try NewTerminal()
        let settings = try TerminalSettings(of: terminal.number)
        let null = try Descriptor.open("/dev/null", O_RDWR)
        let number = null.number
        let reading = #expect(throws: SystemError.self) { try TerminalSettings(of: number) }
        let writing = #expect(throws: SystemError.self) { try settings.apply(number) }
        #expect(reading?.errno == ENOTTY && writing?.errno == ENOTTY)
        #expect(!settings.isAsking(number))
        _ = consume null
        withExtendedLifetime(terminal) {}
    }
}
