import Glibc
import Platform
import Testing

/// What comes through standard input can be a secret. Nothing is left of it but what was handed on (attacker 8).
@Suite(.serialized) struct StandardInputExitTests {
    /// The secret is nothing but this byte.
    private static let mark: UInt8 = 0xC3
    private static let count = 15_000

    /// Makes lines of a secret the standard input.
    private static func feed(lines: Int) {
        var ends: [Int32] = [-1, -1]
        guard unsafe pipe(&ends) == 0 else { exit(99) }
        var text = [UInt8](repeating: mark, count: lines * (count + 1))
        for line in 1...lines { text[line * (count + 1) - 1] = UInt8(ascii: "\n") }
        let written = unsafe write(ends[1], text, text.count)
        Wipe.bytes(&text)
        guard written == text.count, dup2(ends[0], STDIN_FILENO) == STDIN_FILENO, close(ends[1]) == 0 else { exit(98) }
    }

    /// Frees memory that just takes a line, so that a line does not lie where something else of it was.
    private static func leaveRoom() {
        let blocks = unsafe (0..<16).map { _ in unsafe malloc(count + 256) }
        for place in stride(from: 0, to: 16, by: 2) { unsafe free(blocks[place]) }
    }

    /// Whether free memory has a piece of the secret. What is looked at stays taken, so that each place comes once.
    private static func isLeft() -> Bool {
        var isLeft = false
        for _ in 0..<8192 {
            guard let block = unsafe malloc(1024) else { exit(97) }
            // The heap itself writes into the first bytes.
            for place in stride(from: 32, to: 1008, by: 16)
            where unsafe block.load(fromByteOffset: place, as: UInt8.self) == mark {
                let isPiece = (0..<16).allSatisfy {
                    unsafe block.load(fromByteOffset: place + $0, as: UInt8.self) == mark
                }
                if isPiece { isLeft = true }
            }
        }
        return isLeft
    }

    private static func dropBytes() {
        let bytes = [UInt8](repeating: mark, count: count)
        guard bytes.contains(mark) else { exit(96) }
    }

    @Test func theSearchFindsWhatIsNotWiped() async {
        await #expect(processExitsWith: .success) {
            Self.dropBytes()
            guard Self.isLeft() else { exit(1) }
        }
    }

    private static func growBuffer() {
        var bytes = [UInt8](repeating: mark, count: count)
        Wipe.append([UInt8](repeating: 0, count: 2 * count), to: &bytes)
        guard bytes.count == 3 * count, bytes[count - 1] == mark, bytes[count] == 0 else { exit(96) }
        Wipe.storage(of: bytes)
    }

    @Test func aBufferThatGrowsLeavesNothingBehind() async {
        await #expect(processExitsWith: .success) {
            Self.growBuffer()
            guard !Self.isLeft() else { exit(1) }
        }
    }

    private static func readWhole() throws {
        let bytes = try StandardInput.read(limit: count + 5000)
        guard bytes.count == count + 1, bytes[count - 1] == mark else { exit(95) }
        Wipe.storage(of: bytes)
    }

    @Test func whatIsReadToTheEndIsInNoOtherMemory() async {
        await #expect(processExitsWith: .success) {
            Self.feed(lines: 1)
            try Self.readWhole()
            guard !Self.isLeft() else { exit(1) }
        }
    }

    private static func readLines() throws {
        // More than a line comes at once, and less than two.
        var lines = StandardInputLines(limit: count + 5000)
        for _ in 0..<3 {
            guard let line = try lines.next(), line.count == count, line.allSatisfy({ $0 == mark }) else { exit(95) }
            Wipe.storage(of: line)
        }
    }

    @Test func aLineThatIsReadIsInNoOtherMemory() async {
        await #expect(processExitsWith: .success) {
            Self.feed(lines: 3)
            Self.leaveRoom()
            try Self.readLines()
            guard !Self.isLeft() else { exit(1) }
        }
    }
}
