import Authorization
import BrokerProtocol

/// The checked sets of signatures that a challenge can be answered with. Each way is complete for the purposes, and holds no signature that no
/// purpose needs.
struct SignatureWays {
    /// One signature: its kind, and its index among the challenge's authorizations.
    struct Signature: Equatable {
        let index: Int
        let kind: AuthorizationKind
    }

    /// At least one way, the preferred one first.
    let ways: [[Signature]]

    /// - Throws: ``ConversationError`` if the authorizations do not fit the purposes.
    init(
        _ authorizations: [BrokerInterface.Authorization], _ alternatives: [[Int]], for purposes: Set<Keychain.Purpose>
    ) throws(ConversationError) {
        var kinds: [AuthorizationKind] = []
        for authorization in authorizations {
            guard let kind = AuthorizationKind(rawValue: authorization.kind), authorization.setDigest.isEmpty,
                !kinds.contains(kind) || (purposes == [.rotate] && kind.isForReading)
            else { throw .refused(.challengeRefused("The challenge asks for an unknown kind of authorization.")) }
            kinds.append(kind)
        }
        var ways: [[Signature]] = []
        for alternative in alternatives {
            guard Set(alternative).count == alternative.count, alternative.allSatisfy({ kinds.indices.contains($0) })
            else {
                throw .refused(.challengeRefused("The challenge's alternatives contradict each other."))
            }
            let way = alternative.map { Signature(index: $0, kind: kinds[$0]) }
            guard Self.isExplained(Set(way.map(\.kind)), by: purposes) else {
                throw .refused(.challengeRefused("The challenge asks for other signatures than its purpose needs."))
            }
            ways.append(way)
        }
        guard !ways.isEmpty, Set(alternatives.joined()) == Set(kinds.indices) else {
            throw .refused(.challengeRefused("The challenge asks for other signatures than its purpose needs."))
        }
        self.ways = ways
    }

    /// Whether each purpose has its own signatures, and each signature a purpose. A read takes one or more of an item's constraints, an unlock its
    /// one signature.
    private static func isExplained(_ kinds: Set<AuthorizationKind>, by purposes: Set<Keychain.Purpose>) -> Bool {
        let forReading = kinds.filter(\.isForReading)
        let rest = kinds.subtracting(forReading)
        switch purposes {
        case [.create], [.enrolment], [.accept]: return kinds.isEmpty
        case [.unlock]: return kinds == [.unlock]
        // Alone, so that consent to another purpose never includes this one.
        case [.recovery]: return kinds == [.recovery]
        // Each alone, so that consent to opening never includes these.
        case [.bind], [.unbind]: return kinds == [.unlock]
        case [.tieToBoot], [.releaseFromBoot]: return kinds == [.unlock, .recovery]
        case [.approveBoot]: return kinds == [.boot]
        // Also alone. Besides the unlock, it takes the reading of items, and the person is shown each of them.
        case [.rotate]: return rest == [.unlock]
        case [.read], [.change], [.rename]: return !forReading.isEmpty && rest.isEmpty
        case [.unlock, .read], [.unlock, .change], [.unlock, .rename]: return !forReading.isEmpty && rest == [.unlock]
        default: return false
        }
    }

    /// Whether any way takes a finger.
    var hasBiometric: Bool { ways.contains { way in way.contains { $0.kind.isBiometric } } }

    /// The first way that is possible here.
    /// - Throws: ``ConversationError`` with the reason if no way is possible.
    func choose(_ biometrics: BiometricAvailability) throws(ConversationError) -> [Signature] {
        var reason: String?
        for way in ways {
            guard let objection = biometrics.objection(to: way.map(\.kind)) else { return way }
            reason = reason ?? objection
        }
        throw .refused(.failed(.biometry, reason ?? "The challenge cannot be answered."))
    }
}
