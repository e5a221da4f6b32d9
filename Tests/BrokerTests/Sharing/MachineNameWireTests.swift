import Testing
import Varlink

@testable import Broker

/// What a client may call a machine.
@Suite struct MachineNameWireTests {
    @Test func noMachineIsCalledLikeTheCode() throws {
        for name in ["paper", "Paper"] { #expect(throws: (any Error).self) { try SharingWire.name(name) } }
        #expect(try SharingWire.name("paper-1").text == "paper-1")
    }
}
