import BrokerProtocol
import Varlink

extension KeychainError {
    /// A call to the broker that got no valid Varlink answer.
    init(broker failure: TransportFailure, path: String) {
        switch failure {
        case .unreachable(let reason):
            let installed = path == SocketPaths.installedBroker
            self.init(
                .brokerUnreachable, "the broker is not running (\(path): \(reason))",
                advice: installed
                    ? "start it with: systemctl start cofferd.socket" : "start the broker that COFFER_SOCKET names")
        case .deadline:
            self.init(
                .brokerSilent, "the broker did not answer in time",
                advice: "check it with: systemctl status cofferd")
        case .notUnderstood(let reason):
            self.init(
                .protocolViolation, "the broker cannot be understood: \(reason)",
                advice: "install coffer and cofferd of the same version")
        }
    }

    /// An error of `org.coffer.Keychain`, or of Varlink itself. The broker's own message is kept, because the broker knows more.
    /// - Parameter name: the requested item, as a person reads it.
    init(brokerFault fault: Fault, about name: String? = nil) {
        // Done here and not when shown: Coffer's own messages may begin with a name, which must stay as it is.
        let words = Self.clause(fault.details.message ?? "")
        func said(_ otherwise: String) -> String { words.isEmpty ? otherwise : words }
        // Gives advice if the broker's message has none.
        func unlessSaid(_ advice: String) -> String { words.contains(";") || words.contains(":") ? "" : advice }
        switch fault.name {
        case .notFound:
            self.init(
                .notFound, (name.map { "\($0): " } ?? "") + said("there is no such item"),
                advice: unlessSaid("list your items with: coffer list"))
        case .ambiguous:
            let accounts = fault.details.accounts ?? []
            self.init(
                .ambiguous, "there are several accounts of this service",
                advice: "name one of: \(accounts.map(VisibleText.quoted).joined(separator: ", "))",
                accounts: accounts)
        case .alreadyExists:
            self.init(
                .alreadyExists, said("the item exists already"),
                advice: unlessSaid("choose another name, or remove that one first"))
        case .locked:
            self.init(
                .locked, parting: said("the vault is locked"),
                otherwise: words.contains("coffer unlock") ? "" : "open it with: coffer unlock")
        case .notPermitted, .permissionDenied: self.init(.notPermitted, said("this is not permitted"))
        case .damaged: self.init(.damaged, parting: said("the store is damaged"))
        case .tpm: self.init(tpm: fault.details.kind, code: fault.details.code, words: words)
        case .limitExceeded: self.init(.limitExceeded, said("this is more than the broker accepts"))
        case .invalidArgument: self.init(.invalidArgument, said("the broker does not accept this"))
        case .applicationPasswordRequired:
            self.init(
                .applicationPasswordNeeded, said("the item needs an application password"),
                advice: unlessSaid("give it when asked"))
        case .applicationPasswordRefused:
            self.init(
                .applicationPasswordRefused, said("the application password is wrong, or the item is damaged"),
                advice: unlessSaid("run the command again"))
        case .challengeRefused:
            self.init(
                .requestOutdated, said("the request took too long, or the item changed meanwhile"),
                advice: "run the command again")
        case .fingersChanged:
            self.init(
                .biometryRefused,
                said("the enrolled fingers changed since the item was set; set it again with: coffer set"))
        case .failed:
            self.init(
                .failed, said("the broker could not do it"),
                advice: words.isEmpty ? "see why with: journalctl -u cofferd" : "")
        case .authenticationRequired:
            self.init(
                .authenticationNeeded, "the broker asks for authentication once more", advice: "run the command again")
        case .methodNotFound, .interfaceNotFound, .methodNotImplemented:
            self.init(
                .protocolViolation, "the broker does not know how to do this",
                advice: "install coffer and cofferd of the same version")
        case .invalidParameter:
            self.init(.invalidArgument, "the broker does not accept \(fault.details.parameter ?? "a parameter")")
        default:
            self.init(.protocolViolation, "the broker gave an unknown error: \(fault.name.rawValue)")
        }
    }

    /// The kinds of TPM failure that `org.coffer.Keychain.TPM` tells apart.
    init(tpm kind: String?, code: Int64?, words: String) {
        let known: (code: Code, otherwise: String) =
            switch kind {
            case "unavailable":
                (
                    .tpmUnavailable,
                    "the TPM cannot be reached; check that /dev/tpmrm0 exists and that cofferd may use it"
                )
            case "replaced":
                (
                    .tpmReplaced,
                    "the TPM was cleared or replaced; restore the secrets with the recovery code: coffer recovery restore"
                )
            case "lockout":
                (.tpmLockout, "the TPM is in lockout after too many wrong tries; wait until the lockout ends")
            case "refused":
                (
                    .tpmRefused,
                    "the TPM refused the policy; run the command again, and if that does not help, see: journalctl -u cofferd"
                )
            case "exhausted":
                (
                    .tpmExhausted,
                    "the TPM has no room for another object; end other programs that use it, and run the command again"
                )
            case "deadline": (.tpmDeadline, "the TPM did not answer in time; run the command again")
            case "tries-used-up":
                (
                    .tpmTriesUsedUp,
                    "no try is left for the password that the vault is bound to; use the recovery code"
                )
            case "pin-index":
                (
                    .tpmPasswordIndexGone,
                    "the TPM's count of password tries is gone; use the recovery code"
                )
            case "boot":
                (
                    .tpmBootNotApproved,
                    "this boot was not approved for the vault; start the machine as before, or use the recovery code"
                )
            case "boot-index":
                (
                    .tpmBootIndexGone,
                    "the TPM's record of the approved boots is gone; use the recovery code"
                )
            case "unsupported": (.tpmUnsupported, "the TPM is too old for this")
            default: (.tpmOther, "the TPM failed; see why with: journalctl -u cofferd")
            }
        self.init(known.code, parting: words.isEmpty ? known.otherwise : words, tpmCode: code ?? 0)
    }

    /// Splits a message that says what happened and, after a semicolon, what to do.
    /// - Parameter advice: the advice if the message has none.
    init(_ code: Code, parting words: String, otherwise advice: String = "", tpmCode: Int64 = 0) {
        guard advice.isEmpty, let end = words.firstRange(of: "; ") else {
            self.init(code, words, advice: advice, tpmCode: tpmCode)
            return
        }
        let said = words[end.upperBound...]
        self.init(
            code, String(words[..<end.lowerBound]), advice: String(said.hasSuffix(".") ? said.dropLast() : said),
            tpmCode: tpmCode)
    }
}

/// A method that concerns one item, so that its errors can name the item.
protocol ItemNaming {
    /// The item's name as sentences show it: github/me.
    var shownName: String { get }
}

extension BrokerProtocol.Keychain.Get: ItemNaming {
    var shownName: String { VisibleText.name(service: service, account: account) }
}

extension BrokerProtocol.Keychain.Show: ItemNaming {
    var shownName: String { VisibleText.name(service: service, account: account) }
}

extension BrokerProtocol.Keychain.Edit: ItemNaming {
    var shownName: String { VisibleText.name(service: service, account: account) }
}

extension BrokerProtocol.Keychain.Rotate: ItemNaming {
    var shownName: String { VisibleText.name(service: service, account: account) }
}

extension BrokerProtocol.Keychain.Delete: ItemNaming {
    var shownName: String { VisibleText.name(service: service, account: account) }
}

extension BrokerProtocol.Keychain.Rename: ItemNaming {
    var shownName: String { VisibleText.name(service: service, account: account) }
}

extension BrokerProtocol.Keychain.InVault: ItemNaming where Method: ItemNaming {
    var shownName: String { method.shownName }
}
