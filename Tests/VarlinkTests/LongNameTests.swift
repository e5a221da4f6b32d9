import Testing
import Varlink

/// A caller names a method of two megabytes. The answer does not repeat it.
@Suite struct LongNameTests {
    private static let long = String(repeating: "x", count: 100_000)

    @Test func aMethodThatIsNotServedIsNamedInPart() {
        let known = Fault(unknownMethod: "org.example.\(Self.long)") { $0 == "org.example" }
        #expect(known.name == .methodNotFound && known.details.interface == nil)
        #expect(known.details.method == "org.example." + String(repeating: "x", count: 188))
        let bare = Fault(unknownMethod: Self.long) { _ in false }
        #expect(bare.name == .methodNotFound && bare.details.method?.count == 200)
        let short = Fault(unknownMethod: "org.example.Sum") { $0 == "org.example" }
        #expect(short.details.method == "org.example.Sum")
    }

    /// A letter with any number of accents is one `Character`.
    @Test func accentsCountAsWell() {
        let accents = String(repeating: "\u{301}", count: 100_000)
        let bare = Fault(unknownMethod: "a" + accents) { _ in false }
        #expect(bare.details.method?.unicodeScalars.elementsEqual(("a" + accents).unicodeScalars.prefix(200)) == true)
        let fault = Fault(unknownMethod: "org.a\(accents).Add") { _ in false }
        #expect(fault.details.interface?.utf8.count == 5 + 2 * 195)
    }

    @Test func anInterfaceThatIsNotServedIsNamedInPart() {
        let fault = Fault(unknownMethod: "org.\(Self.long).Add") { _ in false }
        #expect(fault.name == .interfaceNotFound && fault.details.method == nil)
        #expect(fault.details.interface == "org." + String(repeating: "x", count: 196))
    }
}
