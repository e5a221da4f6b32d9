import Authorization
import BrokerProtocol

/// The signatures that a challenge may be answered with: several ways, each complete by itself. One way is gone, and none is gone halfway with another's
/// signatures.
struct SignatureChoice: Sendable, Equatable {
    /// All that occur, each once. The authenticator names them by their place here.
    private(set) var authorizations: [Challenge.Authorization] = []
    /// The ways, as places in `authorizations`; one at least.
    private(set) var alternatives: [[Int]] = []

    /// - Parameter ways: the preferred one first. No way at all is one that needs no signature.
    init(_ ways: [[Challenge.Authorization]]) {
        for way in ways {
            var places: [Int] = []
            for authorization in way {
                if let place = authorizations.firstIndex(of: authorization) {
                    places.append(place)
                } else {
                    places.append(authorizations.count)
                    authorizations.append(authorization)
                }
            }
            alternatives.append(places)
        }
        if alternatives.isEmpty { alternatives = [[]] }
    }

    /// One way, with these signatures.
    init(_ authorizations: Challenge.Authorization...) { self.init([authorizations]) }

    /// A vault's opening.
    static let unlock = SignatureChoice(Challenge.Authorization(role: .unlockRoot, kind: .unlock, point: nil))

    /// A recovery code's making.
    static let recovery = SignatureChoice(Challenge.Authorization(role: .recovery, kind: .recovery, point: nil))

    /// A vault's roots, to be sealed anew.
    static let roots = SignatureChoice(
        Challenge.Authorization(role: .unlockRoot, kind: .unlock, point: nil),
        Challenge.Authorization(role: .recovery, kind: .recovery, point: nil))

    /// Other approved boots.
    static let boot = SignatureChoice(Challenge.Authorization(role: .approvingKey, kind: .boot, point: nil))

    /// No signature; what has to be signed comes later.
    static let none = SignatureChoice()

    /// Begins one of the signatures: each once, and only together with those of one way.
    /// - Returns: nil where it may not be begun.
    mutating func begin(_ index: Int) -> Challenge.Authorization? {
        guard authorizations.indices.contains(index), authorizations[index].progress == .open else { return nil }
        let begun = authorizations.indices.filter { authorizations[$0].progress != .open } + [index]
        guard alternatives.contains(where: { way in begun.allSatisfy(way.contains) }) else { return nil }
        authorizations[index].progress = .busy
        return authorizations[index]
    }

    /// One of the signatures was in vain, by no fault of the signature.
    /// - Returns: false where it was not begun.
    mutating func beginAgain(_ index: Int) -> Bool {
        guard authorizations.indices.contains(index), authorizations[index].progress == .busy else { return false }
        authorizations[index].progress = .open
        return true
    }

    /// One of the signatures was good.
    /// - Returns: false where it was not begun.
    mutating func finish(_ index: Int) -> Bool {
        guard authorizations.indices.contains(index), authorizations[index].progress == .busy else { return false }
        authorizations[index].progress = .done
        return true
    }

    /// Whether one way was gone to its end.
    var isComplete: Bool {
        alternatives.contains { way in way.allSatisfy { authorizations[$0].progress == .done } }
    }

    /// Whether a person is asked for the same, whatever the items.
    func asksLike(_ other: SignatureChoice) -> Bool {
        alternatives == other.alternatives && authorizations.map(\.kind) == other.authorizations.map(\.kind)
    }

    /// As the authenticator is told.
    var wire: [BrokerInterface.Authorization] {
        authorizations.map { BrokerInterface.Authorization(kind: $0.kind.rawValue) }
    }
}
