import Item

/// What must hold before a value is given out: every one of several access controls (docs/sync-merging.md, "Access").
///
/// It is a meeting of ways, so the order and the number of times in which access controls come in change nothing.
package struct CombinedAccess: Hashable, Sendable {
    /// The earliest of the classes.
    package let accessibility: AccessControl.Accessibility
    package let isThisDeviceOnly: Bool
    /// Each set of requirements that is enough, sorted. None contains another.
    package let ways: [[AccessControl.Requirement]]

    package init(_ access: AccessControl) {
        self.init(access.accessibility, access.isThisDeviceOnly, access.ways)
    }

    private init(
        _ accessibility: AccessControl.Accessibility, _ isThisDeviceOnly: Bool, _ ways: [Set<AccessControl.Requirement>]
    ) {
        self.accessibility = accessibility
        self.isThisDeviceOnly = isThisDeviceOnly
        let least = ways.filter { way in !ways.contains { $0.isStrictSubset(of: way) } }
        var sorted = least.map(\.inOrder).sorted { $0.places.lexicographicallyPrecedes($1.places) }
        for place in sorted.indices.dropFirst().reversed() where sorted[place] == sorted[place - 1] {
            sorted.remove(at: place)
        }
        self.ways = sorted
    }

    /// - Returns: nil for no access control at all.
    package init?(meeting all: [AccessControl]) {
        guard let first = all.first else { return nil }
        self = all.dropFirst().reduce(CombinedAccess(first)) { $0.meeting(CombinedAccess($1)) }
    }

    /// What meets both.
    package func meeting(_ other: CombinedAccess) -> CombinedAccess {
        let earlier = accessibility.looseness <= other.accessibility.looseness ? accessibility : other.accessibility
        let both = ways.flatMap { way in other.ways.map { Set(way).union($0) } }
        return CombinedAccess(earlier, isThisDeviceOnly || other.isThisDeviceOnly, both)
    }

    /// Whether everybody who meets this meets an access control, too.
    package func meets(_ access: AccessControl) -> Bool {
        accessibility.looseness <= access.accessibility.looseness && (isThisDeviceOnly || !access.isThisDeviceOnly)
            && ways.allSatisfy { way in access.ways.contains { $0.isSubset(of: way) } }
    }

    /// The one access control that asks for exactly this.
    /// - Returns: nil if no access control says it: "(a or b) and c", and both kinds of biometry.
    package var expressed: AccessControl? {
        let joined = Set(ways.joined())
        let isAny = ways.count > 1
        guard !isAny || ways.allSatisfy({ $0.count == 1 }) else { return nil }
        do {
            return try AccessControl(
                accessibility, isThisDeviceOnly: isThisDeviceOnly, requirements: joined, anyIsEnough: isAny)
        } catch {
            return nil
        }
    }
}

extension [AccessControl.Requirement] {
    fileprivate var places: [Int] { map { AccessControl.Requirement.allCases.firstIndex(of: $0) ?? 0 } }
}

extension AccessControl {
    /// Whether an item with it can be in a circle.
    package var travels: Bool { !isThisDeviceOnly && !requirements.contains(.biometryCurrentSet) }
}
