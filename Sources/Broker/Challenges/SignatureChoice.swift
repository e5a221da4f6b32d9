import Authorization
import BrokerProtocol
import Platform

/// The signatures that can answer a challenge. There can be several alternatives, each complete by itself. Signatures
/// of different alternatives cannot be combined.
struct SignatureChoice: Sendable, Equatable {
    /// All signatures that occur, each once. The authenticator names them by their index here.
    private(set) var authorizations: [Challenge.Authorization] = []
    /// The alternatives, as indexes into `authorizations`; at least one.
    private(set) var alternatives: [[Int]] = []

    /// - Parameter ways: the preferred alternative first. If empty, one alternative that needs no signature.
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

    /// One alternative, with these signatures.
    init(_ authorizations: Challenge.Authorization...) { self.init([authorizations]) }

    /// Opens a vault.
    static let unlock = SignatureChoice(Challenge.Authorization(root: .unlock))

    /// Begins one of the signatures. Each can be begun once, and only together with those of one alternative.
    /// - Returns: nil if it may not be begun.
    mutating func begin(_ index: Int) -> Challenge.Authorization? {
        guard authorizations.indices.contains(index), authorizations[index].progress == .open else { return nil }
        let begun = authorizations.indices.filter { authorizations[$0].progress != .open } + [index]
        guard alternatives.contains(where: { way in begun.allSatisfy(way.contains) }) else { return nil }
        authorizations[index].progress = .busy
        return authorizations[index]
    }

    /// One of the signatures failed, but not because the signature was wrong.
    /// - Returns: false if it was not begun.
    mutating func beginAgain(_ index: Int) -> Bool {
        guard authorizations.indices.contains(index), authorizations[index].progress == .busy else { return false }
        authorizations[index].progress = .open
        return true
    }

    /// One of the signatures was good.
    /// - Returns: false if it was not begun.
    mutating func finish(_ index: Int) -> Bool {
        guard authorizations.indices.contains(index), authorizations[index].progress == .busy else { return false }
        authorizations[index].progress = .done
        return true
    }

    /// How many signatures are done.
    var doneCount: Int { authorizations.count { $0.progress == .done } }

    /// Whether it asks for no signature.
    var isEmpty: Bool { authorizations.isEmpty }

    /// Whether all signatures of one alternative are done.
    var isComplete: Bool {
        alternatives.contains { way in way.allSatisfy { authorizations[$0].progress == .done } }
    }

    /// Whether both ask a person for the same kinds of signature. The items may differ.
    func asksLike(_ other: SignatureChoice) -> Bool {
        alternatives == other.alternatives && authorizations.map(\.kind) == other.authorizations.map(\.kind)
    }

    /// The form in which the authenticator gets it.
    var wire: [BrokerInterface.Authorization] {
        authorizations.map {
            BrokerInterface.Authorization(kind: $0.kind.rawValue, point: $0.point.map(Base64.encode))
        }
    }
}
