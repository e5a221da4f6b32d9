import BrokerProtocol
import Testing

@Suite struct VarlinkMessageTests {
    private func text(_ bytes: [UInt8]) -> String { String(decoding: bytes.dropLast(), as: UTF8.self) }

    @Test func aCallIsOneObjectAndAZeroByte() throws {
        let bytes = try Varlink.encode(VarlinkCall(Keychain.Get(service: "a/b", account: "c", unlock: true)))
        #expect(bytes.last == 0)
        #expect(!bytes.dropLast().contains(0))
        #expect(
            text(bytes)
                == #"{"method":"org.coffer.Keychain.Get","parameters":{"account":"c","service":"a/b","unlock":true}}"#)
    }

    @Test func aZeroByteInANameIsEscaped() throws {
        let bytes = try Varlink.encode(VarlinkCall(Keychain.Exists(service: "a\0b")))
        #expect(bytes.firstIndex(of: 0) == bytes.count - 1)
    }

    @Test func unknownFieldsAreIgnored() throws {
        let message = Array(#"{"method":"x","parameters":{"service":"s","later":[1]},"later":true}"#.utf8)
        #expect(try Varlink.decode(VarlinkCallHeader.self, from: message).method == "x")
        #expect(try Varlink.decode(VarlinkParameters<Keychain.Exists>.self, from: message).parameters?.service == "s")
    }

    @Test func faultsGoThereAndBack() throws {
        let fault = Fault(.authenticationRequired, Fault.Details(challenge: "abc", purposes: ["unlock", "read"]))
        let bytes = try Varlink.encode(fault)
        #expect(
            text(bytes)
                == #"{"error":"org.coffer.Keychain.AuthenticationRequired","parameters":{"challenge":"abc","purposes":["unlock","read"]}}"#
        )
        #expect(try Varlink.decode(Fault.self, from: bytes.dropLast()) == fault)
        #expect(try Varlink.decode(Fault.self, from: Array(#"{"error":"x.y"}"#.utf8)).name.rawValue == "x.y")
    }

    @Test(arguments: ["", "{", "[]", "{\"method\":1}", "{\"parameters\":{}}", "\u{1}", "{\"method\":\"x\"} trailing"])
    func whatIsNotACallIsRefused(text: String) {
        #expect(throws: (any Error).self) { try Varlink.decode(VarlinkCallHeader.self, from: Array(text.utf8)) }
    }
}
