import BrokerProtocol
import Varlink

/// Errors that have one wording wherever they come from, so that their causes cannot be told apart.
enum Faults {
    /// Missing, another's, not permitted: all the same to the one who asks.
    static let notFound = Fault(.notFound, "There is no such item.")

    /// A group that is not there, has no keychain, or does not have the caller as a member: all the same to the one who asks.
    static let noGroupVault = Fault(
        .notFound, "There is no such vault for you: the group, its vault, or your membership is missing.")

    /// A group's keychain is open to a member while his own is.
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

    /// The same in the words for the vault that it is.
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

    /// A reason from further down, as people read it.
    static func sentence(_ reason: String) -> String {
        let text = reason.prefix(1).uppercased() + reason.dropFirst()
        return text.hasSuffix(".") ? text : text + "."
    }
}
