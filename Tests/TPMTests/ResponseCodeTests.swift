import Testing

@testable import TPM

/// Codes as TPMs and resource managers send them; TPM 2.0 Library, Part 2, section 6.6.
struct ResponseCodeTests {
    @Test(
        arguments: [
            (0x921, .load, .lockout), (0xB_0921, .load, .lockout),
            (0x902, .load, .exhausted), (0x903, .startAuthSession, .exhausted), (0x905, .startAuthSession, .exhausted),
            (0x906, .load, .exhausted), (0x14B, .evictControl, .exhausted),
            (0x99D, .unseal, .policyRefused), (0x5DB, .policySigned, .policyRefused),
            (0x2DB, .policySigned, .policyRefused),
            (0x1CF, .policySigned, .policyRefused), (0x2C4, .policySigned, .policyRefused),
            (0x151, .policySigned, .policyRefused),
            (0x12F, .unseal, .policyRefused), (0x98E, .unseal, .policyRefused), (0x9A2, .unseal, .policyRefused),
            (0x1DF, .load, .damaged), (0xB_01DF, .load, .damaged), (0x2C2, .load, .damaged),
            (0x18B, .startAuthSession, .other), (0x2C4, .load, .damaged), (0x1C4, .agree, .other),
            (0x101, .unseal, .unavailable), (0x100, .unseal, .unavailable),
            (0x7_0921, .unseal, .other), (0xA_000A, .unseal, .other),
        ] as [(UInt32, CommandCode, TPMError.Code)])
    func codesAreToldApart(raw: UInt32, command: CommandCode, expected: TPMError.Code) {
        #expect(ResponseGate.classify(ResponseCode(raw), command) == expected)
        #expect(throws: TPMError(expected, "")) { try ResponseGate.check(raw, command) }
    }

    @Test func theRawCodeIsKept() {
        do {
            try ResponseGate.check(0xB_01DF, .load)
            Issue.record("an error code passed")
        } catch {
            #expect(error.responseCode == 0xB_01DF)
            #expect(error.reason.contains("TPM2_Load"))
        }
        #expect(throws: Never.self) { try ResponseGate.check(0, .load) }
    }

    @Test func theSubjectIsRead() {
        #expect(ResponseCode(0x5DB).subject == .parameter(5))
        #expect(ResponseCode(0x99D).subject == .session(1))
        #expect(ResponseCode(0x18B).subject == .handle(1))
        #expect(ResponseCode(0x921).subject == .none)
        #expect(ResponseCode(0x5DB).base == ResponseCode.signature)
    }
}
