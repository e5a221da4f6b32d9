extension Fault {
    /// The full name of an error. Each interface adds its own names.
    public struct Name: RawRepresentable, Codable, Sendable, Hashable {
        public let rawValue: String

        /// - Parameter rawValue: the interface's name, a dot, the error's name.
        public init(rawValue: String) { self.rawValue = rawValue }

        private init(_ rawValue: String) { self.rawValue = rawValue }

        // org.varlink.service
        public static let interfaceNotFound = Name("org.varlink.service.InterfaceNotFound")
        public static let methodNotFound = Name("org.varlink.service.MethodNotFound")
        public static let methodNotImplemented = Name("org.varlink.service.MethodNotImplemented")
        public static let invalidParameter = Name("org.varlink.service.InvalidParameter")
        public static let permissionDenied = Name("org.varlink.service.PermissionDenied")
        public static let expectedMore = Name("org.varlink.service.ExpectedMore")
    }
}
