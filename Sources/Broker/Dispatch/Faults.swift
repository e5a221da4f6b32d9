import BrokerProtocol
import Varlink

/// Errors with one wording for several causes, so that a caller cannot tell the causes apart.
enum Faults {
    /// For a missing item, another owner's item, and an item that the caller may not see.
    static let notFound = Fault(.notFound, "There is no such item.")

    /// For a group that does not exist, has no vault, or does not have the caller as a member.
    static let noGroupVault = Fault(
        .notFound, "There is no such vault for you: the group, its vault, or your membership is missing.")

    /// A group's vault is open to members only while their own vault is open.
    static let ownLocked = Fault(
        .locked,
        "Your own vault is locked, and a group's vault is open only while yours is; open yours with: coffer unlock")

    static let noNames = Fault(.failed, "The name service does not answer; try again.")

    static let challengeRefused = Fault(
        .challengeRefused, "The challenge is unknown, used, too old, or not for this call: call again without one.")

    static let noCodeToConfirm = Fault(
        .challengeRefused, "No new recovery code waits to be confirmed; begin again with: coffer recovery new")

    static let locked = Fault(.locked, "Your vault is locked; open it with: coffer unlock")

    static let applicationPasswordRequired = Fault(
        .applicationPasswordRequired, "This item needs its application password; repeat the call with it.")

    static let applicationPasswordUnknown = Fault(
        .invalidArgument, "This item has no application password; leave it out.")

    /// The same error, worded for the vault that the call names.
    static func locked(_ admission: Admission) -> Fault {
        switch (admission.standing, admission.name) {
        case (.member, let name?):
            Fault(.locked, "The vault of the group “\(name)” is locked; open it with: coffer unlock --group \(name)")
        case (.root, let name?):
            Fault(.locked, "The vault of “\(name)” is locked; open it with: coffer unlock --user \(name)")
        default: locked
        }
    }

    static let beingRenewed = Fault(
        .failed, "The keys of your vault are being renewed just now; try again in some seconds.")

    static let stopping = Fault(.failed, "The broker is stopping; try again in a moment.")

    /// Turns an internal reason into a sentence for people.
    static func sentence(_ reason: String) -> String {
        let text = reason.prefix(1).uppercased() + reason.dropFirst()
        return text.hasSuffix(".") ? text : text + "."
    }
}
