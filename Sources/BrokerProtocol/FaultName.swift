extension Fault {
    /// The errors of all interfaces, by their full names.
    public struct Name: RawRepresentable, Codable, Sendable, Hashable {
        public let rawValue: String

        public init(rawValue: String) { self.rawValue = rawValue }

        private init(_ rawValue: String) { self.rawValue = rawValue }

        // org.coffer.Keychain
        public static let authenticationRequired = Name("org.coffer.Keychain.AuthenticationRequired")
        public static let challengeRefused = Name("org.coffer.Keychain.ChallengeRefused")
        public static let applicationPasswordRequired = Name("org.coffer.Keychain.ApplicationPasswordRequired")
        public static let applicationPasswordRefused = Name("org.coffer.Keychain.ApplicationPasswordRefused")
        public static let notFound = Name("org.coffer.Keychain.NotFound")
        public static let ambiguous = Name("org.coffer.Keychain.Ambiguous")
        public static let alreadyExists = Name("org.coffer.Keychain.AlreadyExists")
        public static let locked = Name("org.coffer.Keychain.Locked")
        public static let notPermitted = Name("org.coffer.Keychain.NotPermitted")
        public static let damaged = Name("org.coffer.Keychain.Damaged")
        public static let tpm = Name("org.coffer.Keychain.TPM")
        public static let limitExceeded = Name("org.coffer.Keychain.LimitExceeded")
        public static let invalidArgument = Name("org.coffer.Keychain.InvalidArgument")
        public static let failed = Name("org.coffer.Keychain.Failed")
        public static let fingersChanged = Name("org.coffer.Keychain.FingersChanged")

        // org.coffer.Authentication
        public static let authenticationFailed = Name("org.coffer.Authentication.Failed")
        public static let authenticationCancelled = Name("org.coffer.Authentication.Cancelled")
        public static let authenticationTimedOut = Name("org.coffer.Authentication.TimedOut")
        public static let authenticationChallengeRefused = Name("org.coffer.Authentication.ChallengeRefused")
        public static let authenticationInvalidArgument = Name("org.coffer.Authentication.InvalidArgument")
        public static let authenticationMisconfigured = Name("org.coffer.Authentication.Misconfigured")
        public static let authenticationLimitExceeded = Name("org.coffer.Authentication.LimitExceeded")
        public static let brokerUnavailable = Name("org.coffer.Authentication.BrokerUnavailable")
        public static let notCompleted = Name("org.coffer.Authentication.NotCompleted")

        // org.coffer.Broker
        public static let brokerChallengeRefused = Name("org.coffer.Broker.ChallengeRefused")
        public static let brokerTPM = Name("org.coffer.Broker.TPM")
        public static let brokerDamaged = Name("org.coffer.Broker.Damaged")
        public static let brokerNotPermitted = Name("org.coffer.Broker.NotPermitted")
        public static let brokerFailed = Name("org.coffer.Broker.Failed")
        public static let brokerInvalidArgument = Name("org.coffer.Broker.InvalidArgument")

        // org.varlink.service
        public static let interfaceNotFound = Name("org.varlink.service.InterfaceNotFound")
        public static let methodNotFound = Name("org.varlink.service.MethodNotFound")
        public static let methodNotImplemented = Name("org.varlink.service.MethodNotImplemented")
        public static let invalidParameter = Name("org.varlink.service.InvalidParameter")
        public static let permissionDenied = Name("org.varlink.service.PermissionDenied")
        public static let expectedMore = Name("org.varlink.service.ExpectedMore")
    }
}
