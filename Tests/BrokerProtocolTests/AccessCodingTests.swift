import BrokerProtocol
import Item
import JSON
import Testing
import Varlink

/// Access control as messages have it. Attacker 4: a contradiction cannot exist behind the reader.
@Suite struct AccessCodingTests {
    private static func decode(_ text: String) throws(JSONFailure) -> AccessControl {
        try Varlink.decode(AccessControl.self, from: Array(text.utf8))
    }

    private static func text(_ require: String, any: Bool = false) -> String {
        #"{"accessibility":"when-unlocked","thisDeviceOnly":false,"require":[\#(require)],"any":\#(any)}"#
    }

    /// All that can be made goes to and fro, with the members in one order.
    @Test func toAndFro() throws {
        let all = AccessControl.Requirement.allCases
        var count = 0
        for accessibility in AccessControl.Accessibility.allCases {
            for bits in 0..<32 {
                let set = Set(all.enumerated().filter { bits >> $0.offset & 1 == 1 }.map(\.element))
                for any in [false, true] {
                    // Contradictions are for the other test.
                    guard let access = try? AccessControl(accessibility, requirements: set, anyIsEnough: any) else {
                        continue
                    }
                    let bytes = Varlink.encode(access).dropLast()
                    #expect(try Varlink.decode(AccessControl.self, from: Array(bytes)) == access)
                    count += 1
                }
            }
        }
        #expect(count == 4 * (24 + 18))
        let access = AccessControl.always.requiringAny(of: .applicationPassword, .userPresence)
        #expect(
            String(decoding: Varlink.encode(access).dropLast(), as: UTF8.self)
                == #"{"accessibility":"always","any":true,"require":["presence","app-password"],"thisDeviceOnly":true}"#
        )
    }

    @Test(arguments: [
        (text(#""biometry","biometry-current-set""#), AccessControlError.bothBiometries),
        (text(#""biometry","biometry-current-set""#, any: true), .bothBiometries),
        (text(#""presence""#, any: true), .joinsTooFew), (text("", any: true), .joinsTooFew),
        (text(#""presence","presence""#), .namedTwice),
    ])
    func contradictionsAreRefused(text: String, mistake: AccessControlError) throws {
        #expect(throws: JSONFailure.contradiction(mistake.description)) { try Self.decode(text) }
    }

    @Test(arguments: [
        #"{"accessibility":"when-unlocked","thisDeviceOnly":false,"require":[]}"#,
        #"{"accessibility":"sometimes","thisDeviceOnly":false,"require":[],"any":false}"#,
        text(#""dna""#), text("1"),
    ])
    func whatTheInterfaceDoesNotSayIsRefused(text: String) {
        let failure = #expect(throws: JSONFailure.self) { try Self.decode(text) }
        if case .contradiction = failure {
            Issue.record("\(text) is no access control, and none that contradicts itself")
        }
    }

    /// A server answers with the words of the refusal, and never sees the value.
    @Test(arguments: [
        (text(#""biometry","biometry-current-set""#), Fault.Name.invalidArgument),
        (text(#""dna""#), .invalidParameter),
    ])
    func aCallIsRefused(access: String, name: Fault.Name) throws {
        let text =
            #"{"method":"org.coffer.Keychain.Edit","parameters":{"service":"s","account":"a","access":\#(access)}}"#
        let call = try IncomingCall(
            Array(text.utf8),
            served: ServedMethods([Keychain.InVault<Keychain.Edit>.self], contradiction: .invalidArgument))
        let fault = #expect(throws: Fault.self) { try call.parameters() }
        #expect(fault?.name == name)
    }

    /// A change says only what it changes, and is judged with the rest.
    @Test func changes() throws {
        let present = AccessControl.afterFirstUnlock.requiring(.userPresence, .devicePasscode)
        #expect(try Keychain.AccessChange(thisDeviceOnly: true).applied(to: present) == present.thisDeviceOnly)
        #expect(
            try Keychain.AccessChange(any: true).applied(to: present)
                == .afterFirstUnlock.requiringAny(of: .userPresence, .devicePasscode))
        #expect(try Keychain.AccessChange(require: []).applied(to: present) == .afterFirstUnlock)
        #expect(throws: AccessControlError.joinsTooFew) {
            try Keychain.AccessChange(require: [.userPresence], any: true).applied(to: present)
        }
        #expect(throws: AccessControlError.bothBiometries) {
            try Keychain.AccessChange(AccessControl.whenUnlocked.requiring(.biometryAny, .biometryCurrentSet))
        }
    }
}
