import Authorization
import BrokerProtocol
import Platform

/// The owner of the challenge's vault, and the client's right to use that vault. The kernel names the client, the name service the group's present
/// members, and the registry the vault. Neither the broker's word counts nor the process's own list of groups, which outlives a removal.
struct Claim {
    enum Right {
        /// The client's own vault.
        case own
        /// The vault of a group that the client belongs to now.
        case member
        /// The client is root, and the vault has nobody to ask or is to be accepted.
        case root
    }

    let owner: Owner
    let right: Right
    /// The account's or group's present name.
    let name: String
    /// Whether the client is root, even if the vault is root's own.
    let isRoots: Bool

    /// - Parameter text: the owner, as the broker gives it.
    /// - Throws: ``ConversationError``, the same for a group that does not exist and one that the client does not belong to.
    init(_ text: String, of client: Client, for request: PersonRequest) throws(ConversationError) {
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
            case .group(let gid) where isRoots && request.kind.terms.askers.contains(.root):
                guard let group = try Group.withGID(gid) else { throw Self.foreign }
                right = .root
                name = group.name
            case .group(let gid):
                guard client.account.isMember(of: gid), let group = try Group.withGID(gid) else { throw Self.foreign }
                right = .member
                name = group.name
            }
        } catch {
            guard error == Self.foreign else { throw .refused(.misconfigured(error)) }
            if case .group = owner { throw Self.noGroupVault }
            throw Self.refusal
        }
    }

    private static let foreign = SystemError("use a vault", reason: "it is another owner's")
    private static let refusal = ConversationError.refused(
        .challengeRefused("the challenge is for another owner's vault"))

    /// In the broker's words for the same (`Faults.noGroupVault`): the membership may have ended while a prompt was open.
    private static let noGroupVault = ConversationError.refused(
        .challengeRefused(
            "there is no such vault for you: the group, its vault, or your membership is missing",
            advice: "list your groups with: id -Gn \"$USER\""))

    /// Checks the request against the right. Root makes, unlocks, renews and shares service vaults this way, but not people's vaults or single items.
    func check(_ request: PersonRequest, on record: RegistryRecord?) throws(ConversationError) {
        let isServices = right == .root && (record?.isService ?? true)
        let isAllowed = request.kind.terms.askers.contains { asker in
            switch asker {
            case .owner: right == .own
            case .person: right == .own && !(record?.isService ?? false)
            case .member: right == .member
            case .rootForService: isServices
            case .root: isRoots
            }
        }
        guard isAllowed else { throw Self.refusal }
        // Also a renewal of keys is a statement, and no account of a service makes one.
        guard !request.changesCircle || right == .root || !(record?.isService ?? false) else { throw Self.refusal }
    }

    /// Checks the right again after the person has answered, because the client may have left the group meanwhile.
    func confirm(_ request: PersonRequest, of client: Client) throws(ConversationError) {
        guard right == .member else { return }
        let now = try Claim(owner.text, of: client, for: request)
        guard now.name == name else { throw Self.refusal }
    }
}
