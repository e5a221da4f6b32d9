extension AccessControl {
    /// Whether this access control is not, in every respect, equal to the former one or looser than it. Where that
    /// cannot be told from the words alone, it counts as tighter.
    ///
    /// A looser one can be met by everybody who meets the former one: it opens in each of the former's states of the
    /// vault, it leaves the device if the former does, and each way of reading the former meets one of its own.
    func tightens(_ former: AccessControl) -> Bool {
        guard accessibility.looseness >= former.accessibility.looseness, former.thisDeviceOnly || !thisDeviceOnly
        else { return true }
        let ways = alternatives
        return !former.alternatives.allSatisfy { former in ways.contains { $0.isSubset(of: former) } }
    }
}

extension Accessibility {
    /// Each class can be read in every state of the vault in which one with a smaller number can.
    fileprivate var looseness: Int {
        switch self {
        case .passcodeSet: 0
        case .whenUnlocked: 1
        case .afterFirstUnlock: 2
        case .always: 3
        }
    }
}
