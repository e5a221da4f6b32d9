import Item
import Testing

/// Every combination of class, device, requirements and joining word.
@Suite struct AccessControlTests {
    typealias Requirement = AccessControl.Requirement

    /// All 32 sets.
    private static let sets: [Set<Requirement>] = (0..<32).map { bits in
        Set(Requirement.allCases.enumerated().filter { bits >> $0.offset & 1 == 1 }.map(\.element))
    }

    /// What the documents call a contradiction.
    private static func mistake(_ set: Set<Requirement>, any: Bool) -> AccessControlError? {
        if set.contains(.biometryAny), set.contains(.biometryCurrentSet) { return .bothBiometries }
        return any && set.count < 2 ? .joinsTooFew : nil
    }

    @Test func contradictionsCannotBeMadeAndNothingIsDropped() {
        var valid = 0
        for accessibility in AccessControl.Accessibility.allCases {
            for (scope, any) in [(false, false), (false, true), (true, false), (true, true)] {
                for set in Self.sets {
                    let mistake = Self.mistake(set, any: any)
                    do throws(AccessControlError) {
                        let access = try AccessControl(
                            accessibility, isThisDeviceOnly: scope, requirements: set, anyIsEnough: any)
                        #expect(mistake == nil && access.requirements == set && access.anyIsEnough == any)
                        let isImplied = accessibility == .passcodeSet || accessibility == .always
                        #expect(access.accessibility == accessibility)
                        #expect(access.isThisDeviceOnly == (scope || isImplied))
                        valid += 1
                    } catch { #expect(error == mistake) }
                }
            }
        }
        // 24 sets without both biometries, 18 of them of two or more.
        #expect(valid == 4 * 2 * (24 + 18))
    }

    /// The builders of applications throw nothing. What they were given stays, and every call finds it.
    @Test func buildersKeepAContradiction() throws {
        for set in Self.sets {
            for any in [false, true] {
                let built = set.inOrder.reduce(AccessControl.whenUnlocked) { $0.requiring($1) }
                let access = any ? Self.any(of: set) : built
                #expect(access.requirements == set)
                // One of one is all of it.
                let mistake = any && set.count == 1 ? nil : Self.mistake(set, any: any)
                #expect(Self.error(of: access) == mistake, "\(set) \(any)")
                #expect(Self.error(of: access.thisDeviceOnly) == mistake, "\(set) \(any)")
                if mistake == nil, !any {
                    #expect(access == (try AccessControl(requirements: set)))
                }
            }
        }
    }

    @Test func onceContradictoryIsContradictoryForEver() {
        let both = AccessControl.whenUnlocked.requiring(.biometryAny).requiring(.biometryCurrentSet)
        #expect(Self.error(of: both) == .bothBiometries)
        #expect(Self.error(of: both.thisDeviceOnly.requiring(.userPresence)) == .bothBiometries)
        #expect(Self.error(of: both.requiringAny(of: .userPresence, .devicePasscode)) == .bothBiometries)
    }

    /// All of some and any of others cannot be written down, so neither part is given up.
    @Test func choicesDoNotReplaceWhatIsRequired() throws {
        let passcode = AccessControl.whenUnlocked.requiring(.devicePasscode)
        let mixed = passcode.requiringAny(of: .userPresence, .biometryAny)
        #expect(Self.error(of: mixed) == .isMixed)
        #expect(mixed.requirements == [.devicePasscode, .userPresence, .biometryAny])
        #expect(Self.error(of: passcode.requiringAny(of: .userPresence)) == .isMixed)
        let either = AccessControl.whenUnlocked.requiringAny(of: .userPresence, .devicePasscode)
        #expect(Self.error(of: either.requiringAny(of: .biometryAny, .applicationPassword)) == .isMixed)
        #expect(either.requiringAny(of: .devicePasscode, .userPresence) == either)
        // With a further one, all are needed: that is stricter, and loses nothing.
        let all = either.requiring(.applicationPassword)
        #expect(Self.error(of: all) == nil && !all.anyIsEnough && all.requirements.count == 3)
    }

    @Test func aListNamesNoneTwice() throws {
        #expect(throws: AccessControlError.namedTwice) {
            try Set<Requirement>(naming: [.userPresence, .devicePasscode, .userPresence])
        }
        #expect(
            try Set(naming: [Requirement.devicePasscode, .userPresence]).inOrder == [.userPresence, .devicePasscode])
        #expect(Set(Requirement.allCases).listed == "presence, biometry, biometry-current-set, passcode, app-password")
    }

    @Test func ways() throws {
        let set: Set<Requirement> = [.userPresence, .applicationPassword]
        #expect(AccessControl.whenUnlocked.ways == [[]])
        #expect(try AccessControl(requirements: set).ways == [set])
        #expect(
            try AccessControl(requirements: set, anyIsEnough: true).ways == [[.userPresence], [.applicationPassword]])
    }

    /// What the wire and the file hold.
    @Test func names() {
        #expect(
            AccessControl.Accessibility.allCases.map(\.rawValue)
                == ["when-unlocked", "after-first-unlock", "passcode-set", "always"])
        #expect(
            ItemKind.allCases.map(\.rawValue)
                == ["generic", "internet", "key", "certificate", "file", "setting"])
    }

    @Test func everyErrorSaysWhatHappened() {
        for error in [AccessControlError.bothBiometries, .joinsTooFew, .isMixed, .namedTwice, .unknown] {
            #expect(!error.reason.isEmpty)
            #expect(error.description == error.reason + (error.advice.isEmpty ? "" : "; \(error.advice)"))
        }
    }

    private static func any(of set: Set<Requirement>) -> AccessControl {
        let list = set.inOrder
        let none = AccessControl.whenUnlocked
        return switch list.count {
        case 0: none.requiringAny()
        case 1: none.requiringAny(of: list[0])
        case 2: none.requiringAny(of: list[0], list[1])
        case 3: none.requiringAny(of: list[0], list[1], list[2])
        case 4: none.requiringAny(of: list[0], list[1], list[2], list[3])
        default: none.requiringAny(of: list[0], list[1], list[2], list[3], list[4])
        }
    }

    private static func error(of access: AccessControl) -> AccessControlError? {
        do throws(AccessControlError) {
            try access.check()
            return nil
        } catch { return error }
    }
}
