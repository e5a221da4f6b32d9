// Made by scripts/interfaces from Interfaces/org.coffer.Keychain.varlink: change that file.
import Item
import JSON
import Varlink

/// The vault of the calling user, or of one of their groups. The kernel says who calls (SO_PEERCRED). No parameter
/// does. Times are milliseconds since 1970-01-01 UTC. Values are base64.
///
/// Every method but CreateVault takes group and user. They say by name whose vault the call is about. A call has one
/// of them, or neither for the caller's own vault. group: the caller must be a member of it now. If the group does
/// not exist, has no vault or does not include the caller, the answer is NotFound. user: an account with a service
/// vault. Only root may name one. Otherwise the answer is NotPermitted.
///
/// What errors say. Programs tell errors apart by name, kind and code. These are words for a person: message: what
/// happened, as a clause without a capital and a full stop. advice: what to do about it, as such a clause. It is left
/// out if there is nothing to do but what the error's name says. cause: the error below this one, as a word and its
/// own number: tpm 0x101, errno 28, sqlite 13.
public enum Keychain {
    /// The interface's name.
    public static let interface = "org.coffer.Keychain"

    /// The interface file, word for word: what introspection gives out.
    public static let description = text1 + text2 + text3
}
