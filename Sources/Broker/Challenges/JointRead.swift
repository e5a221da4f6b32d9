import Authorization
import BrokerProtocol
import Varlink
import Vault

extension Challenge {
    /// A read of several items, all or none.
    struct JointRead: Sendable {
        /// All items, in the order of the call. The person is shown each of them.
        let items: [Subject]
        /// The signatures for the items that have requirements. Any one of the ways is enough for all of these.
        let ways: [[Authorization]]

        /// - Parameter wanted: the items with requirements, each with the ways to meet them.
        /// - Throws: `LimitExceeded` if one prompt cannot allow all of this.
        init(
            _ items: [Subject], reason: String?, wanted: [(item: ItemID, ways: [[Authorization]])]
        ) throws(Fault) {
            self.items = items
            let room = items.reduce(PromptRoom.most(for: reason ?? "")) { room, item in
                let names = [item.service, item.account] + item.fields.map(\.text)
                return names.reduce(room + JointReadLimits.line) { $0 + PromptRoom.most(for: $1) + 2 }
            }
            guard room <= JointReadLimits.room else {
                throw Fault(
                    .limitExceeded, "the names of these items do not fit into one prompt",
                    advice: "read fewer items at once")
            }
            let all = wanted.map { item, ways in ways.map { way in way.map { $0.of(item) } } }
            ways = Self.joined(all).filter { $0.count <= JointReadLimits.signatures }
            guard !ways.isEmpty else {
                throw Fault(
                    .limitExceeded,
                    "these items have more than \(JointReadLimits.signatures) requirements together",
                    advice: "read fewer items at once")
            }
        }

        /// Joins the ways to read each item into ways to read all of them.
        ///
        /// A person gives few kinds of proof, however many items there are. So a joined way is for a set of kinds that
        /// is enough for every item, and of which nothing can be left out. Four kinds have six such sets at most.
        ///
        /// - Parameter items: for each item its ways, the preferred one first.
        /// - Returns: the ways for the fewest kinds first.
        static func joined(_ items: [[[Authorization]]]) -> [[Authorization]] {
            var kinds: [AuthorizationKind] = []
            for authorization in items.joined().joined() where !kinds.contains(authorization.kind) {
                kinds.append(authorization.kind)
            }
            let sets = (0..<1 << kinds.count).sorted { ($0.nonzeroBitCount, $0) < ($1.nonzeroBitCount, $1) }
            var found: [(set: Int, way: [Authorization])] = []
            for set in sets where !found.contains(where: { $0.set & set == $0.set }) {
                let present = kinds.indices.filter { set >> $0 & 1 == 1 }.map { kinds[$0] }
                let chosen = items.compactMap { ways in
                    ways.first { way in way.allSatisfy { present.contains($0.kind) } }
                }
                if chosen.count == items.count { found.append((set, Array(chosen.joined()))) }
            }
            return found.map(\.way)
        }
    }
}

extension Challenge.Authorization {
    /// The same signature, for this item among several.
    fileprivate func of(_ item: ItemID) -> Self {
        var authorization = self
        authorization.item = item
        return authorization
    }
}

/// The room that a prompt needs for a text from outside. The authenticator spells out characters that a person could
/// misread.
enum PromptRoom {
    /// The most characters (Unicode scalars) that the text takes, in quotes.
    static func most(for text: String) -> Int {
        text.unicodeScalars.reduce(2) { room, scalar in
            switch scalar {
            case "\"", "\\": room + 2
            case " "..."~": room + 1
            // As \u{10ffff}, which is the longest spelling.
            default: room + 10
            }
        }
    }
}
