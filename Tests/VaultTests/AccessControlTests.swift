import Testing

@testable import Vault

struct AccessControlTests {
    @Test func contradictionsCannotBeMade() throws {
        #expect(throws: AccessControlError.self) {
            try AccessControl(constraints: [.biometryAny, .biometryCurrentSet])
        }
        #expect(throws: AccessControlError.self) { try AccessControl(constraints: [], operator: .and) }
        #expect(throws: AccessControlError.self) { try AccessControl(constraints: .presence, operator: .or) }
        #expect(throws: AccessControlError.self) { try AccessControl(constraints: ConstraintSet(rawValue: 1 << 5)) }
    }

    @Test func whatIsLeftOut() throws {
        #expect(try AccessControl(constraints: [.presence, .passcode]).operator == .and)
        #expect(try AccessControl(accessibility: .always).thisDeviceOnly)
        #expect(try AccessControl(accessibility: .passcodeSet).thisDeviceOnly)
        #expect(try !AccessControl().thisDeviceOnly)
        #expect(AccessControl.whenUnlocked == (try AccessControl()))
        #expect(AccessControl.plain(.always) == (try AccessControl(accessibility: .always, thisDeviceOnly: true)))
    }

    /// Of all six-byte strings near a valid one, only those decode that encode something. They give the same bytes
    /// again.
    @Test func decodingTakesOnlyWhatEncodingGives() throws {
        var valid = 0
        for accessibility in UInt8(0)...5 {
            for scope in UInt8(0)...2 {
                for joined in UInt8(0)...3 {
                    for constraints in UInt8(0)...63 {
                        let bytes = [1, accessibility, scope, joined, 0, constraints]
                        guard let access = decoded(bytes) else { continue }
                        #expect(access.encoded == bytes)
                        valid += 1
                    }
                }
            }
        }
        // 24 sets without both biometries: 1 empty, 5 of one, 18 of more with two operators each; 2 + 2 + 1 + 1 classes.
        #expect(valid == (1 + 5 + 18 * 2) * 6)
        for wrong in [[], [1], [2, 1, 0, 0, 0, 0], [1, 1, 0, 0, 1, 0], [1, 1, 0, 0, 0, 0, 0]] as [[UInt8]] {
            #expect(decoded(wrong) == nil)
        }
    }

    private func decoded(_ bytes: [UInt8]) -> AccessControl? {
        do throws(AccessControlError) { return try AccessControl(decoding: bytes) } catch { return nil }
    }
}
