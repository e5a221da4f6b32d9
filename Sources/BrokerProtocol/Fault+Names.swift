import Varlink

/// The errors of Coffer's interfaces.
extension Fault.Name {
    // org.coffer.Keychain
    public static let authenticationRequired = Fault.Name("org.coffer.Keychain.AuthenticationRequired")
    public static let challengeRefused = Fault.Name("org.coffer.Keychain.ChallengeRefused")
    public static let applicationPasswordRequired = Fault.Name("org.coffer.Keychain.ApplicationPasswordRequired")
    public static let applicationPasswordRefused = Fault.Name("org.coffer.Keychain.ApplicationPasswordRefused")
    public static let notFound = Fault.Name("org.coffer.Keychain.NotFound")
    public static let ambiguous = Fault.Name("org.coffer.Keychain.Ambiguous")
    public static let alreadyExists = Fault.Name("org.coffer.Keychain.AlreadyExists")
    public static let locked = Fault.Name("org.coffer.Keychain.Locked")
    public static let notPermitted = Fault.Name("org.coffer.Keychain.NotPermitted")
    public static let damaged = Fault.Name("org.coffer.Keychain.Damaged")
    public static let tpm = Fault.Name("org.coffer.Keychain.TPM")
    public static let limitExceeded = Fault.Name("org.coffer.Keychain.LimitExceeded")
    public static let invalidArgument = Fault.Name("org.coffer.Keychain.InvalidArgument")
    public static let failed = Fault.Name("org.coffer.Keychain.Failed")
    public static let fingersChanged = Fault.Name("org.coffer.Keychain.FingersChanged")

    // org.coffer.Authentication
    public static let authenticationFailed = Fault.Name("org.coffer.Authentication.Failed")
    public static let authenticationCancelled = Fault.Name("org.coffer.Authentication.Cancelled")
    public static let authenticationTimedOut = Fault.Name("org.coffer.Authentication.TimedOut")
    public static let authenticationChallengeRefused = Fault.Name("org.coffer.Authentication.ChallengeRefused")
    public static let authenticationInvalidArgument = Fault.Name("org.coffer.Authentication.InvalidArgument")
    public static let authenticationMisconfigured = Fault.Name("org.coffer.Authentication.Misconfigured")
    public static let authenticationLimitExceeded = Fault.Name("org.coffer.Authentication.LimitExceeded")
    public static let brokerUnavailable = Fault.Name("org.coffer.Authentication.BrokerUnavailable")
    public static let notCompleted = Fault.Name("org.coffer.Authentication.NotCompleted")

    // org.coffer.Broker
    public static let brokerChallengeRefused = Fault.Name("org.coffer.Broker.ChallengeRefused")
    public static let brokerTPM = Fault.Name("org.coffer.Broker.TPM")
    public static let brokerDamaged = Fault.Name("org.coffer.Broker.Damaged")
    public static let brokerNotPermitted = Fault.Name("org.coffer.Broker.NotPermitted")
    public static let brokerFailed = Fault.Name("org.coffer.Broker.Failed")
    public static let brokerInvalidArgument = Fault.Name("org.coffer.Broker.InvalidArgument")
}
