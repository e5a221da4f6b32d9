import Authorization
import BrokerProtocol
import Varlink

/// Errors with one wording for several causes, so that a caller cannot tell the causes apart.
enum Faults {
    /// For a missing item, another owner's item, and an item that the caller may not see.
    static let notFound = Fault(.notFound, "there is no such item")

    /// For a group that does not exist, has no vault, or does not have the caller as a member.
    static let noGroupVault = Fault(
        .notFound, "there is no such vault for you: the group, its vault, or your membership is missing",
        advice: "list your groups with: id -Gn \"$USER\"")

    /// For a vault whose owner's number belongs to an account or a group of another name now. Whether that is the same
    /// person, only root knows.
    static func otherName(_ owner: Owner) -> Fault {
        let rename: String
        let vault: String
        switch owner {
        case .user(let uid): (rename, vault) = ("usermod --login", "--user \(uid)")
        case .group(let gid): (rename, vault) = ("groupmod --new-name", "--group \(gid)")
        }
        return Fault(
            .notPermitted, "this vault was made for an account or group of another name that had this number",
            advice: "if it is only a new name, have root give the former one back with: \(rename); "
                + "otherwise have root run: coffer vault set-aside \(vault)")
    }

    /// A group's vault is open to members only while their own vault is open.
    static let ownLocked = Fault(
        .locked,
        "your own vault is locked, and a group's vault is open only while yours is",
        advice: "open yours with: coffer unlock")

    static let noNames = Fault(.failed, "the name service does not answer", advice: "try again")

    static let slowNames = Fault(
        .failed, "the name service is too slow just now for all who connect", advice: "try again in a moment")

    static let challengeRefused = Fault(
        .challengeRefused, "the challenge is unknown, used, too old, or not for this call")

    static let noCodeToConfirm = Fault(
        .challengeRefused, "no new recovery code waits to be confirmed", advice: "begin again with: coffer recovery new"
    )

    static let locked = Fault(.locked, "your vault is locked", advice: "open it with: coffer unlock")

    static let applicationPasswordRequired = Fault(
        .applicationPasswordRequired, "this item needs its application password")

    static let applicationPasswordUnknown = Fault(
        .invalidArgument, "this item has no application password", advice: "leave it out")

    /// The same error, worded for the vault that the call names.
    ///
    /// - Parameter record: the vault's record; nil if it is not known.
    static func locked(_ admission: Admission, _ record: RegistryRecord?) -> Fault {
        if let record, admission.asksNobody(for: record) {
            return Fault(
                .locked, "the vault of this service is locked",
                advice: "have root run: coffer unlock --user \(record.ownerName)")
        }
        return switch (admission.standing, admission.name) {
        case (.member, let name?):
            Fault(
                .locked, "the vault of the group “\(name)” is locked",
                advice: "open it with: coffer unlock --group \(name)")
        case (.root, let name?):
            Fault(.locked, "the vault of “\(name)” is locked", advice: "open it with: coffer unlock --user \(name)")
        default: locked
        }
    }

    static let beingRenewed = Fault(
        .failed, "the keys of your vault are being renewed just now", advice: "try again in some seconds")

    static let expectedMore = Fault(
        .expectedMore, "this method replies again and again", advice: "call it with the “more” flag")

    static let hasCircle = Fault(
        .alreadyExists, "this vault shares its secrets with other machines already",
        advice: "see with which: coffer sync status")

    static let stopping = Fault(
        .failed,
        Fault.Details(message: "the broker is stopping", advice: "try again in a moment", kind: Keychain.stopping))
}
