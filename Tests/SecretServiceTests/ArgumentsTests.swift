import SystemBus
import Testing

@testable import SecretService

/// What a program sends over D-Bus. Its library and Coffer could each take another one of two values.
@Suite struct ArgumentsTests {
    @Test func aNameThatComesTwiceIsRefused() {
        let attribute = { BusValue.entry(.text($0), .text($1)) }
        #expect(
            BusValue.array(of: "{ss}", [attribute("a", "1"), attribute("b", "2")]).dictionary == ["a": "1", "b": "2"])
        #expect(BusValue.array(of: "{ss}", [attribute("a", "1"), attribute("a", "2")]).dictionary == nil)
        let property = { BusValue.entry(.text($0), .variant(.text($1))) }
        #expect(BusValue.array(of: "{sv}", [property("a", "1"), property("a", "2")]).variants == nil)
        #expect(BusValue.array(of: "{sv}", [property("a", "1"), property("b", "2")]).variants?.count == 2)
    }
}
