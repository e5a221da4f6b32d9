import Authorization
import BrokerProtocol
import PAM

/// The checked sets of signatures that a challenge can be answered with. Each way is complete for the request, and holds no signature that the
/// request does not need.
struct SignatureWays {
    /// One signature: its kind, and its index among the challenge's authorizations.
    struct Signature: Equatable {
        let index: Int
        let kind: AuthorizationKind
        /// The point of the item that it is for, as the broker gives it. nil where no item is read.
        var point: String?
    }

    /// At least one way, the preferred one first.
    let ways: [[Signature]]

    /// - Throws: ``ConversationError`` if the authorizations do not fit the request.
    init(
        _ authorizations: [BrokerInterface.Authorization], _ alternatives: [[Int]], for request: PersonRequest
    ) throws(ConversationError) {
        // A signature more than the fields that the person is shown would read something else.
        var kinds: [AuthorizationKind] = []
        let points = authorizations.map(\.point)
        for authorization in authorizations {
            guard let kind = AuthorizationKind(rawValue: authorization.kind), authorization.setDigest.isEmpty,
                kinds.count(where: { $0 == kind }) < (kind.isForReading ? request.fieldCount : 1)
            else { throw .refused(.challengeRefused("the challenge asks for an unknown kind of authorization")) }
            kinds.append(kind)
        }
        var ways: [[Signature]] = []
        for alternative in alternatives {
            guard Set(alternative).count == alternative.count, alternative.allSatisfy({ kinds.indices.contains($0) })
            else {
                throw .refused(.challengeRefused("the challenge's alternatives contradict each other"))
            }
            let way = alternative.map { Signature(index: $0, kind: kinds[$0], point: points[$0]) }
            guard Self.isExplained(Set(way.map(\.kind)), by: request) else { throw PersonRequest.unexplained }
            ways.append(way)
        }
        guard !ways.isEmpty, Set(alternatives.joined()) == Set(kinds.indices) else { throw PersonRequest.unexplained }
        self.ways = ways
    }

    /// Whether the request needs exactly these kinds of signatures. A read takes one or more of an item's constraints, an unlock its one signature.
    private static func isExplained(_ kinds: Set<AuthorizationKind>, by request: PersonRequest) -> Bool {
        let forReading = kinds.filter(\.isForReading)
        let rest = kinds.subtracting(forReading)
        guard rest == Set(request.kind.rootSignatures(unlocking: request.unlocks)) else { return false }
        switch request.kind.terms.items {
        case .none: return forReading.isEmpty
        case .one, .several: return !forReading.isEmpty
        case .anyNumber: return true
        }
    }

    /// Whether any way takes a finger.
    var hasBiometric: Bool { ways.contains { way in way.contains { $0.kind.isBiometric } } }

    /// The first way that is possible here.
    /// - Throws: ``ConversationError`` with the reason if no way is possible.
    func choose(_ biometrics: BiometricAvailability) throws(ConversationError) -> [Signature] {
        var first: BiometryWords?
        for way in ways {
            guard let objection = biometrics.objection(to: way.map(\.kind)) else { return way }
            first = first ?? objection
        }
        let words = first ?? BiometryWords("the challenge cannot be answered")
        throw .refused(.failed(words))
    }
}

/// A PAM service: one kind of proof that a person can give. This table, never the broker, decides which service a signature takes.
enum ProofService: String, Sendable, Equatable, CaseIterable {
    /// A finger or a face, and nothing else.
    case biometric = "coffer-biometric"
    /// The login password, and nothing else.
    case passcode = "coffer-passcode"
    /// Any factor.
    case anyFactor = "coffer"

    /// A refusal as it is to be told: of a finger, PAM says what it would say of a password.
    func translated(_ error: ConversationError) -> ConversationError {
        guard self == .biometric, case .refused(let refusal) = error else { return error }
        switch refusal.reason {
        case "password":
            return .refused(.failed(BiometryWords("no enrolled finger was recognised", .notRecognised)))
        case "tries":
            return .refused(.failed(BiometryWords("no enrolled finger was recognised in all tries", .notRecognised)))
        case "unavailable":
            return .refused(.failed(BiometryWords("the fingerprint reader read no finger in time, or was removed")))
        default: return error
        }
    }

    /// Checks that the stack asked a person. libpam says only that a stack accepted, and a stack can accept without anybody.
    ///
    /// The passcode must have been typed. The other services must have shown something, unless root says that their modules are silent
    /// (docs/access-control.md, "What counts as asking").
    ///
    /// - Parameter services: the names of the services that may accept in silence.
    func check(_ contact: Contact, maySilently services: Set<String>) throws(ConversationError) {
        switch self {
        case .passcode:
            guard contact < .hiddenAnswer else { return }
            throw Self.unasked(
                "the PAM service \(rawValue) accepted you, but did not ask for your password",
                advice: "have root put a module into /etc/pam.d/\(rawValue) that asks for the login password")
        case .anyFactor, .biometric:
            guard contact == .nothing, !services.contains(rawValue) else { return }
            throw Self.unasked(
                "the PAM service \(rawValue) accepted you, but asked you nothing and showed you nothing",
                advice: "have root check its modules, and read about silent-services in: man cofferd.conf")
        }
    }

    private static func unasked(_ message: String, advice: String) -> ConversationError {
        .refused(.misconfigured(message, advice: advice))
    }

    /// The services that earn all of these signatures, in the order in which they are asked. The person must pass each.
    ///
    /// The biometric and the passcode service also prove presence. A vault is opened by the passcode or by `coffer`, never by a biometric alone. The same holds for
    /// a statement about the members of a circle.
    ///
    /// - Parameter password: whether the password itself is needed, because the vault is bound to it. No other factor will do then.
    static func needed(
        for kinds: some Collection<AuthorizationKind>, withPassword password: Bool = false
    ) -> [ProofService] {
        var services: [ProofService] = []
        if kinds.contains(where: \.isBiometric) { services.append(.biometric) }
        if kinds.contains(.passcode) || password { services.append(.passcode) }
        let opens = !Set(kinds).isDisjoint(with: [.unlock, .recovery, .boot, .circle])
        if services.isEmpty || (opens && !services.contains(.passcode)) { services.append(.anyFactor) }
        return services
    }
}

/// The PAM services that a person must pass, and the fingers that must be enrolled while one of them asks for a finger.
struct NeededServices: Equatable {
    /// In the order in which they are asked.
    let all: [ProofService]
    /// The digest of these fingers; nil if any finger counts that is enrolled when it is asked for.
    let fingers: [UInt8]?

    init(_ all: [ProofService], fingers: [UInt8]? = nil) {
        self.all = all
        self.fingers = fingers
    }

    /// What earns these signatures for a vault with this record.
    init(for kinds: [AuthorizationKind], withPassword password: Bool, _ record: RegistryRecord?) {
        all = ProofService.needed(for: kinds, withPassword: password)
        // If the vault has no key for fingers, no finger fits.
        fingers = kinds.contains(.biometryCurrentSet) ? (record?.biometrySet ?? []) : nil
    }
}
