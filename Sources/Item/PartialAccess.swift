/// What a call names of an item's access control. All that it does not name stays as it is, so that a routine call that
/// replaces a guarded secret leaves it guarded.
///
/// ```swift
/// let change = PartialAccess(requirements: [.devicePasscode])
/// let access = try change.applied(to: .whenUnlocked.thisDeviceOnly)
/// ```
public struct PartialAccess: Sendable, Hashable {
    package let accessibility: AccessControl.Accessibility?
    package let isThisDeviceOnly: Bool?
    package let requirements: [AccessControl.Requirement]?
    package let anyIsEnough: Bool?
    /// All of it, with any contradiction in it.
    private let whole: AccessControl?

    /// - Parameter requirements: each once.
    public init(
        accessibility: AccessControl.Accessibility? = nil, isThisDeviceOnly: Bool? = nil,
        requirements: [AccessControl.Requirement]? = nil, anyIsEnough: Bool? = nil
    ) {
        self.accessibility = accessibility
        self.isThisDeviceOnly = isThisDeviceOnly
        self.requirements = requirements
        self.anyIsEnough = anyIsEnough
        whole = nil
    }

    /// Names all of it, so that nothing stays.
    public init(_ access: AccessControl) {
        accessibility = access.accessibility
        isThisDeviceOnly = access.isThisDeviceOnly
        requirements = access.requirements.inOrder
        anyIsEnough = access.anyIsEnough
        whole = access
    }

    /// What an item has afterwards.
    ///
    /// - Parameter present: the item's access control; nil if the item does not exist yet.
    /// - Throws: if that contradicts itself. A contradiction is refused, never narrowed.
    public func applied(to present: AccessControl?) throws(AccessControlError) -> AccessControl {
        if let whole = try checkedWhole { return whole }
        let former = present ?? .whenUnlocked
        return try AccessControl(
            accessibility ?? former.accessibility, isThisDeviceOnly: isThisDeviceOnly ?? former.isThisDeviceOnly,
            requirements: requirements.map(Set.init(naming:)) ?? former.requirements,
            // An "or" belongs to the requirements that came with it.
            anyIsEnough: anyIsEnough ?? (requirements == nil && former.anyIsEnough))
    }

    /// The whole access control, if it was given.
    /// - Throws: if it contradicts itself.
    package var checkedWhole: AccessControl? {
        get throws(AccessControlError) {
            try whole?.check()
            return whole
        }
    }
}
