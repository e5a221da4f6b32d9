import BrokerProtocol
import Varlink

/// What an error on the wire means here: its code, and the words for the fields that it leaves out.
struct KnownFault {
    let code: KeychainError.Code
    private let message: String
    private let advice: String

    private init(_ code: KeychainError.Code, _ message: String, advice: String = "") {
        self.code = code
        self.message = message
        self.advice = advice
    }

    /// The error of `details`. The sender's own words are kept, because the sender knows more.
    ///
    /// - Parameter name: the requested item, as a person reads it.
    func error(_ details: Fault.Details, about name: String? = nil) -> KeychainError {
        KeychainError(
            code, (name.map { "\($0): " } ?? "") + (details.message ?? message), advice: details.advice ?? advice,
            tpmCode: details.code ?? 0, cause: details.cause
        ).naming(name)
    }

    private static let again = "run the command again"
    /// What helps if this TPM will never open the vault again. Nothing is removed.
    private static let setAside = recovery("coffer vault set-aside --user NAME")
    /// For a vault that the broker does open, but its owner cannot: without `--force` the command refuses.
    private static let setAsideAnyway = recovery("coffer vault set-aside --user NAME --force")

    private static func recovery(_ command: String) -> String {
        "have root set the vault aside with: \(command); then restore the secrets with: coffer recovery restore FILE"
    }

    /// The errors of `org.coffer.Keychain` that have a meaning of their own.
    static let broker: [Fault.Name: KnownFault] = [
        .notFound: .init(.notFound, "there is no such item", advice: "list your items with: coffer list"),
        .alreadyExists: .init(
            .alreadyExists, "the item exists already", advice: "choose another name"),
        .locked: .init(.locked, "the vault is locked", advice: "open it with: coffer unlock"),
        .notPermitted: .init(.notPermitted, "this is not permitted"),
        .permissionDenied: .init(.notPermitted, "this is not permitted"),
        .damaged: .init(.damaged, "the store is damaged"),
        .limitExceeded: .init(.limitExceeded, "this is more than the broker accepts"),
        .invalidArgument: .init(.invalidArgument, "the broker does not accept this"),
        .applicationPasswordRequired: .init(
            .applicationPasswordNeeded, "the item needs an application password", advice: "give it when asked"),
        .applicationPasswordRefused: .init(
            .applicationPasswordRefused, "the application password is wrong, or the item is damaged", advice: again),
        .challengeRefused: .init(
            .requestOutdated, "the request took too long, or the item changed meanwhile", advice: again),
        .changed: .init(
            .changedMeanwhile, "the item was changed or deleted since it was looked at", advice: "look at it again"),
        .fingersChanged: .init(
            .biometryRefused, "the enrolled fingers changed since the item was set",
            advice: "set it again with: coffer set"),
        .failed: .init(.failed, "the broker could not do it"),
    ]

    /// `org.coffer.Keychain.Failed` of a broker that is about to end. To its clients, it is as good as gone.
    static let stopping = KnownFault(
        .brokerUnreachable, "the broker is stopping", advice: "try again in a moment")

    /// The errors of `org.coffer.Authentication` that have a meaning of their own.
    static let authenticator: [Fault.Name: KnownFault] = [
        .authenticationTimedOut: .init(.timedOut, "nobody answered in time", advice: again),
        .authenticationChallengeRefused: .init(
            .requestOutdated, "the request is too old, or belongs to another program", advice: again),
        .authenticationInvalidArgument: .init(
            .invalidArgument, "the answer cannot be used: it is too long, or has a zero byte"),
        .authenticationMisconfigured: .init(.authenticationMisconfigured, "PAM is not set up for coffer"),
        .brokerUnavailable: .init(.brokerUnreachable, "the authenticator cannot reach the broker"),
        .authenticationLimitExceeded: .init(
            .limitExceeded, "too many requests are open", advice: "answer or cancel one of them"),
    ]

    /// The kinds of `org.coffer.Authentication.NotCompleted` that are not the TPM's.
    static let notCompleted: [String: KnownFault] = [
        "damaged": .init(.damaged, "the store is damaged"),
        "failed": .init(.failed, "you were recognised, but the broker could not use that"),
    ]

    /// A kind of `org.coffer.Keychain.TPM`.
    static func tpm(_ kind: String?) -> KnownFault { kind.flatMap { tpmKinds[$0] } ?? otherTPM }

    private static let otherTPM = KnownFault(
        .tpmOther, "the TPM failed", advice: "see why with: journalctl -u cofferd")

    private static let tpmKinds: [String: KnownFault] = [
        "unavailable": .init(
            .tpmUnavailable, "the TPM cannot be reached",
            advice: "check that /dev/tpmrm0 exists and that cofferd may use it"),
        "replaced": .init(
            .tpmReplaced, "the TPM was cleared or replaced",
            advice: setAside),
        "lockout": .init(
            .tpmLockout, "the TPM is in lockout after too many wrong tries", advice: "wait until the lockout ends"),
        "refused": .init(
            .tpmRefused, "the TPM refused the policy",
            advice: "run the command again, and if that does not help, see: journalctl -u cofferd"),
        "exhausted": .init(
            .tpmExhausted, "the TPM has no room for another object",
            advice: "end other programs that use it"),
        "deadline": .init(.tpmDeadline, "the TPM did not answer in time", advice: again),
        "tries-used-up": .init(
            .tpmTriesUsedUp, "no try is left for the password that the vault is bound to", advice: setAsideAnyway),
        "pin-index": .init(.tpmPasswordIndexGone, "the TPM's count of password tries is gone", advice: setAside),
        "boot": .init(
            .tpmBootNotApproved, "this boot was not approved for the vault",
            advice: "start the machine as before; if that is not possible, \(setAsideAnyway)"),
        "boot-index": .init(
            .tpmBootIndexGone, "the TPM's record of the approved boots is gone", advice: setAside),
        "unsupported": .init(.tpmUnsupported, "the TPM is too old for this"),
    ]
}
