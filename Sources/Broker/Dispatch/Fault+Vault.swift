import Authorization
import BrokerProtocol
import Item
import Varlink
import Vault

extension Fault {
    /// A vault's error on the wire: its words, and the cause without the names of files and rows.
    init(_ error: VaultError) {
        var details = Details(message: error.reason, advice: error.advice, cause: error.underlying)
        let name: Name
        switch error.code {
        // One answer for all that happens to challenges and items meanwhile.
        case .changed:
            self = Faults.challengeRefused
            return
        case .sealer:
            self = (error.cause as? SealerError).map { Fault($0) } ?? Fault(.failed, details)
            return
        case .notFound: name = .notFound
        case .noField(let fields):
            name = .notFound
            details.advice = "it has: " + fields.map(VisibleText.quoted).joined(separator: ", ")
        case .ambiguous(let accounts):
            name = .ambiguous
            details.accounts = accounts
        case .alreadyExists: name = .alreadyExists
        case .outdated: name = .changed
        case .rollback:
            name = .damaged
            details.kind = Keychain.rollback
        case .damaged:
            name = .damaged
            guard let item = error.damagedItem else { break }
            details.kind = Keychain.damagedItem
            let shown = VisibleText.name(service: item.service, account: item.account, kind: item.itemClass)
            details.message = "\(error.reason): \(shown)"
        case .newerFormat: name = .damaged
        // The former file that is put back heals this.
        case .replaced:
            name = .damaged
            details.kind = Keychain.missing
        case .limitExceeded: name = .limitExceeded
        case .invalidArgument: name = .invalidArgument
        case .locked: name = .locked
        case .authenticationFailed: name = .applicationPasswordRefused
        case .fingersChanged: name = .fingersChanged
        case .keysRenewed: name = .challengeRefused
        case .uncounted, .storage, .outOfMemory: name = .failed
        }
        self.init(name, details)
    }

    /// A sealer's error on the wire: its words, and the TPM's own code.
    init(_ error: SealerError) {
        let kind: String
        switch error.code {
        case .damaged:
            self.init(.damaged, error.reason, advice: error.advice, cause: error.underlying)
            return
        case .counterGone:
            self.init(
                .damaged,
                Details(
                    message: error.reason, advice: error.advice, cause: error.underlying, kind: Keychain.rollback))
            return
        case .signingRefused:
            self.init(.challengeRefused, "the authenticator did not sign in time")
            return
        case .outOfMemory:
            self.init(.failed, error.reason, advice: error.advice)
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
                message: error.reason, advice: error.advice, kind: kind, code: Int64(error.tpmCode),
                triesLeft: error.triesLeft.map { Int64($0) }))
    }

    /// An error of the registry on the wire.
    init(_ error: RegistryError) {
        switch error.code {
        // A record that is put back, or an update, heals this, so it is no damage of the vault.
        case .damaged, .untrusted, .newerFormat:
            self.init(
                .damaged,
                Details(
                    message: error.reason, advice: error.advice, cause: error.underlying, kind: Keychain.missing))
        case .conflict: self.init(.damaged, error.reason, advice: error.advice, cause: error.underlying)
        case .unreadable, .unwritable:
            self.init(.failed, error.reason, advice: error.advice, cause: error.underlying)
        }
    }
}
