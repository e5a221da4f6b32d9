import Item

/// How a value, present or former, may be given out (docs/sync-merging.md, "The floor").
package enum GivingOut: Hashable, Sendable {
    /// Its slots ask for everything that the floor asks for.
    case asSealed
    /// The broker asks for this, and seals the value anew under it. That is no change.
    case sealedAnew(AccessControl)
    /// It is not given out until a person has decided.
    case undecided(Reason)

    /// Why a value is not given out.
    package enum Reason: Hashable, Sendable {
        /// No one access control asks for all that must be met.
        case notExpressible
        /// An application password was asked for, and the value was sealed without one.
        case absentPassword
        /// An access control came in that belongs to one machine alone.
        case staysOnOneMachine
        /// The slots are bound to another name, or to another kind.
        case anotherName
    }

    /// - Parameters:
    ///   - access: what the value's present slots ask for.
    ///   - name: what they are bound to.
    ///   - floor: all of it; a floor of nothing asks for nothing.
    ///   - shown: the name by which a person is asked.
    package init(sealedUnder access: AccessControl, boundTo name: ItemName, floor: [AccessControl], shown: ItemName) {
        let isGated = !access.requirements.isEmpty
        guard name.itemClass == shown.itemClass, !isGated || name == shown else {
            self = .undecided(.anotherName)
            return
        }
        let sealed = CombinedAccess(access)
        guard !floor.allSatisfy(sealed.meets) else {
            self = .asSealed
            return
        }
        let needed = floor.reduce(sealed) { $0.meeting(CombinedAccess($1)) }
        let asked = Set(needed.ways.joined())
        if needed.isThisDeviceOnly && !access.isThisDeviceOnly
            || asked.contains(.biometryCurrentSet) && !access.requirements.contains(.biometryCurrentSet)
        {
            self = .undecided(.staysOnOneMachine)
        } else if asked.contains(.applicationPassword) && !access.requirements.contains(.applicationPassword) {
            self = .undecided(.absentPassword)
        } else if let expressed = needed.expressed {
            self = .sealedAnew(expressed)
        } else {
            self = .undecided(.notExpressible)
        }
    }
}
