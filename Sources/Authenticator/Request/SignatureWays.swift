import Authorization
import BrokerProtocol

/// The checked sets of signatures that a challenge can be answered with. Each way is complete for the request, and holds no signature that the
/// request does not need.
struct SignatureWays {
    /// One signature: its kind, and its index among the challenge's authorizations.
    struct Signature: Equatable {
        let index: Int
        let kind: AuthorizationKind
    }

    /// At least one way, the preferred one first.
    let ways: [[Signature]]

    /// - Throws: ``ConversationError`` if the authorizations do not fit the request.
    init(
        _ authorizations: [BrokerInterface.Authorization], _ alternatives: [[Int]], for request: PersonRequest
    ) throws(ConversationError) {
        var kinds: [AuthorizationKind] = []
        for authorization in authorizations {
            guard let kind = AuthorizationKind(rawValue: authorization.kind), authorization.setDigest.isEmpty,
                !kinds.contains(kind) || (Self.readsMany(request) && kind.isForReading)
            else { throw .refused(.challengeRefused("the challenge asks for an unknown kind of authorization")) }
            kinds.append(kind)
        }
        var ways: [[Signature]] = []
        for alternative in alternatives {
            guard Set(alternative).count == alternative.count, alternative.allSatisfy({ kinds.indices.contains($0) })
            else {
                throw .refused(.challengeRefused("the challenge's alternatives contradict each other"))
            }
            let way = alternative.map { Signature(index: $0, kind: kinds[$0]) }
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
        switch request {
        case .create, .enrolment, .accept: return kinds.isEmpty
        case .unlock, .bind, .unbind: return kinds == [.unlock]
        case .recovery: return kinds == [.recovery]
        case .tieToBoot, .releaseFromBoot: return kinds == [.unlock, .recovery]
        case .approveBoot: return kinds == [.boot]
        case .rotate: return rest == [.unlock]
        case .use(_, let unlocks): return !forReading.isEmpty && rest == (unlocks ? [.unlock] : [])
        }
    }

    /// Whether the request reads several items, so that one kind of signature can be needed more than once.
    private static func readsMany(_ request: PersonRequest) -> Bool {
        switch request {
        case .rotate: true
        case .create, .unlock, .use, .recovery, .bind, .unbind, .tieToBoot, .releaseFromBoot, .approveBoot, .accept,
            .enrolment:
            false
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
        throw .refused(.failed(.biometry, words.reason, advice: words.advice))
    }
}
