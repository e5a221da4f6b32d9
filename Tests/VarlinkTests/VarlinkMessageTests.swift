import BrokerProtocol
import JSON
import Testing
import Varlink

@Suite struct VarlinkMessageTests {
    private func text(_ bytes: [UInt8]) -> String { String(decoding: bytes.dropLast(), as: UTF8.self) }

    @Test func aCallIsOneObjectAndAZeroByte() {
        let bytes = Varlink.encode(VarlinkCall(Keychain.Get(service: "a/b", account: "c", unlock: true)))
        #expect(bytes.last == 0)
        #expect(!bytes.dropLast().contains(0))
        #expect(
            text(bytes)
                == #"{"method":"org.coffer.Keychain.Get","parameters":{"account":"c","service":"a/b","unlock":true}}"#)
    }

    @Test func aZeroByteInANameIsEscaped() {
        let bytes = Varlink.encode(VarlinkCall(Keychain.Exists(service: "a\0b")))
        #expect(bytes.firstIndex(of: 0) == bytes.count - 1)
    }

    @Test func unknownFieldsAreIgnored() throws {
        let text = #"{"method":"org.coffer.Keychain.Exists","parameters":{"service":"s","later":[1]},"later":true}"#
        let call = try IncomingCall(Array(text.utf8), served: ServedMethods([Keychain.Exists.self]))
        #expect((try call.parameters() as? Keychain.Exists)?.service == "s")
    }

    @Test func faultsGoThereAndBack() throws {
        let fault = Fault(.authenticationRequired, Fault.Details(challenge: "abc", purposes: ["unlock", "read"]))
        let bytes = Varlink.encode(fault)
        #expect(
            text(bytes)
                == #"{"error":"org.coffer.Keychain.AuthenticationRequired","parameters":{"challenge":"abc","purposes":["unlock","read"]}}"#
        )
        #expect(try Varlink.decode(Fault.self, from: bytes.dropLast()) == fault)
        #expect(try Varlink.decode(Fault.self, from: Array(#"{"error":"x.y"}"#.utf8)).name.rawValue == "x.y")
    }

    private static let malformed: [(text: String, reason: String)] = [
        (#"{"a":1,}"#, "a member's name is expected at byte 7"), (#"{"a":[1,]}"#, "a value is expected"),
        (#"{,}"#, "a member's name"), (#"{"a" 1}"#, "“:”"), (#"{"a":1 "b":2}"#, "“,” or “}”"),
        (#"{"a":[1 2]}"#, "“,” or “]”"),
        (#"{"a":01}"#, "“,” or “}”"), (#"{"a":+1}"#, "a value"), (#"{"a":.5}"#, "a value"), (#"{"a":1.}"#, "a digit"),
        (#"{"a":1e}"#, "a digit"), (#"{"a":-}"#, "a digit"), (#"{"a":0x10}"#, "“,” or “}”"), (#"{"a":NaN}"#, "a value"),
        (#"{"a":truth}"#, "“true”"), (#"{'a':1}"#, "a member's name"), (#"{"a":1}{}"#, "something follows"),
        (#"{"a":1,"a":1}"#, "a name twice"), (#"{"a":1,"\u0061":1}"#, "a name twice"),
        (#"{"x":{"a":1,"b":2,"a":3}}"#, "a name twice"),
        ("{\"\u{E9}\":1,\"e\u{301}\":1}", "a name twice"), ("{\"a\":\"\n\"}", "control characters"),
        (#"{"a":"\x"}"#, "an escape that JSON has"), (#"{"a":"\u12"}"#, "four hexadecimal digits"),
        (#"{"a":"\ud800"}"#, "a character"), (#"{"a":"\ud800\u0041"}"#, "the other half"),
        (#"{"a":"\udc00"}"#, "a character"),
        (#"{"a":"b"#, "the end of a string"), (#"{"a":1"#, "“,” or “}”"), (#"{"a":// no"# + "\n1}", "a value"),
        ("[]", "one JSON object"),
        ("", "one JSON object"), ("\u{FEFF}{}", "one JSON object"),
    ]

    @Test(arguments: malformed)
    func whatTwoReadersCouldTakeForTwoThingsIsRefused(text: String, reason: String) {
        let error = #expect(throws: JSONFailure.self) { try JSONReader.check(Array(text.utf8)) }
        #expect(error?.malformation?.contains(reason) == true, "\(String(describing: error))")
    }

    @Test(arguments: [
        "{}", " \t\r\n{ } \n", #"{"a":-0.5e+10,"b":0,"c":1E3,"d":[],"e":[{}],"f":null,"g":true,"h":false}"#,
        #"{"\"\\\/\b\f\n\r\t\u00e9\ud83d\ude00":"\"\\\/\b\f\n\r\t\u00e9\ud83d\ude00"}"#,
        #"{"a":{"a":{"a":"a"}},"b":{"a":1}}"#,
    ])
    func whatJSONAllowsIsTaken(text: String) throws {
        try JSONReader.check(Array(text.utf8))
    }

    @Test func bytesThatAreNotTextAreRefused() {
        #expect(throws: JSONFailure.self) {
            try JSONReader.check(Array(#"{"a":""#.utf8) + [0xFF] + Array(#""}"#.utf8))
        }
    }

    @Test func whatIsTooDeepOrTooMuchIsRefused() throws {
        func nested(_ depth: Int) -> [UInt8] {
            Array(
                (#"{"a":"# + String(repeating: "[", count: depth - 1) + String(repeating: "]", count: depth - 1) + "}")
                    .utf8)
        }
        try JSONReader.check(nested(32))
        #expect(throws: JSONFailure.self) { try JSONReader.check(nested(33)) }
        #expect(throws: JSONFailure.self) { try JSONReader.check(nested(1_000_000)) }
        func list(_ count: Int) -> [UInt8] {
            Array((#"{"a":["# + Array(repeating: "0", count: count).joined(separator: ",") + "]}").utf8)
        }
        try JSONReader.check(list(19_998))
        #expect(throws: JSONFailure.self) { try JSONReader.check(list(19_999)) }
    }

    @Test(arguments: ["", "{", "[]", "{\"method\":1}", "{\"parameters\":{}}", "\u{1}", "{\"method\":\"x\"} trailing"])
    func whatIsNotACallIsRefused(text: String) {
        #expect(throws: (any Error).self) {
            try IncomingCall(Array(text.utf8), served: ServedMethods([]))
        }
    }
}
