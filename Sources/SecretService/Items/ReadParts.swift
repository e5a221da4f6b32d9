import CofferClient

/// What can still be read of several items. The broker gives out nothing if it refuses one of them.
enum ReadParts {
    /// Whether the cause may be one of the items. After any other error, the others would be refused for the same reason,
    /// or the person would be asked once more.
    static func mayBeAboutOne(_ code: KeychainError.Code) -> Bool {
        [.limitExceeded, .notFound, .invalidArgument, .notPermitted, .damaged].contains(code)
    }

    /// The items that a refusal of fingers is not about.
    /// - Returns: all items if it is another error.
    static func others(of items: [ItemAttributes], after code: KeychainError.Code) -> [ItemAttributes] {
        let withoutFingers = items.filter { !$0.access.needsFinger(of: [.biometryAny, .biometryCurrentSet]) }
        switch code {
        case .biometryNotEnrolled, .biometryNotAvailable: return withoutFingers
        case .biometryRefused:
            // The enrolled fingers may be other ones. That is no obstacle to an item that any finger opens.
            let others = items.filter { !$0.access.needsFinger(of: [.biometryCurrentSet]) }
            return others.count < items.count ? others : withoutFingers
        default: return items
        }
    }
}

extension AccessControl {
    /// Whether nothing opens the item over the bus without such a finger.
    fileprivate func needsFinger(of kinds: Set<Requirement>) -> Bool {
        anyIsEnough
            ? requirements.isSubset(of: kinds.union([.applicationPassword])) && !requirements.isDisjoint(with: kinds)
            : !requirements.isDisjoint(with: kinds)
    }
}
