extension Keychain {
    /// Who may read an item, and when, as far as a call names it. An item that is there keeps what is left out; a new one has the default.
    public struct AccessChange: Codable, Sendable, Equatable {
        public var accessibility: Accessibility?
        public var thisDeviceOnly: Bool?
        public var require: [Constraint]?
        /// Left out beside `require`: false.
        public var any: Bool?

        public init(
            accessibility: Accessibility? = nil, thisDeviceOnly: Bool? = nil, require: [Constraint]? = nil,
            any: Bool? = nil
        ) {
            self.accessibility = accessibility
            self.thisDeviceOnly = thisDeviceOnly
            self.require = require
            self.any = any
        }

        /// Names all of it.
        public init(_ access: AccessControl) {
            self.init(
                accessibility: access.accessibility, thisDeviceOnly: access.thisDeviceOnly, require: access.require,
                any: access.any)
        }

        /// What an item has after the change.
        public func applied(to former: AccessControl) -> AccessControl {
            AccessControl(
                accessibility: accessibility ?? former.accessibility,
                thisDeviceOnly: thisDeviceOnly ?? former.thisDeviceOnly, require: require ?? former.require,
                any: any ?? (require == nil && former.any))
        }
    }
}
