import JSON
import Platform
import Testing
import Varlink

@testable import BrokerProtocol

/// Attacker 7: to compare a text takes a time that grows with the square of the marks in a row. One message of two megabytes
/// kept a user's vault busy for half an hour, and nothing could be locked.
@Suite("a caller's texts are compared in a time that grows with their length")
struct CombiningMarkTests {
    /// Two marks that Unicode sorts, so that no shorter way holds.
    private static func marks(_ count: Int) -> String {
        String(String.UnicodeScalarView((0..<count).map { $0.isMultiple(of: 2) ? "\u{301}" : "\u{316}" }))
    }

    private static let few = "a" + marks(CombiningMarks.most)
    private static let many = "a" + marks(CombiningMarks.most + 1)

    /// The same text as JSON writes it in ASCII.
    private static func escaped(_ text: String) -> String {
        String(
            text.utf16.flatMap {
                $0 < 0x80 ? [Character(UnicodeScalar(UInt8($0)))] : Array("\\u0\(String($0, radix: 16))")
            })
    }

    private func read(_ text: String) throws -> IncomingCall {
        try IncomingCall(Array(text.utf8), served: ServedMethods([Keychain.Exists.self, Keychain.Search.self]))
    }

    private func exists(_ members: String) throws -> (any VarlinkMethod)? {
        try read(#"{"method":"org.coffer.Keychain.Exists","parameters":{\#(members)}}"#).parameters()
    }

    @Test func aTextWithTooManyDoesNotFit() throws {
        for text in [Self.many, Self.escaped(Self.many), Self.many + "b" + Self.many] {
            let fault = #expect(throws: Fault.self) { try exists("\"service\":\"s\",\"account\":\"\(text)\"") }
            #expect(fault == Fault(parameter: "account"))
        }
        for text in [Self.few, Self.escaped(Self.few), Self.few + "b" + Self.few] {
            #expect(try exists("\"service\":\"s\",\"account\":\"\(text)\"") != nil)
        }
    }

    @Test func aNameWithTooManyEndsTheCall() throws {
        let search = #"{"method":"org.coffer.Keychain.Search","parameters":{"attributes":{"NAME":"v"}}}"#
        let unknown = #"{"method":"org.coffer.Keychain.Exists","parameters":{"service":"s","NAME":1}}"#
        let inner = #"{"method":"org.coffer.Keychain.Exists","parameters":{"service":"s","x":{"NAME":1}}}"#
        let outer = #"{"method":"org.coffer.Keychain.Exists","NAME":1,"parameters":{"service":"s"}}"#
        let unserved = #"{"method":"org.coffer.Keychain.Nothing","parameters":{"NAME":1}}"#
        for message in [search, unknown, inner, outer, unserved] {
            for name in [Self.many, Self.escaped(Self.many)] {
                let failure = #expect(throws: JSONFailure.self, "\(message)") {
                    try read(message.replacing("NAME", with: name))
                }
                #expect(failure?.malformation != nil)
            }
            for name in [Self.few, Self.escaped(Self.few)] { _ = try read(message.replacing("NAME", with: name)) }
        }
    }

    @Test func aMethodWithTooManyIsNone() {
        #expect(throws: JSONFailure.self) { try read("{\"method\":\"\(Self.many)\"}") }
        #expect(throws: Never.self) { try read("{\"method\":\"\(Self.few)\"}") }
    }

    /// What a vault has may be older than this rule. Its list must stay readable.
    @Test func anAnswerMayHaveAnyNumber() throws {
        let answer = try JSONReader.read([String: String].self, from: Array("{\"\(Self.many)\":\"\(Self.many)\"}".utf8))
        #expect(answer == [Self.many: Self.many])
    }

    /// Letters of all kinds, and marks that are not sorted, count for nothing.
    @Test func otherCharactersCountForNothing() {
        for character in ["a", "é", "\u{20DD}", "\u{FE0F}", "👩🏽", "\u{0BBE}"] {
            #expect(CombiningMarks.areFew(in: String(repeating: character, count: 2000)), "\(character)")
        }
        #expect(CombiningMarks.areFew(in: String(repeating: Self.few, count: 8)))
        #expect(!CombiningMarks.areFew(in: Self.many))
    }
}
