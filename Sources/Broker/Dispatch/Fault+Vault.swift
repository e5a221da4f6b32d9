import Authorization
import BrokerProtocol
import Varlink
import Vault

extension Fault {
    /// Turns a vault's error into an error for clients. The cause is left out, because it may name files and rows.
    init(_ error: VaultError) {
        switch error.code {
        case .notFound: self.init(.notFound, Faults.sentence(error.reason))
        case .ambiguous(let accounts):
            self.init(
                .ambiguous,
                Details(message: "There are several accounts of this service: name one.", accounts: accounts))
        case .alreadyExists: self.init(.alreadyExists, "The item exists already.")
        case .changed: self = Faults.challengeRefused
        case .damaged: self.init(.damaged, Faults.sentence(error.reason))
        case .rollback:
            self.init(.damaged, Details(message: Faults.sentence(error.reason), kind: Keychain.rollback))
        case .uncounted: self.init(.failed, Faults.sentence(error.reason))
        case .newerFormat: self.init(.damaged, Faults.sentence(error.reason))
        case .limitExceeded: self.init(.limitExceeded, Faults.sentence(error.reason))
        case .invalidArgument: self.init(.invalidArgument, Faults.sentence(error.reason))
        case .locked: self = Faults.locked
        case .authenticationFailed: self.init(.applicationPasswordRefused, Faults.sentence(error.reason))
        case .fingersChanged:
            self.init(.fingersChanged, Faults.sentence(error.reason + "; set it again with: coffer set"))
        case .sealer:
            self = (error.cause as? SealerError).map { Fault($0) } ?? Fault(.failed, Faults.sentence(error.reason))
        case .storage, .outOfMemory: self.init(.failed, Faults.sentence(error.reason))
        }
    }

    /// Turns a sealer's error into an error for clients.
    init(_ error: SealerError) {
        let kind: String
        switch error.code {
        case .damaged:
            self.init(.damaged, Faults.sentence(error.reason))
            return
        case .counterGone:
            self.init(.damaged, Details(message: Faults.sentence(error.reason), kind: Keychain.rollback))
            return
        case .signingRefused:
            self.init(.challengeRefused, "The authenticator did not sign in time; start again.")
            return
        case .outOfMemory:
            self.init(.failed, Faults.sentence(error.reason))
            return
        case .unavailable: kind = "unavailable"
        case .replaced: kind = "replaced"
        case .lockout: kind = "lockout"
        case .policyRefused: kind = "refused"
        case .exhausted: kind = "exhausted"
        case .deadline: kind = "deadline"
        case .wrongPIN: kind = BrokerInterface.wrongPassword
        case .triesUsedUp: kind = "tries-used-up"
        case .pinIndexGone: kind = "pin-index"
        case .busy: kind = "busy"
        case .bootNotApproved: kind = "boot"
        case .bootIndexGone: kind = "boot-index"
        case .keysRenewed: kind = "renewed"
        case .unsupported: kind = "unsupported"
        case .other: kind = "other"
        }
        self.init(
            .tpm,
            Details(
                message: Faults.sentence(error.reason), kind: kind, code: Int64(error.tpmCode),
                triesLeft: error.triesLeft.map { Int64($0) }))
    }

    /// Turns an error of the registry into an error for clients.
    init(_ error: RegistryError) {
        switch error.code {
        case .damaged, .untrusted, .conflict: self.init(.damaged, Faults.sentence(error.reason))
        case .unreadable, .unwritable: self.init(.failed, Faults.sentence(error.reason))
        }
    }
}
