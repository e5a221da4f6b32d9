import Coffer
import Testing

@testable import CredentialHelpers

/// A new entry is never easier to read than the one that it replaces.
@Suite struct FormerAccessTests {
    private static let presence = AccessControl.whenUnlocked.requiring(.userPresence)
    private static let passcode = AccessControl.whenUnlocked.requiring(.devicePasscode)
    private static let finger = AccessControl.whenUnlocked.requiring(.biometryAny)

    private struct Case {
        let new: AccessControl
        let former: AccessControl
        let result: AccessControl

        init(_ new: AccessControl, _ former: AccessControl, _ result: AccessControl) {
            self.new = new
            self.former = former
            self.result = result
        }
    }

    private func check(_ cases: [Case]) {
        for one in cases { #expect(one.new.keeping(one.former) == one.result, "\(one)") }
    }

    @Test func whatTheFormerOneRequiredIsRequired() {
        check([
            Case(.whenUnlocked, Self.presence, Self.presence), Case(Self.presence, .whenUnlocked, Self.presence),
            Case(.whenUnlocked, .whenUnlocked, .whenUnlocked),
            // These prove presence, too.
            Case(Self.passcode, Self.presence, Self.passcode), Case(Self.presence, Self.finger, Self.finger),
            Case(Self.finger, Self.passcode, Self.passcode.requiring(.biometryAny)),
        ])
    }

    @Test func oneOfSeveralIsComparedByItsWays() {
        let either = AccessControl.whenUnlocked.requiringAny(of: .biometryAny, .devicePasscode)
        let other = AccessControl.whenUnlocked.requiringAny(of: .biometryAny, .userPresence)
        check([
            Case(either, Self.presence, either), Case(.whenUnlocked, either, either),
            Case(either, Self.passcode, Self.passcode), Case(other, either, either),
            // No access control says "a finger, and one of these".
            Case(
                AccessControl.whenUnlocked.requiringAny(of: .biometryCurrentSet, .devicePasscode),
                Self.finger.requiring(.userPresence), Self.finger.requiring(.userPresence)),
        ])
    }

    @Test func bothKindsOfFingersAreTheStricterOne() {
        let current = AccessControl.whenUnlocked.requiring(.biometryCurrentSet)
        check([
            Case(Self.finger, current, current), Case(current, Self.finger, current),
            Case(Self.finger.requiring(.devicePasscode), current, current.requiring(.devicePasscode)),
        ])
    }

    /// git and docker have no way of giving one.
    @Test func aPersonIsAskedInPlaceOfAnApplicationPassword() {
        let password = AccessControl.whenUnlocked.requiring(.applicationPassword)
        let either = AccessControl.whenUnlocked.requiringAny(of: .applicationPassword, .userPresence)
        check([
            Case(.whenUnlocked, password, Self.presence), Case(.whenUnlocked, either, Self.presence),
            Case(Self.passcode, password, Self.passcode),
            Case(
                .whenUnlocked, password.requiring(.devicePasscode),
                AccessControl.whenUnlocked.requiring(.userPresence, .devicePasscode)),
        ])
    }

    @Test func theEarlierClassAndTheSmallerScopeStay() {
        check([
            Case(.afterFirstUnlock, .whenUnlocked, .whenUnlocked),
            Case(.whenUnlocked, .afterFirstUnlock, .whenUnlocked), Case(.always, .passcodeSet, .passcodeSet),
            Case(.whenUnlocked, .whenUnlocked.thisDeviceOnly, .whenUnlocked.thisDeviceOnly),
            Case(.whenUnlocked.thisDeviceOnly, Self.presence, Self.presence.thisDeviceOnly),
            // This class is for one device only.
            Case(.whenUnlocked, .always, .whenUnlocked.thisDeviceOnly),
        ])
    }
}
