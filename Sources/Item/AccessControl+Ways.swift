extension AccessControl {
    /// Each way of meeting the requirements: if any is enough one for each of them, otherwise one.
    package var ways: [Set<Requirement>] { anyIsEnough ? requirements.inOrder.map { [$0] } : [requirements] }

    /// Whether this access control is not, in every respect, equal to the former one or looser than it. Where that
    /// cannot be told from the words alone, it counts as tighter.
    ///
    /// A looser one can be met by everybody who meets the former one: it opens in each of the former's states of the
    /// vault, it leaves the device if the former does, and each way of reading the former meets one of its own.
    package func tightens(_ former: AccessControl) -> Bool {
        guard accessibility.looseness >= former.accessibility.looseness,
            former.isThisDeviceOnly || !isThisDeviceOnly
        else { return true }
        let ways = ways
        return !former.ways.allSatisfy { former in ways.contains { $0.isSubset(of: former) } }
    }
}

extension AccessControl.Accessibility {
    /// Each class can be read in every state of the vault in which one with a smaller number can.
    package var looseness: Int {
        switch self {
        case .passcodeSet: 0
        case .whenUnlocked: 1
        case .afterFirstUnlock: 2
        case .always: 3
        }
    }
}

extension Set<AccessControl.Requirement> {
    /// In the order of every list: messages, tables, and the vault's file.
    package var inOrder: [AccessControl.Requirement] { AccessControl.Requirement.allCases.filter(contains) }

    /// As sentences name them: `presence, biometry`.
    package var listed: String { inOrder.map(\.rawValue).joined(separator: ", ") }

    /// - Throws: if the list names one twice.
    package init(naming list: [AccessControl.Requirement]) throws(AccessControlError) {
        self.init(list)
        guard count == list.count else { throw .namedTwice }
    }
}
