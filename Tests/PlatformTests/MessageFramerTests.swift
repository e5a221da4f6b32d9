import Platform
import Testing

/// How a stream becomes messages. The sender chooses the pieces.
@Suite struct MessageFramerTests {
    private func step(_ framer: inout MessageFramer, limit: Int = 3) -> String {
        switch framer.next(limit: limit) {
        case .message(let bytes): String(decoding: bytes, as: UTF8.self)
        case .incomplete: "incomplete"
        case .tooLong: "too long"
        }
    }

    /// One that comes at once with its end is no longer than one that comes without.
    @Test(arguments: [
        ("abc\0", "abc"), ("abcd\0", "too long"), ("abc", "incomplete"), ("abcd", "too long"), ("\0", ""),
        ("abcdefgh\0", "too long"),
    ])
    func aMessageHasItsLimitHoweverItComes(text: String, answer: String) {
        var whole = MessageFramer()
        whole.append(Array(text.utf8))
        let atOnce = step(&whole)
        #expect(atOnce == answer)
        var pieces = MessageFramer()
        var last = "incomplete"
        for byte in text.utf8 where last == "incomplete" {
            pieces.append([byte])
            last = step(&pieces)
        }
        #expect(last == answer)
    }

    @Test func whatFollowsAMessageIsKept() {
        var framer = MessageFramer()
        framer.append(Array("ab".utf8))
        let first = step(&framer)
        #expect(first == "incomplete" && framer.count == 2 && !framer.hasMessage)
        framer.append(Array("c\0\0de\0f".utf8))
        #expect(framer.hasMessage)
        var steps: [String] = []
        for _ in 0..<4 { steps.append(step(&framer)) }
        #expect(steps == ["abc", "", "de", "incomplete"])
        #expect(framer.count == 1 && !framer.hasMessage)
        framer.append([0])
        let last = step(&framer)
        #expect(last == "f" && framer.count == 0)
    }

    @Test func nothingIsLeftAfterAWipe() {
        var framer = MessageFramer()
        framer.append(Array("abc".utf8))
        let first = step(&framer)
        framer.wipe()
        #expect(first == "incomplete" && framer.count == 0 && !framer.hasMessage)
        framer.append(Array("x\0".utf8))
        let next = step(&framer)
        #expect(next == "x")
    }
}
