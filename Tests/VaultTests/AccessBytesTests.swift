import Item
import Testing

@testable import Vault

/// The six bytes of an access control.
struct AccessBytesTests {
    @Test(
        arguments: [
            (AccessControl.whenUnlocked, [1, 1, 0, 0, 0, 0]),
            (.afterFirstUnlock.thisDeviceOnly, [1, 2, 1, 0, 0, 0]),
            (.passcodeSet.requiring(.devicePasscode), [1, 3, 1, 0, 0, 8]),
            (.always.requiring(.userPresence, .applicationPassword), [1, 4, 1, 1, 0, 17]),
            (.whenUnlocked.requiringAny(of: .biometryAny, .devicePasscode), [1, 1, 0, 2, 0, 10]),
            (.whenUnlocked.requiringAny(of: .biometryCurrentSet, .userPresence), [1, 1, 0, 2, 0, 5]),
        ] as [(AccessControl, [UInt8])])
    func theFileKeepsItsBytes(access: AccessControl, bytes: [UInt8]) throws {
        #expect(access.encoded == bytes)
        #expect(try AccessControl(decoding: bytes) == access)
    }

    /// Attacker 5: of all six-byte strings near a valid one, only those decode that encode something. They give the
    /// same bytes again, and no contradiction is among them.
    @Test func decodingTakesOnlyWhatEncodingGives() throws {
        var valid = 0
        for accessibility in UInt8(0)...5 {
            for scope in UInt8(0)...2 {
                for joined in UInt8(0)...3 {
                    for requirements in UInt8(0)...63 {
                        let bytes = [1, accessibility, scope, joined, 0, requirements]
                        guard let access = decoded(bytes) else { continue }
                        #expect(access.encoded == bytes)
                        #expect(throws: Never.self) { try access.check() }
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

    @Test func aContradictionIsNotStored() throws {
        let vault = try VaultFixture().open()
        for (access, contradiction) in [
            (
                AccessControl.whenUnlocked.requiring(.biometryAny, .biometryCurrentSet),
                AccessControlError.bothBiometries
            ),
            (.whenUnlocked.requiring(.devicePasscode).requiringAny(of: .userPresence, .applicationPassword), .isMixed),
        ] {
            let draft = try ItemDraft.make("s", "a", "v", access)
            // The vault has no key for some of these requirements, and says so if nothing refuses them before.
            do throws(VaultError) {
                try vault.set(draft)
                Issue.record("an item was stored under a contradiction: \(contradiction)")
            } catch {
                #expect(error.code == .invalidArgument && error.reason.contains(contradiction.reason), "\(error)")
            }
        }
        #expect(try vault.count == 0)
    }

    private func decoded(_ bytes: [UInt8]) -> AccessControl? {
        do throws(AccessControlError) { return try AccessControl(decoding: bytes) } catch { return nil }
    }
}
