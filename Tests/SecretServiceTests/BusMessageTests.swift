import Cryptography
import Synchronization
import TestSupport
import Testing

@testable import SystemBus

/// What other programs send is read value by value. A bus of the test's own carries it.
@Suite struct BusMessageTests {
    private static let ended = BusError("read a message from the bus", reason: "it ended too early")

    /// The library says nothing of a value that is not there. Without a look it would be 0.
    @Test func behindTheLastValueOfAListIsNone() throws {
        let echo = try Echo()
        let bus = try Bus(address: echo.address)
        let answer = try echo.answer(
            [
                .array(of: "u", [.number(7), .number(0)]), .array(of: "b", [.flag(true)]), .texts(["x"]), .number(9),
            ], on: bus)

        let hasNumbers = try answer.enter("a", "u")
        let (one, other) = (try answer.number(), try answer.number())
        #expect(hasNumbers && one == 7 && other == 0)
        #expect(throws: Self.ended) { try answer.number() }
        try answer.leave()

        let hasFlags = try answer.enter("a", "b")
        let flag = try answer.bool()
        #expect(hasFlags && flag)
        #expect(throws: Self.ended) { try answer.bool() }
        try answer.leave()

        let hasTexts = try answer.enter("a", "s")
        let (text, none) = (try answer.text(), try answer.nextText())
        #expect(hasTexts && text == "x" && none == nil)
        #expect(throws: Self.ended) { try answer.text() }
        try answer.leave()

        let last = try answer.number()
        #expect(last == 9)
        #expect(throws: BusError.self) { try answer.number() }
        try echo.end()
    }

    /// As logind names the user of a session. What follows is read next.
    @Test func aNumberWithAPathIsReadToItsEnd() throws {
        let echo = try Echo()
        let bus = try Bus(address: echo.address)
        let answer = try echo.answer(
            [
                .variant(.structure([.number(1000), .path("/org/example/user")])), .variant(.flag(true)),
                .variant(.flag(false)), .number(5),
            ], on: bus)
        let user = try answer.numberWithPath()
        let (first, second) = (try answer.flag(), try answer.flag())
        let last = try answer.number()
        #expect(user == 1000 && first == true && second == false && last == 5)
        try echo.end()
    }

    @Test func whatIsSkippedIsNotReadAgain() throws {
        let echo = try Echo()
        let bus = try Bus(address: echo.address)
        let answer = try echo.answer([.text("a"), .number(1), .path("/b"), .text("c")], on: bus)
        try answer.skip("su")
        let (path, text) = (try answer.text("o"), try answer.text())
        #expect(path == "/b" && text == "c")
        // It is the echo's answer to this call, and no signal.
        let (isSignal, sender) = (answer.isSignal, answer.sender)
        #expect(!isSignal && !sender.isEmpty)
        try echo.end()
    }

    // MARK: Texts

    /// Texts are compared and hashed, and each run of marks is sorted for it.
    @Test func aTextWithTooManyMarksInARowIsTooLarge() throws {
        let echo = try Echo()
        let bus = try Bus(address: echo.address)
        let served = "e" + String(repeating: "\u{301}", count: 256)
        let answer = try echo.answer([.text(served)], on: bus)
        let text = try answer.text()
        #expect(text.utf8.elementsEqual(served.utf8))
        for count in [257, 300, 4000] {
            let marks = BusValue.text("e" + String(repeating: "\u{301}", count: count))
            let nested = BusValue.array(of: "{ss}", [.entry(marks, .text("v"))])
            let refusals = [echo.refusal(of: [marks], on: bus), echo.refusal(of: [nested], on: bus)]
            #expect(refusals == [BusErrorName.limitsExceeded, BusErrorName.limitsExceeded], "\(count)")
        }
        try echo.end()
    }

    @Test func anAnswerWithATextThatDBusDoesNotCarryIsAnErrorThatSaysSo() throws {
        let texts: [String] = [
            "a\0b", "\0", "\u{FFFE}", "x\u{FFFF}", Noncharacter.first + "y", Noncharacter.last, "\u{10FFFF}",
        ]
        let echo = try Echo { server, call in
            guard case .number(let index) = call.arguments.first else { return server.release(call) }
            server.reply(to: call, [.array(of: "s", [.text("before"), .text(texts[Int(index)])])])
        }
        for index in texts.indices {
            let words = try echo.words(for: "uint32:\(index)")
            #expect(words.contains("\(BusErrorName.failed): the answer has characters that D-Bus cannot carry"))
        }
        try echo.end()
    }

    /// Without an answer, the caller would wait until it gives up.
    @Test func anErrorThatQuotesAnOddNameIsAnswered() throws {
        let echo = try Echo { server, call in
            server.reply(to: call, error: BusErrorName.failed, "there is no a\u{FFFF}b\0c\(Noncharacter.first)")
        }
        let words = try echo.words(for: "string:x")
        #expect(words.contains("\(BusErrorName.failed): there is no a\u{FFFD}b\u{FFFD}c\u{FFFD}"), "\(words)")
        try echo.end()
    }

    @Test func aTextThatDBusDoesNotCarryIsNotCalledWith() throws {
        let echo = try Echo()
        let bus = try Bus(address: echo.address)
        #expect(echo.refusal(of: [.text("a\0b")], on: bus) == BusError.textNotCarried.reason)
        #expect(echo.refusal(of: [.text("ab")], on: bus) == nil)
        try echo.end()
    }

    // MARK: The other byte order

    /// D-Bus allows both orders, and the secrets of this message are bytes.
    @Test func aCallInTheOtherByteOrderIsReadWithItsBytes() async throws {
        let received = Mutex<[[BusValue]]>([])
        let echo = try Echo { server, call in
            received.withLock { $0.append(call.arguments) }
            server.reply(to: call, [])
        }
        let program = try BigEndianProgram(echo.bus)
        var (small, large, last) = (BigEndianBytes(), BigEndianBytes(), BigEndianBytes())
        small.add(array: [1, 2, 3])
        small.align(8)
        small.add(text: "/s")
        small.add(array: [])
        small.add(array: Array("secret".utf8))
        small.add(text: "text/plain")
        small.add(number: 7)
        large.add(array: [UInt8](repeating: 1, count: 10_001))
        last.add(number: 9)
        for (signature, body) in [("ay(oayays)u", small), ("ay", large), ("u", last)] {
            try program.send(
                BigEndianProgram.call, "Echo", of: Echo.name, to: Echo.name, signature: signature, body)
        }
        // Messages come in the order in which they were sent.
        try await waitUntil { received.withLock { $0.last == [.number(9)] } }
        let secret = BusValue.structure([
            .path("/s"), .bytes(try SecretBytes(copying: [])), .bytes(try SecretBytes(copying: Array("secret".utf8))),
            .text("text/plain"),
        ])
        let expected: [[BusValue]] = [
            [.bytes(try SecretBytes(copying: [1, 2, 3])), secret, .number(7)], [.number(9)],
        ]
        let calls = received.withLock { $0 }
        #expect(calls == expected)
        // Its connection must not end before.
        withExtendedLifetime(program) {}
        try echo.end()
    }

    /// As the reader of another keyring reads them.
    @Test func bytesInTheOtherByteOrderAreReadUpToALimit() throws {
        let bus = try PrivateBus()
        let connection = try Bus(address: bus.address)
        try connection.subscribe("type='signal',interface='org.example.Told'")
        var body = BigEndianBytes()
        for bytes: [UInt8] in [[1, 2, 3], [], [4, 5, 6]] { body.add(array: bytes) }
        let program = try BigEndianProgram(bus)
        try program.send(
            BigEndianProgram.signal, "Told", of: "org.example.Told", signature: "ayayay", body)
        let wake = try Wake()
        while true {
            guard let message = try connection.next(or: wake, until: .now + patience) else {
                Issue.record("no signal came")
                break
            }
            let member = message.member
            guard member == "Told" else { continue }
            let (first, second) = (try message.byteArray(most: 3), try message.byteArray(upTo: 0))
            let third = try message.byteArray(upTo: 2)
            #expect(first == [1, 2, 3] && second == [] && third == nil)
            break
        }
        withExtendedLifetime(program) {}
        try bus.end()
    }
}
