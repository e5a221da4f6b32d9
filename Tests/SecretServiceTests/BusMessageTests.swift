import Foundation
import Platform
import SystemBus
import TestSupport
import Testing

/// What other programs send is read value by value. A bus of the test's own carries it.
@Suite struct BusMessageTests {
    /// A program on a bus that answers each call with what it was given.
    private struct Echo {
        private static let name = "org.example.Echo"

        let address: String
        private let folder: TemporaryFolder
        private let daemon: Subprocess
        private let server: BusServer

        init() throws {
            let folder = try TemporaryFolder()
            let address = "unix:path=\(folder.path)/bus"
            let daemon = try Subprocess(
                "/usr/bin/dbus-daemon", ["--session", "--nofork", "--print-address", "--address=\(address)"]
            ) { $0.output = .pipe }
            // It prints its address when it listens.
            _ = try daemon.read(limit: 4096)
            let server = try BusServer(address: address)
            let answer = try server.requestName(Self.name, replacing: false)
            try #require(answer == .isOwner)
            Thread.detachNewThread {
                // `try?`: it ends with the bus at the latest.
                try? server.run(limits: BusMessageLimits(values: 100, bytes: 10_000, depth: 10)) { event in
                    if case .call(let call) = event { server.reply(to: call, call.arguments) }
                }
            }
            (self.folder, self.address, self.daemon, self.server) = (folder, address, daemon, server)
        }

        func answer(_ values: [BusValue], on bus: borrowing Bus) throws -> BusMessage {
            try bus.call(Self.name, "/", Self.name, "Echo", values: values, within: patience)
        }

        func end() throws {
            server.stop()
            try daemon.end()
        }
    }

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
}
