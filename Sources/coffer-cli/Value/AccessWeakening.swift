import BrokerProtocol

/// What an item loses by a new access control. Replacing a value needs no authentication, so the person is told before an item gets weaker.
struct AccessWeakening: Equatable {
    /// The losses, each as a clause.
    let losses: [String]

    /// - Returns: nil if nothing is lost.
    init?(from former: Keychain.AccessControl, to new: Keychain.AccessControl) {
        var losses: [String] = []
        if !Self.isAsStrict(new, as: former) {
            losses.append(
                "it requires \(ItemText.requires(former) ?? "nothing"), and would then require \(ItemText.requires(new) ?? "nothing")"
            )
        }
        if Self.rank(new.accessibility) < Self.rank(former.accessibility) {
            losses.append(
                "it is of class \(former.accessibility.rawValue), and would then be of class \(new.accessibility.rawValue)"
            )
        }
        if former.thisDeviceOnly, !new.thisDeviceOnly, new.accessibility != .passcodeSet {
            losses.append("it is for this device only, and could then leave it in an export")
        }
        guard !losses.isEmpty else { return nil }
        self.losses = losses
    }

    var text: String { losses.joined(separator: "; ") }

    /// The longer an item stays closed, the higher its rank.
    private static func rank(_ accessibility: Keychain.Accessibility) -> Int {
        switch accessibility {
        case .always: 0
        case .afterFirstUnlock: 1
        case .whenUnlocked: 2
        case .passcodeSet: 3
        }
    }

    /// Whether each new way of reading requires everything that one of the former ways required.
    private static func isAsStrict(_ new: Keychain.AccessControl, as former: Keychain.AccessControl) -> Bool {
        let before = ways(former)
        return ways(new).allSatisfy { way in
            before.contains { old in old.allSatisfy { factor in way.contains { covers($0, factor) } } }
        }
    }

    private static func ways(_ access: Keychain.AccessControl) -> [[Keychain.Constraint]] {
        access.any && access.require.count > 1 ? access.require.map { [$0] } : [access.require]
    }

    /// Whether giving one factor also proves the other.
    private static func covers(_ given: Keychain.Constraint, _ asked: Keychain.Constraint) -> Bool {
        switch asked {
        case .presence: given != .appPassword
        case .biometry: given == .biometry || given == .biometryCurrentSet
        case .biometryCurrentSet, .passcode, .appPassword: given == asked
        }
    }
}
