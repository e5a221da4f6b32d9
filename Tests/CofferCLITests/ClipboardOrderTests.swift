import BrokerProtocol
import Foundation
import Glibc
import TestSupport
import Testing

/// No secret gets onto a clipboard that nothing would clear, or that does not take all of it.
@Suite struct ClipboardOrderTests {
    /// Ends the processes that clear this display's clipboard.
    private static func endClearing(_ display: String) {
        // `try?`: /proc can be listed.
        let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
        for pid in names.compactMap({ Int32($0) }) {
            // `try?`: a process that ends meanwhile is none of these.
            guard let words = try? Data(contentsOf: URL(filePath: "/proc/\(pid)/cmdline")),
                words.range(of: Data("clipboard-clear".utf8)) != nil, words.range(of: Data(display.utf8)) != nil
            else { continue }
            kill(pid, SIGKILL)
        }
    }

    /// If the process that clears cannot start, there must be nothing to clear. So it is there first.
    @Test func whatClearsIsThereBeforeTheSecret() throws {
        var fixture = try FakeCoffer(broker: ["Get": [FakeCoffer.value(Array("s3cret".utf8))]])
        let (board, found) = (fixture.scratch.file("board"), fixture.scratch.file("found"))
        // Only the process that clears has the display's name among its arguments. grep has it from a file.
        let display = "wayland-\(UInt32.random(in: 0 ... .max))"
        let name = fixture.scratch.file("name")
        try Data(display.utf8).write(to: URL(filePath: name))
        try fixture.scratch.program(
            "wl-copy",
            """
            #!/bin/sh
            [ "$1" != --version ] || exec echo wl-clipboard 2.3.0
            # A process that was just started has no arguments for a moment.
            for try in $(seq 50); do
                ! grep -aqsF -f \(name) /proc/[0-9]*/cmdline || { echo there >>\(found); break; }
                sleep 0.1
            done
            cat >\(board)
            """)
        try fixture.scratch.program("wl-paste", "#!/bin/sh\ncat \(board)\n")
        fixture.program.environment["WAYLAND_DISPLAY"] = display
        fixture.program.environment["PATH"] = "\(fixture.scratch.path):/usr/bin:/bin"
        defer { Self.endClearing(display) }
        let result = try fixture.program.run("get", "github", "me", "--clip=60m")
        #expect(result.status == 0, "\(result)")
        #expect(try fixture.scratch.contents("board") == Array("s3cret".utf8))
        #expect(FileManager.default.contents(atPath: found).map { String(decoding: $0, as: UTF8.self) } == "there\n")
    }

    /// A terminal would drop a longer one without a word, or take a part of it.
    @Test(arguments: [(74_994, true), (74_995, false)])
    func aTerminalTakesSoMuch(count: Int, isCopied: Bool) throws {
        var fixture = try FakeCoffer(broker: ["Get": [FakeCoffer.value([UInt8](repeating: 65, count: count))]])
        fixture.program.environment["TERM"] = "xterm"
        // The end of the terminal is that of the process that clears.
        let result = try fixture.program.run("get", "github", "me", "--clip=1", input: .terminal, turns: [])
        #expect(result.status == (isCopied ? 0 : 1) && result.output.isEmpty, "\(result.errors)")
        #expect(result.screen.hasPrefix("\u{1B}]52;c;QUFB") == isCopied && result.screen.isEmpty == !isCopied)
        #expect(result.errors.contains("too large for a terminal's clipboard") == !isCopied, "\(result.errors)")
    }
}
