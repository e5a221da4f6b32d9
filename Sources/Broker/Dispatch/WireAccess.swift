import BrokerProtocol
import Cryptography
import Varlink
import Vault

/// Converts access control between messages and the vault. Values that do not fit are refused, never narrowed.
enum WireAccess {
    /// - Parameter present: the item's access control; nil if the item does not exist yet.
    static func decode(_ change: Keychain.AccessChange?, over present: AccessControl?) throws(Fault) -> AccessControl {
        let former = present.map { encode($0) } ?? Keychain.AccessControl()
        return try decode(change?.applied(to: former) ?? former)
    }

    static func decode(_ wire: Keychain.AccessControl) throws(Fault) -> AccessControl {
        guard Set(wire.require).count == wire.require.count else {
            throw Fault(.invalidArgument, "a requirement is named twice")
        }
        var constraints: ConstraintSet = []
        for constraint in wire.require { constraints.insert(vaultConstraint(constraint)) }
        do throws(AccessControlError) {
            return try AccessControl(
                accessibility: vaultAccessibility(wire.accessibility), thisDeviceOnly: wire.thisDeviceOnly,
                constraints: constraints,
                operator: wire.any ? .or : .none)
        } catch { throw Fault(.invalidArgument, "\(error)") }
    }

    static func encode(_ access: AccessControl) -> Keychain.AccessControl {
        let require = Keychain.Constraint.allCases.filter { access.constraints.contains(vaultConstraint($0)) }
        return Keychain.AccessControl(
            accessibility: wireAccessibility(access.accessibility), thisDeviceOnly: access.thisDeviceOnly,
            require: require,
            any: access.operator == .or)
    }

    private static func vaultConstraint(_ constraint: Keychain.Constraint) -> ConstraintSet {
        switch constraint {
        case .presence: .presence
        case .biometry: .biometryAny
        case .biometryCurrentSet: .biometryCurrentSet
        case .passcode: .passcode
        case .appPassword: .applicationPassword
        }
    }

    private static func vaultAccessibility(_ accessibility: Keychain.Accessibility) -> Accessibility {
        switch accessibility {
        case .whenUnlocked: .whenUnlocked
        case .afterFirstUnlock: .afterFirstUnlock
        case .passcodeSet: .passcodeSet
        case .always: .always
        }
    }

    private static func wireAccessibility(_ accessibility: Accessibility) -> Keychain.Accessibility {
        switch accessibility {
        case .whenUnlocked: .whenUnlocked
        case .afterFirstUnlock: .afterFirstUnlock
        case .passcodeSet: .passcodeSet
        case .always: .always
        }
    }
}

/// Decodes times in messages, in milliseconds since 1970-01-01 UTC.
enum WireTime {
    /// - Returns: nil for "never", which 0 also means.
    static func decode(_ milliseconds: Int64?) throws(Fault) -> UInt64? {
        guard let milliseconds, milliseconds != 0 else { return nil }
        guard let time = UInt64(exactly: milliseconds) else {
            throw Fault(.invalidArgument, "an expiry cannot be before 1970")
        }
        return time
    }
}

/// Decodes secrets, which are base64 in messages.
enum WireValue {
    static func decode(_ text: String) throws(Fault) -> SecretBytes {
        do throws(CryptographyError) {
            if let value = try SecretBytes(base64Encoded: text) { return value }
        } catch {
            throw Fault(.failed, "the broker has no memory for the value just now", advice: "try again in a moment")
        }
        throw Fault(.invalidArgument, "the value is not base64")
    }
}
