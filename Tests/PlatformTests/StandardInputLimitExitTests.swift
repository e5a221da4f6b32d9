import Glibc
import Platform
import Testing

/// Standard input is read up to its limit, and no further.
@Suite(.serialized) struct StandardInputLimitExitTests {
    /// Makes a text the standard input, and its end the end of the input.
    private static func feed(_ text: [UInt8]) {
        var ends: [Int32] = [-1, -1]
        guard unsafe pipe(&ends) == 0 else { exit(99) }
        let written = unsafe write(ends[1], text, text.count)
        guard written == text.count, dup2(ends[0], STDIN_FILENO) == STDIN_FILENO, close(ends[1]) == 0 else { exit(98) }
    }

    private static func letters(_ count: Int) -> [UInt8] { [UInt8](repeating: UInt8(ascii: "x"), count: count) }

    private static func readLines() throws {
        feed(letters(10) + [10] + letters(11) + [10])
        var lines = StandardInputLines(limit: 10)
        guard let whole = try lines.next(), whole == letters(10) else { exit(1) }
        do throws(SystemError) {
            guard try lines.next() == nil else { exit(2) }
            exit(3)
        } catch {
            guard error.reason == "a line has more than 10 bytes" else { exit(4) }
        }
    }

    @Test func aLineHasItsWholeLengthAndNoMore() async {
        await #expect(processExitsWith: .success) { try Self.readLines() }
    }

    private static func readShortLines() throws {
        feed([10] + letters(3) + [10, 10] + letters(2))
        var lines = StandardInputLines(limit: 10)
        for count in [0, 3, 0] {
            guard let line = try lines.next(), line == letters(count) else { exit(1) }
        }
        // What has no line break is no line.
        guard try lines.next() == nil else { exit(2) }
    }

    @Test func linesComeOneByOne() async {
        await #expect(processExitsWith: .success) { try Self.readShortLines() }
    }

    private static func readParts() throws {
        feed(letters(20))
        guard StandardInput.hasData, try StandardInput.read(limit: 12) == letters(12) else { exit(1) }
        guard try StandardInput.read(atMost: 3) == letters(3) else { exit(2) }
        guard StandardInput.hasData, try StandardInput.read(limit: 0) == [] else { exit(3) }
        guard try StandardInput.read(limit: 100) == letters(5), !StandardInput.hasData else { exit(4) }
        guard try StandardInput.read(atMost: 3) == [] else { exit(5) }
    }

    @Test func nothingIsReadBeyondTheLimit() async {
        await #expect(processExitsWith: .success) { try Self.readParts() }
    }
}
