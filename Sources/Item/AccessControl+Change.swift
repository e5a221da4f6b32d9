extension AccessControl {
    /// What becomes different about who can read an item, and when. What is nil stays as it is, or is a new item's
    /// default.
    package struct Change: Sendable, Equatable {
        package var accessibility: Accessibility?
        package var isThisDeviceOnly: Bool?
        /// Instead of all former ones.
        package var requirements: [Requirement]?
        package var anyIsEnough: Bool?

        package init(
            accessibility: Accessibility? = nil, isThisDeviceOnly: Bool? = nil, requirements: [Requirement]? = nil,
            anyIsEnough: Bool? = nil
        ) {
            self.accessibility = accessibility
            self.isThisDeviceOnly = isThisDeviceOnly
            self.requirements = requirements
            self.anyIsEnough = anyIsEnough
        }

        /// Names all of an access control.
        /// - Throws: if it contradicts itself.
        package init(_ access: AccessControl) throws(AccessControlError) {
            try access.check()
            self.init(
                accessibility: access.accessibility, isThisDeviceOnly: access.isThisDeviceOnly,
                requirements: access.requirements.inOrder, anyIsEnough: access.anyIsEnough)
        }

        /// What an item has after the change.
        /// - Throws: if that contradicts itself.
        package func applied(to former: AccessControl) throws(AccessControlError) -> AccessControl {
            try AccessControl(
                accessibility ?? former.accessibility, isThisDeviceOnly: isThisDeviceOnly ?? former.isThisDeviceOnly,
                requirements: requirements.map(Set.init(naming:)) ?? former.requirements,
                anyIsEnough: anyIsEnough ?? (requirements == nil && former.anyIsEnough))
        }
    }
}
