import Authorization
import BrokerProtocol
import Circle
import Cryptography
import Platform

/// What a person is asked about a circle of machines (docs/sync-members.md). A statement is read here, from the bytes that
/// are signed. So the broker cannot show the person anything else than what the membership key signs.
struct CircleRequest: Equatable {
    enum Deed: Equatable {
        /// To begin a circle.
        case found
        /// To add the machine that made this request.
        case add(JoinRequest, MemberRole)
        /// To add a code on paper with these public keys.
        case paper(MemberKeys)
        /// To enter a circle with the request of this machine. Nothing is signed.
        case join(JoinRequest, circle: StatementName, machines: [MachineName])
        /// To remove these machines. The names are what each says of itself, in the order of the devices.
        case remove([WriterID], machines: [MachineName])
    }

    let deed: Deed
    /// What is signed, and with which keys; nil if nothing is.
    private let signed: Signed?
    /// The answer of a machine that is to be added to a challenge; nil if there was none.
    private let evidence: [UInt8]?
    /// What root calls the machine that has proved where its keys are; nil if none has.
    private(set) var provenName: String?

    private struct Signed: Equatable {
        let statement: Statement
        let signer: MemberKeys
    }

    /// - Throws: ``ConversationError`` if the broker describes another statement than the purpose is for.
    init(_ kind: RequestKind, _ facts: BrokerInterface.Describe.Reply) throws(ConversationError) {
        let statement = try facts.statement.map { (text) throws(ConversationError) in
            try Self.read(text, upTo: CircleLimits.statement) { (bytes) throws(CircleFormError) in
                try Statement(decoding: bytes)
            }
        }
        let request = try facts.request.map { (text) throws(ConversationError) in
            try Self.read(text, upTo: CircleLimits.request) { (bytes) throws(CircleFormError) in
                try JoinRequest(decoding: bytes)
            }
        }
        let signer = try facts.signer.map { (text) throws(ConversationError) in
            try Self.read(text, upTo: MemberKeys.count) { (bytes) throws(CircleFormError) in
                try MemberKeys(bytes: bytes)
            }
        }
        evidence = try facts.evidence.map { (text) throws(ConversationError) in
            try Self.read(text, upTo: CircleLimits.evidence) { (bytes) throws(CircleFormError) in bytes }
        }
        guard evidence == nil || kind == .addToCircle else { throw Self.unclear }
        switch (kind, statement?.content) {
        case (.foundCircle, .founding(let keys)?):
            guard let statement, signer == nil, request == nil, facts.circle == nil, facts.machines == nil else {
                throw Self.unclear
            }
            deed = .found
            signed = Signed(statement: statement, signer: keys)
        case (.addToCircle, .addition(let keys, let role, _)?):
            guard let statement, let signer, signer.device == statement.signer, let request, request.keys == keys,
                facts.circle == nil, facts.machines == nil, role != .paper
            else { throw Self.unclear }
            deed = .add(request, role)
            signed = Signed(statement: statement, signer: signer)
        case (.paperToCircle, .addition(let keys, .paper, _)?):
            guard request == nil, facts.circle == nil, facts.machines == nil, let statement, let signer,
                signer.device == statement.signer
            else { throw Self.unclear }
            deed = .paper(keys)
            signed = Signed(statement: statement, signer: signer)
        case (.joinCircle, nil):
            let machines = facts.machines ?? []
            let names = machines.compactMap { MachineName($0) }
            guard signer == nil, let request, let circle = facts.circle.flatMap(Hex.decode).flatMap(StatementName.init),
                names.count == machines.count, (1...CircleLimits.heads).contains(names.count)
            else { throw Self.unclear }
            deed = .join(request, circle: circle, machines: names)
            signed = nil
        case (.removeFromCircle, .removal(let devices)?):
            let names = (facts.machines ?? []).compactMap { MachineName($0) }
            guard let statement, let signer, signer.device == statement.signer, request == nil, facts.circle == nil,
                facts.machines?.count == devices.count, names.count == devices.count
            else { throw Self.unclear }
            deed = .remove(devices, machines: names)
            signed = Signed(statement: statement, signer: signer)
        default: throw Self.unclear
        }
    }

    /// What root's `coffer` answers for an invitation: which role it is for, or which circle it leads to. Both are in the
    /// bytes that are agreed to, so a broker that puts another request in the place of the invited one gets no answer to it.
    var answerOfInvitation: String? {
        switch deed {
        case .add(_, .reader): "reader"
        case .add(_, .writer): "writer"
        case .join(_, let circle, _): Hex.encode(circle.bytes)
        case .add, .found, .paper, .remove: nil
        }
    }

    /// Whether it is this machine that a removal names.
    func isOwn(_ device: WriterID) -> Bool { signed?.signer.device == device }

    /// Checks that nothing of a circle stands beside another request.
    static func checkAbsent(
        _ facts: BrokerInterface.Describe.Reply, butMachines: Bool = false
    ) throws(ConversationError) {
        guard facts.statement == nil, facts.signer == nil, facts.request == nil, facts.circle == nil,
            butMachines || facts.machines == nil, facts.evidence == nil
        else { throw unclear }
    }

    var kind: RequestKind {
        switch deed {
        case .found: .foundCircle
        case .add: .addToCircle
        case .paper: .paperToCircle
        case .join: .joinCircle
        case .remove: .removeFromCircle
        }
    }

    /// The words that both machines show.
    var checkWords: String? {
        get throws(ConversationError) {
            let (request, circle): (JoinRequest, StatementName?) =
                switch deed {
                case .found, .paper, .remove: throw Self.unclear
                case .add(let request, _): (request, signed?.statement.circle)
                case .join(let request, let circle, _): (request, circle)
                }
            guard let circle else { throw Self.unclear }
            do throws(CircleFormError) { return try CheckWords.text(circle: circle, request: request) } catch {
                throw Self.unclear
            }
        }
    }

    /// Checks that a person's code stands for what is added. So neither the broker nor somebody who reads the code of a
    /// machine can put in another one.
    ///
    /// - Throws: ``ConversationError`` also if there is no code.
    func check(code text: SecretBytes?) throws(ConversationError) {
        if case .paper(let keys) = deed { return try Self.check(keys, code: text, in: signed?.statement.circle) }
        guard case .add(let request, _) = deed, let signed else {
            guard text == nil else { throw .refused(.invalidArgument("this challenge takes no code")) }
            return
        }
        guard let text else { throw .refused(.invalidArgument("the code of the new machine is missing")) }
        let isRight: Bool
        do {
            isRight = try request.isAdded(by: signed.statement, code: JoinCode(reading: text))
        } catch {
            throw .refused(.invalidArgument("that is not the code of a machine"))
        }
        guard isRight else {
            throw .refused(.challengeRefused("the code is another machine's than the one that would be added"))
        }
    }

    /// Checks that the keys of a paper come from the person's code and from the circle of the statement. The broker, which
    /// does not learn the code, has named them.
    private static func check(
        _ keys: MemberKeys, code text: SecretBytes?, in circle: StatementName?
    ) throws(ConversationError) {
        guard let text else { throw .refused(.invalidArgument("the code on paper is missing")) }
        guard let circle else { throw unclear }
        let derived: MemberKeys
        do {
            derived = try PaperKeys(PaperCode(reading: text), in: circle).member
        } catch {
            throw .refused(.invalidArgument("that is not the code of a paper"))
        }
        guard derived == keys else {
            throw .refused(.challengeRefused("the keys that would be added are not those of the code on paper"))
        }
    }

    /// Judges the proof of a machine that is to be added, if there is one.
    ///
    /// - Parameters:
    ///   - isDemanded: whether the person wants such a machine only.
    ///   - proof: what judges it.
    /// - Throws: ``ConversationError`` for a proof that is demanded and missing, and for one that proves nothing.
    mutating func judgeProof(
        demanded isDemanded: Bool, by proof: () throws(ConversationError) -> MachineProof
    ) throws(ConversationError) {
        guard case .add(let request, _) = deed else {
            guard !isDemanded else { throw .refused(.invalidArgument("this challenge takes no proof")) }
            return
        }
        guard let evidence else {
            guard !isDemanded else {
                throw .refused(.challengeRefused("the new machine has not proved that its keys are in a TPM"))
            }
            return
        }
        let read: JoinEvidence
        do throws(CircleFormError) { read = try JoinEvidence(decoding: evidence) } catch { throw Self.unclear }
        provenName = try proof().name(of: read, for: request)
    }

    /// Checks the keys that this machine names as its own.
    ///
    /// - Parameter record: of its vault.
    func check(keysOf record: RegistryRecord?) throws(ConversationError) {
        let own: MemberKeys?
        switch deed {
        case .found: own = signed?.signer
        case .join(let request, _, _): own = request.keys
        case .add, .paper, .remove: return
        }
        guard let own, let record, own.areGuarded(by: record) else {
            throw .refused(.challengeRefused("the keys that others would seal to are not those of this vault"))
        }
    }

    /// Checks that exactly this statement is what the membership key signs. Only then is the broker given a signature.
    ///
    /// - Parameter hash: the parameter hash that the broker has named, base64.
    func check(parameterHash hash: String, _ record: RegistryRecord) throws(BrokerFailure) {
        let expected: [UInt8]
        do throws(CryptographyError) {
            guard let signed else { throw CryptographyError(code: .invalidKey, reason: "nothing is signed") }
            let signing = try StatementSigning(record: record, membershipPoint: signed.signer.membership)
            expected = try signing.parameterHash(ofDigest: SHA256.digest(signed.statement.bytes))
        } catch {
            throw .unreachable("the statement cannot be signed: \(error.reason)")
        }
        guard let named = Base64.decode(hash), ConstantTime.equal(named, expected) else {
            throw .unreachable("the broker asks for a signature over something else than the person was shown")
        }
    }

    private static func read<Value>(
        _ text: String, upTo most: Int, _ body: ([UInt8]) throws(CircleFormError) -> Value
    ) throws(ConversationError) -> Value {
        guard text.utf8.count <= most * 4 / 3 + 4, let bytes = Base64.decode(text) else { throw unclear }
        do throws(CircleFormError) { return try body(bytes) } catch { throw unclear }
    }

    static let unclear = ConversationError.refused(
        .challengeRefused("the challenge does not say clearly which machine it is about"))
}
