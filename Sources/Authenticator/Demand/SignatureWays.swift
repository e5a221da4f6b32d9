import Authorization
import BrokerProtocol

/// The signatures that a challenge can be answered with, after they were checked: each way is complete for the purposes, and holds nothing that no
/// purpose explains.
struct SignatureWays {
    /// One signature: what it is for, and the place that the broker knows it by.
    struct Signature: Equatable {
        let index: Int
        let kind: AuthorizationKind
    }

    /// The preferred one first; one at least.
    let ways: [[Signature]]

    /// - Throws: ``ConversationError`` for anything that does not fit together.
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
                throw .refused(.challengeRefused("The challenge's alternatives make no sense."))
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

    /// Each purpose is earned by signatures of its own, and no signature is made that no purpose explains: a read by one or more of an item's constraints,
    /// an unlock by its one signature.
    private static func isExplained(_ kinds: Set<AuthorizationKind>, by purposes: Set<Keychain.Purpose>) -> Bool {
        let forReading = kinds.filter(\.isForReading)
        let rest = kinds.subtracting(forReading)
        switch purposes {
        case [.create], [.enrolment], [.accept]: return kinds.isEmpty
        case [.unlock]: return kinds == [.unlock]
        // By itself: who says yes to something else must not have said yes to this.
        case [.recovery]: return kinds == [.recovery]
        // Each by itself: who says yes to opening must not have said yes to these.
        case [.bind], [.unbind]: return kinds == [.unlock]
        case [.tieToBoot], [.releaseFromBoot]: return kinds == [.unlock, .recovery]
        case [.approveBoot]: return kinds == [.boot]
        // By itself, too; besides the opening it takes the reading of items, of which the person is shown each.
        case [.rotate]: return rest == [.unlock]
        case [.read], [.change], [.rename]: return !forReading.isEmpty && rest.isEmpty
        case [.unlock, .read], [.unlock, .change], [.unlock, .rename]: return !forReading.isEmpty && rest == [.unlock]
        default: return false
        }
    }

    /// Whether a finger could be asked for.
    var hasBiometric: Bool { ways.contains { way in way.contains { $0.kind.isBiometric } } }

    /// The first way that a person can go here.
    /// - Throws: ``ConversationError``, saying why there is none.
    func choose(_ biometrics: BiometricAvailability) throws(ConversationError) -> [Signature] {
        var reason: String?
        for way in ways {
            guard let objection = biometrics.objection(to: way.map(\.kind)) else { return way }
            reason = reason ?? objection
        }
        throw .refused(.failed(.biometry, reason ?? "The challenge cannot be answered."))
    }
}
