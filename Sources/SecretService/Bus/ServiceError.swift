import Coffer
import Cryptography
import SystemBus

/// An error as clients see it: a name on the bus, and words for a person.
struct ServiceError: Error, Equatable {
    let name: String
    let message: String

    init(_ name: String, _ message: String) {
        self.name = name
        self.message = message
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

    static let locked = ServiceError(isLocked, "the vault is locked; call Unlock first")
    static let sessionGone = ServiceError(noSession, "this is not an open session of this client")
}

extension ServiceError {
    /// What the broker or the authenticator says.
    init(_ error: KeychainError) {
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
                .applicationPasswordRefused:
                BusErrorName.authenticationFailed
            case .applicationPasswordNeeded: BusErrorName.notSupported
            default: BusErrorName.failed
            }
        self.init(name, "Coffer: \(error)")
    }

    init(_ error: CryptographyError) { self.init(BusErrorName.failed, "Coffer: \(error.reason)") }
}
