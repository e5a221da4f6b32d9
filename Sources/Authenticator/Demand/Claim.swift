import Authorization
import BrokerProtocol
import Platform

/// Whose vault a challenge is about, and by what right its client has to do with it: by the kernel's word on who the client is, the name service's on who
/// belongs to a group now, and the registry's. Never by the broker's, and never by the process's own list of groups, which outlives a removal.
struct Claim {
    enum Right {
        /// The client's own vault.
        case own
        /// A group's, of which the client is a member now.
        case member
        /// The vault of an account that nobody can be asked for, or any that is to be accepted, and the client is root.
        case root
    }

    let owner: Owner
    let right: Right
    /// The account's or group's name now.
    let name: String
    /// Whether the client is root, also where the vault is root's own.
    let isRoots: Bool

    /// - Parameters:
    ///   - text: the owner as the broker says.
    ///   - isAccepting: it is about taking a file for the newest, which is root's for every vault.
    /// - Throws: ``ConversationError``, the same for a group that is not there and one that the client does not belong to.
    init(_ text: String, of client: Client, accepting isAccepting: Bool = false) throws(ConversationError) {
        guard let owner = Owner(text: text) else { throw Self.refusal }
        self.owner = owner
        isRoots = client.account.uid == 0
        do throws(SystemError) {
            switch owner {
            case .user(client.account.uid):
                right = .own
                name = client.account.name
            case .user(let uid):
                guard client.account.uid == 0, let account = try Account.withUID(uid) else { throw Self.foreign }
                right = .root
                name = account.name
            case .group(let gid) where isAccepting && isRoots:
                guard let group = try Group.withGID(gid) else { throw Self.foreign }
                right = .root
                name = group.name
            case .group(let gid):
                guard client.account.isMember(of: gid), let group = try Group.withGID(gid) else { throw Self.foreign }
                right = .member
                name = group.name
            }
        } catch { throw error == Self.foreign ? Self.refusal : .refused(.misconfigured("The authenticator \(error).")) }
    }

    private static let foreign = SystemError("use a vault", reason: "it is another owner's")
    private static let refusal = ConversationError.refused(
        .challengeRefused("The challenge is for another owner's vault."))

    /// A recovery code is for one's own keychain. Root makes and opens service vaults; what a person keeps, and any single item, is not root's by this way.
    func check(_ record: RegistryRecord?, for purposes: Set<Keychain.Purpose>) throws(ConversationError) {
        // A group's secrets are not one member's to take along.
        guard !purposes.contains(.recovery) || right == .own else { throw Self.refusal }
        // One person's password is for one person's keychain.
        let own: Set<Keychain.Purpose> = [.bind, .unbind, .tieToBoot, .releaseFromBoot, .approveBoot]
        guard purposes.isDisjoint(with: own) || right == .own else { throw Self.refusal }
        // Members of a group cannot speak for each other.
        guard !purposes.contains(.rotate) || right != .member else { throw Self.refusal }
        if purposes.contains(.accept) {
            // By itself: who says yes to something else must not have said yes to this.
            guard isRoots, purposes == [.accept] else { throw Self.refusal }
            return
        }
        guard right == .root else { return }
        guard purposes == [.create] || purposes == [.unlock] || purposes == [.rotate], record?.isService ?? true else {
            throw Self.refusal
        }
    }

    /// The same once more, when the person has answered: meanwhile the client may have been removed from the group.
    func confirm(for client: Client) throws(ConversationError) {
        guard right == .member else { return }
        let now = try Claim(owner.text, of: client)
        guard now.name == name else { throw Self.refusal }
    }
}
