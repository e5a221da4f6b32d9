import Authorization
import Cryptography
import Vault

/// The life of one challenge, from the question to the repeated call. It is a pure state machine, without clock, socket
/// or TPM. A step that changes how long the challenge lives returns that as an action.
struct ChallengeLife: Sendable {
    enum State: Sendable {
        /// Nobody has begun to answer.
        case issued
        /// An authenticator is asking the person.
        case described(Conversation)
        /// Everything is there. The process that asked may repeat its call, once.
        case granted(Grant)
    }

    /// What a step does to the challenge's time.
    enum Action: Sendable, Equatable {
        case none
        /// The time for answering begins anew.
        case restartAnswer
        /// The time for the repeated call begins.
        case startGrant
        /// The challenge is over.
        case end
    }

    /// What the authenticator has brought so far, over one connection.
    struct Conversation: Sendable {
        let connection: UInt64
        /// The signatures that are asked for now.
        var choice: SignatureChoice
        /// What the TPM agreed on for fields of items.
        var agreements: Agreements = [:]
        /// A key of the vault that a signature released, such as the recovery key.
        var key: SecretBytes?
        var root: HeldRoot?
        /// How many wrong passwords of a bound vault the authenticator has brought.
        var wrongPasswords = 0
        fileprivate var calls: [PrivateCall: Int] = [:]

        fileprivate init(over connection: UInt64, _ request: Challenge.Request) {
            self.connection = connection
            choice = request.choice
        }
    }

    /// An unlock root that a signature released to be sealed again.
    enum HeldRoot: Sendable {
        /// The root in use.
        case released(SecretBytes)
        /// Its replacement, and the Name of the object that it is sealed in.
        case replacement(SecretBytes, name: [UInt8])
    }

    /// What the repeated call gets.
    struct Grant: Sendable {
        /// What the TPM agreed on for fields of items. Nothing of it opens another one.
        var agreements: Agreements = [:]
        /// A key of the vault that a signature released, such as the recovery key.
        var key: SecretBytes?
        var means: Challenge.Means?
        /// The outcome of a renewal of all keys.
        var renewal: RenewalOutcome?
    }

    private(set) var request: Challenge.Request
    private(set) var state = State.issued

    init(_ request: Challenge.Request) { self.request = request }

    /// A challenge that the authenticator makes for itself, for a login that it reports. It is described from the start.
    init(ofLoginOver connection: UInt64) {
        request = .login
        state = .described(Conversation(over: connection, request))
    }

    // MARK: The conversation

    /// An authenticator begins to ask. Only one does.
    mutating func describe(over connection: UInt64) throws(ChallengeRefusal) {
        guard case .issued = state else { throw .outOfOrder }
        state = .described(Conversation(over: connection, request))
    }

    /// The conversation over this connection.
    func conversation(over connection: UInt64) throws(ChallengeRefusal) -> Conversation {
        guard case .described(let conversation) = state, conversation.connection == connection else {
            throw .outOfOrder
        }
        return conversation
    }

    /// Counts a call of the authenticator, if the request permits it now.
    mutating func permit(_ call: PrivateCall, over connection: UInt64) throws(ChallengeRefusal) {
        var conversation = try conversation(over: connection)
        let made = conversation.calls[call, default: 0]
        switch call.frequency(for: request) {
        case .never: throw .anotherRequest
        case .once: guard made == 0 else { throw .outOfOrder }
        case .often: break
        }
        let predecessors = call.predecessors(for: request)
        guard predecessors.isEmpty || predecessors.contains(where: { conversation.calls[$0, default: 0] > 0 }) else {
            throw .outOfOrder
        }
        conversation.calls[call] = made &+ 1
        state = .described(conversation)
    }

    // MARK: Signatures

    /// Begins one of the signatures. Each can be begun once, and only together with those of the same alternative.
    mutating func begin(_ index: Int, over connection: UInt64) throws(ChallengeRefusal) -> Challenge.Authorization {
        var conversation = try conversation(over: connection)
        guard let authorization = conversation.choice.begin(index) else { throw .outOfOrder }
        state = .described(conversation)
        return authorization
    }

    /// One signature came with a wrong password. It may be begun again, once.
    mutating func retry(_ index: Int, over connection: UInt64) throws(ChallengeRefusal) {
        var conversation = try conversation(over: connection)
        guard conversation.wrongPasswords == 0, conversation.choice.beginAgain(index) else { throw .outOfOrder }
        conversation.wrongPasswords += 1
        state = .described(conversation)
    }

    /// One signature was good. After the last one of an alternative, the request is granted.
    /// - Parameters:
    ///   - agreement: what the constraint key agreed on, or a key of the vault; nil for the unlock root.
    ///   - means: how the person was recognised; nil if they were asked for this challenge.
    mutating func finish(
        _ index: Int, over connection: UInt64, agreement: SecretBytes?, means: Challenge.Means?
    ) throws(ChallengeRefusal) -> Action {
        var conversation = try conversation(over: connection)
        guard conversation.choice.finish(index) else { throw .outOfOrder }
        let authorization = conversation.choice.authorizations[index]
        if let agreement {
            if let point = authorization.point {
                conversation.agreements[point] = agreement
            } else {
                conversation.key = agreement
            }
        }
        state = .described(conversation)
        // A renewal of all keys continues after its signatures, so it is not granted here.
        if case .rotate = request { return .none }
        guard conversation.choice.isComplete else {
            // Many signatures take time. The first shows that the person has answered, so the time begins anew, once.
            if request.readsSeveral, conversation.choice.doneCount == 1 { return .restartAnswer }
            return .none
        }
        // Nobody waits for what a login opened.
        if request.isLogin { return .end }
        // Roots that were released to be sealed again are not given to any call.
        let key = request.resealsRoots ? nil : conversation.key
        state = .granted(Grant(agreements: conversation.agreements, key: key, means: means))
        return .startGrant
    }

    /// Everything that needs no signature was found, or the owner has consented.
    mutating func confirm(over connection: UInt64) throws(ChallengeRefusal) -> Action {
        _ = try conversation(over: connection)
        guard request.kind.terms.asks == .never || request.needsNoSignature else { throw .anotherRequest }
        state = .granted(Grant())
        return .startGrant
    }

    // MARK: Making a vault

    /// The vault was made. It must be opened now.
    mutating func makeVault(over connection: UInt64) throws(ChallengeRefusal) {
        var conversation = try conversation(over: connection)
        conversation.choice = .unlock
        state = .described(conversation)
    }

    // MARK: Sealing roots again

    /// Keeps the unlock root that a signature released.
    mutating func hold(_ root: SecretBytes, over connection: UInt64) throws(ChallengeRefusal) {
        var conversation = try conversation(over: connection)
        guard conversation.root == nil, !request.isLogin else { throw .outOfOrder }
        conversation.root = .released(root)
        state = .described(conversation)
    }

    /// Keeps its sealed replacement, until the registry names that.
    mutating func replace(
        by root: SecretBytes, sealedAs name: [UInt8], over connection: UInt64
    ) throws(ChallengeRefusal) {
        var conversation = try conversation(over: connection)
        guard case .released = conversation.root else { throw .outOfOrder }
        conversation.root = .replacement(root, name: name)
        state = .described(conversation)
    }

    // MARK: Renewing all keys

    /// The person agreed. The renewal takes time.
    func beginRenewal(over connection: UInt64) throws(ChallengeRefusal) -> Action {
        _ = try conversation(over: connection)
        return .restartAnswer
    }

    /// The successor is filled. Its own opening must be signed next, before the registry is told.
    mutating func fillSuccessor(over connection: UInt64) throws(ChallengeRefusal) {
        var conversation = try conversation(over: connection)
        guard conversation.choice.isComplete else { throw .outOfOrder }
        conversation.choice = .unlock
        state = .described(conversation)
        request = request.withoutSecrets
    }

    /// This conversation has done all that it can.
    mutating func finishRenewal(
        _ outcome: RenewalOutcome, over connection: UInt64
    ) throws(ChallengeRefusal) -> Action {
        let conversation = try conversation(over: connection)
        guard case .rotate = request, conversation.choice.isComplete else { throw .outOfOrder }
        request = request.withoutSecrets
        state = .granted(Grant(renewal: outcome))
        return .startGrant
    }

    // MARK: The end

    /// What was granted.
    func redeem() throws(ChallengeRefusal) -> Grant {
        guard case .granted(let grant) = state else { throw .notGranted }
        return grant
    }

    /// Whether the process may take its request back. Once a person is being asked, only the authenticator brings the
    /// answer.
    var isIssued: Bool { if case .issued = state { true } else { false } }

    var isGranted: Bool { if case .granted = state { true } else { false } }

    func isDescribed(over connection: UInt64) -> Bool {
        if case .described(let conversation) = state { conversation.connection == connection } else { false }
    }

    /// The connection of a conversation that may hold the fingerprint reader; nil if none does.
    var connectionAtReader: UInt64? {
        guard case .described(let conversation) = state,
            conversation.choice.authorizations.contains(where: \.kind.isBiometric)
        else { return nil }
        return conversation.connection
    }

    /// The signatures that are asked for now.
    var choice: SignatureChoice {
        if case .described(let conversation) = state { conversation.choice } else { request.choice }
    }
}
