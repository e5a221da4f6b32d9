import Platform
import TestSupport
import Testing

@testable import SystemBus

/// Attackers 3 and 4: a program on the bus answers what somebody else was asked. The usual policy of a session bus lets it.
@Suite struct ForgedAnswerTests {
    private static let forged = 4711

    /// The forged answer is there before the true one: the daemon takes what a program sends in order, and gives it on in order.
    private func forge(to bus: borrowing Bus, on home: PrivateBus) throws -> BigEndianProgram {
        let forger = try BigEndianProgram(home)
        // `Hello` was the first call.
        try forger.answer(toCall: 2, of: bus.uniqueName(), with: Self.forged)
        var name = BigEndianBytes()
        name.add(text: "org.example.Forger")
        name.add(number: 0)
        try forger.send(
            BigEndianProgram.call, "RequestName", of: "org.freedesktop.DBus", at: "/org/freedesktop/DBus",
            to: "org.freedesktop.DBus", signature: "su", name)
        let observer = try Bus(address: home.address)
        let deadline = ContinuousClock.now + patience
        while try !observer.call(
            "org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus", "NameHasOwner",
            ["org.example.Forger"]
        ).bool() { try #require(ContinuousClock.now < deadline) }
        return forger
    }

    @Test("Nobody says in the daemon's place which process a program is")
    func daemon() throws {
        let home = try PrivateBus()
        let bus = try Bus(address: home.address)
        let forger = try forge(to: bus, on: home)
        var reasons: [String] = []
        do throws(BusError) {
            let process = try bus.process(of: bus.uniqueName())
            Issue.record("\(process)")
        } catch { reasons.append(error.reason) }
        #expect(reasons == ["another program on the bus has answered"])
        // Its own answer is taken: the forger has guessed no later number.
        let process = try bus.process(of: bus.uniqueName())
        #expect(process == OwnProcess.number)
        withExtendedLifetime(forger) {}
        try home.end()
    }

    @Test("Nobody answers in the place of who owns a name")
    func owner() throws {
        let echo = try Echo()
        let bus = try Bus(address: echo.address)
        let forger = try forge(to: bus, on: echo.bus)
        #expect(echo.refusal(of: [.number(1)], on: bus) == "another program on the bus has answered")
        let number = try echo.answer([.number(1)], on: bus).number()
        #expect(number == 1)
        withExtendedLifetime(forger) {}
        try echo.end()
    }
}
