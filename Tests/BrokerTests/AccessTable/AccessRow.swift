import BrokerProtocol
import Item

/// One combination of all parts of an access control. It states what the documents promise, independently of the code
/// that keeps the promise.
struct AccessRow: Sendable, CustomStringConvertible {
    enum Joined: String, Sendable, CaseIterable { case none, and, or }

    enum State: String, Sendable, CaseIterable { case none, sealed, locked, unlocked }

    /// The result of a read.
    enum Outcome: Equatable, Sendable {
        case absent
        case locked
        case passwordRequired
        case passwordRefused
        /// The value. Nobody is asked.
        case value
        /// A person is asked for these purposes. Any one of these sets of signatures is enough.
        case person([Keychain.Purpose], [[String]])
    }

    let accessibility: AccessControl.Accessibility
    let thisDeviceOnly: Bool
    let require: [AccessControl.Requirement]
    let joined: Joined

    /// Every class × this device only × set of constraints × operator.
    static let all: [AccessRow] = AccessControl.Accessibility.allCases.flatMap { accessibility in
        [false, true].flatMap { scope in
            sets.flatMap { set in
                Joined.allCases.map {
                    AccessRow(accessibility: accessibility, thisDeviceOnly: scope, require: set, joined: $0)
                }
            }
        }
    }

    /// All 32 sets of constraints, in the order of the documents.
    static let sets: [[AccessControl.Requirement]] = (0..<32).map { bits in
        AccessControl.Requirement.allCases.enumerated().filter { bits >> $0.offset & 1 == 1 }.map(\.element)
    }

    var description: String {
        let scope = thisDeviceOnly ? " this-device" : ""
        return "\(accessibility.rawValue)\(scope) [\(require.map(\.rawValue).joined(separator: " "))] \(joined)"
    }

    /// It contradicts itself, or joins requirements that are not there.
    var isContradiction: Bool {
        let hasBothBiometries = require.contains(.biometryAny) && require.contains(.biometryCurrentSet)
        return hasBothBiometries || (joined != .none && require.count < 2)
    }

    /// It needs a vault that is bound to the login password. Such items cannot be made yet.
    var needsBoundVault: Bool { accessibility == .passcodeSet }

    var takesPassword: Bool { require.contains(.applicationPassword) }

    /// Each way of reading, with everything that it requires.
    var ways: [[AccessControl.Requirement]] {
        if require.isEmpty { return [[]] }
        return joined == .or ? require.map { [$0] } : [require]
    }

    /// When a class can be read.
    static let readable: [AccessControl.Accessibility: Set<State>] = [
        .whenUnlocked: [.unlocked],
        .afterFirstUnlock: [.locked, .unlocked],
        .passcodeSet: [.unlocked],
        .always: [.sealed, .locked, .unlocked],
    ]

    /// The signature that meets a constraint. The application password has none.
    static let signature: [AccessControl.Requirement: String] = [
        .userPresence: "presence", .biometryAny: "biometry-any", .biometryCurrentSet: "biometry-current-set",
        .devicePasscode: "passcode",
    ]

    /// - Parameters:
    /// - unlocking: the caller wants to be asked for an unlock, and not to fail.
    ///   - password: the call brings the right application password.
    func outcome(in state: State, unlocking: Bool, password: Bool) -> Outcome {
        if state == .none { return .absent }
        let isOpen = Self.readable[accessibility, default: []].contains(state)
        if !isOpen && !unlocking { return .locked }
        let ways = self.ways.filter { $0.contains(.applicationPassword) == password }
        if ways.isEmpty { return password ? .passwordRefused : .passwordRequired }
        let signed = ways.map { $0.compactMap { Self.signature[$0] } }
        var purposes: [Keychain.Purpose] = isOpen ? [] : [.unlock]
        if !signed.contains([]) { purposes.append(.read) }
        if purposes.isEmpty { return .value }
        let reading = purposes.contains(.read) ? signed : [[]]
        return .person(purposes, reading.map { (isOpen ? [] : ["unlock"]) + $0 })
    }
}
