import CofferClient
import Cryptography
import SystemBus

/// An error as clients see it: a name on the bus, and words for a person.
struct ServiceError: Error, Equatable {
    let name: String
    let message: String
    /// The failure of Coffer's behind it; nil if a client's call is wrong.
    let cause: KeychainError.Code?
    /// The same words for the journal, which is not sealed. They name no item.
    let logged: String

    init(_ name: String, _ message: String, cause: KeychainError.Code? = nil, logged: String? = nil) {
        self.name = name
        self.message = message
        self.cause = cause
        self.logged = logged ?? message
    }

    static let isLocked = "org.freedesktop.Secret.Error.IsLocked"
    static let noSession = "org.freedesktop.Secret.Error.NoSession"
    static let noSuchObject = "org.freedesktop.Secret.Error.NoSuchObject"
    static let alreadyExists = "org.freedesktop.Secret.Error.AlreadyExists"

    static func noObject(_ path: String) -> ServiceError {
        ServiceError(noSuchObject, "there is no object at \(path)")
    }

    static func invalid(_ message: String) -> ServiceError {
        ServiceError(BusErrorName.invalidArguments, message)
    }

    static func limit(_ message: String) -> ServiceError { ServiceError(BusErrorName.limitsExceeded, message) }

    /// Clients show these texts among their own.
    static let product = "Coffer: "

    /// - Parameter obstacle: why the client's own prompt could not open the vault; nil if it has shown none.
    static func locked(_ obstacle: String?) -> ServiceError {
        ServiceError(
            isLocked,
            obstacle ?? product + "the vault is locked; call Unlock first, or run in a terminal: coffer unlock")
    }
    static let answerTooLarge = limit("these secrets have more than 16 MiB together; get fewer at once")
    static let sessionGone = ServiceError(noSession, "this is not an open session of this client")
}

extension ServiceError {
    /// What the broker or the authenticator says.
    /// - Parameter wayOut: the advice if nobody can be asked.
    init(_ error: KeychainError, wayOut: WayOut = .reading) {
        let name =
            switch error.code {
            case .locked: Self.isLocked
            case .notFound: Self.noSuchObject
            case .alreadyExists: Self.alreadyExists
            case .limitExceeded: BusErrorName.limitsExceeded
            case .invalidArgument: BusErrorName.invalidArguments
            case .notPermitted, .cancelled, .authenticationNeeded: BusErrorName.accessDenied
            case .timedOut: BusErrorName.timeout
            case .wrongPassword, .boundPassword, .accountExpired, .accountDenied, .tooManyTries, .biometryRefused,
                .biometryNotEnrolled, .biometryNotAvailable,
                .applicationPasswordRefused:
                BusErrorName.authenticationFailed
            case .applicationPasswordNeeded: BusErrorName.notSupported
            default: BusErrorName.failed
            }
        let advice = error.code == .authenticationNeeded ? wayOut.rawValue : error.advice
        self.init(
            name, Self.product + KeychainError(error.code, error.message, advice: advice).description,
            cause: error.code, logged: KeychainError(error.code, error.namelessMessage, advice: advice).description)
    }

    /// What a person can do so that they are asked. The program that calls is often none that they could run in a terminal.
    enum WayOut: String {
        case unlocking = """
            run in a terminal: coffer unlock (or keep coffer agent open in one, or name a program that asks in \
            the COFFER_ASKPASS of coffer-secret-service)
            """
        case reading = """
            keep this open in a terminal: coffer agent (or name a program that asks in the COFFER_ASKPASS of \
            coffer-secret-service)
            """
    }

    init(_ error: CryptographyError) { self.init(BusErrorName.failed, Self.product + error.reason) }
}
