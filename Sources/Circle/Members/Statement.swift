import Authorization
import Cryptography

/// The SHA-256 of a statement's canonical bytes. That of the founding statement names the circle.
package struct StatementName: Hashable, Sendable, Comparable {
    /// The length in bytes.
    package static let count = SHA256.count

    private let value: InlineBytes32

    /// - Returns: nil unless there are 32 bytes.
    package init?(bytes: [UInt8]) {
        guard let value = InlineBytes32(bytes) else { return nil }
        self.value = value
    }

    init(hashing bytes: [UInt8]) throws(CircleFormError) {
        guard let value = InlineBytes32(try CircleDigest.of(bytes)) else { throw .hash }
        self.value = value
    }

    package var bytes: [UInt8] { value.bytes }

    package static func < (one: StatementName, other: StatementName) -> Bool { one.value < other.value }
}

/// What one device says about a circle's members (docs/sync-members.md, “Statements”).
package struct Statement: Hashable, Sendable {
    package enum Content: Hashable, Sendable {
        /// Begins a circle. Its signer is its first admin.
        case founding(MemberKeys)
        /// - Parameter given: the generation whose keys the answer brings, so that members can go on writing to it; nil if
        ///   the device waits for another one.
        case addition(MemberKeys, MemberRole, given: StatementName? = nil)
        /// Sorted, each once.
        case removal([WriterID])
        /// The signer goes on under new keys, with its role. The proof is a signature by the new membership key.
        case succession(MemberKeys, proof: [UInt8])
    }

    /// How many statements one names, and how many devices one removes, at most.
    package static let most = 1_024

    /// Nil in the founding statement, which names the circle itself.
    package let circle: StatementName?
    package let signer: WriterID
    /// The newest statements that the signer knows: those that are in no other's past. Sorted, each once.
    package let past: [StatementName]
    package let content: Content
    /// What is signed.
    package let bytes: [UInt8]
    package let name: StatementName

    private static let domain = LengthPrefixed.encode(Array("org.coffer.circle.statement".utf8))

    /// A founding statement.
    ///
    /// - Throws: `.hash`.
    package init(founder keys: MemberKeys) throws(CircleFormError) {
        try self.init(circle: nil, signer: keys.device, past: [], .founding(keys))
    }

    /// - Throws: `.order`, `.length`, `.kind` for a second founding, `.hash`.
    package init(
        circle: StatementName, signer: WriterID, past: [StatementName], _ content: Content
    ) throws(CircleFormError) {
        if case .founding = content { throw .kind }
        try Self.check(past)
        if case .removal(let devices) = content { try Self.check(devices) }
        if case .succession(_, let proof) = content, proof.count != SignedStatement.signatureCount { throw .length }
        try self.init(circle: .some(circle), signer: signer, past: past, content)
    }

    private init(
        circle: StatementName?, signer: WriterID, past: [StatementName], _ content: Content
    ) throws(CircleFormError) {
        (self.circle, self.signer, self.past, self.content) = (circle, signer, past, content)
        var bytes = Self.domain + [content.kind]
        if let circle {
            bytes += circle.bytes + signer.bytes + BigEndian.bytes(UInt32(clamping: past.count))
            bytes += past.flatMap(\.bytes)
        }
        self.bytes = bytes + content.bytes
        name = try StatementName(hashing: self.bytes)
    }

    /// Reads canonical bytes. Each statement has one form.
    ///
    /// - Throws: `CircleFormError`.
    package init(decoding bytes: [UInt8]) throws(CircleFormError) {
        var rest = bytes[...]
        try rest.domain(Self.domain)
        let kind = try rest.integer(UInt8.self)
        if kind == 1 {
            try self.init(founder: MemberKeys(bytes: Array(rest)))
            return
        }
        let (circle, signer) = (try rest.circle(), try rest.device())
        let past = try rest.elements(upTo: Self.most) { (rest) throws(CircleFormError) in try rest.circle() }
        let content: Content
        switch kind {
        case 2, 5:
            guard let role = MemberRole(rawValue: try rest.integer()) else { throw .kind }
            let keys = try MemberKeys(bytes: try rest.take(MemberKeys.count))
            content = .addition(keys, role, given: kind == 5 ? try rest.circle() : nil)
        case 3:
            content = .removal(
                try rest.elements(upTo: Self.most) { (rest) throws(CircleFormError) in try rest.device() })
        case 4:
            let keys = try MemberKeys(bytes: try rest.take(MemberKeys.count))
            content = .succession(keys, proof: try rest.take(SignedStatement.signatureCount))
        default: throw .kind
        }
        try rest.end()
        try self.init(circle: circle, signer: signer, past: past, content)
    }

    /// What the new membership key of a succession signs. Without it, a device could take another's public key into its
    /// own keys, and a removal would end them both.
    package static func proofBytes(circle: StatementName, signer: WriterID, keys: MemberKeys) -> [UInt8] {
        LengthPrefixed.encode(Array("org.coffer.circle.successor".utf8)) + circle.bytes + signer.bytes + keys.bytes
    }

    /// - Throws: `.order` for a list that is empty, not sorted, or names something twice; `.length`.
    static func check<Element: Comparable>(_ list: [Element]) throws(CircleFormError) {
        guard !list.isEmpty, zip(list, list.dropFirst()).allSatisfy({ $0 < $1 }) else { throw .order }
        guard list.count <= most else { throw .length }
    }

    package static func == (one: Statement, other: Statement) -> Bool { one.name == other.name }

    package func hash(into hasher: inout Hasher) { hasher.combine(name) }
}

extension Statement.Content {
    fileprivate var kind: UInt8 {
        switch self {
        case .founding: 1
        case .addition(_, _, given: nil): 2
        case .removal: 3
        case .succession: 4
        case .addition: 5
        }
    }

    fileprivate var bytes: [UInt8] {
        switch self {
        case .founding(let keys): keys.bytes
        case .succession(let keys, let proof): keys.bytes + proof
        case .addition(let keys, let role, let given): [role.rawValue] + keys.bytes + (given?.bytes ?? [])
        case .removal(let devices):
            BigEndian.bytes(UInt32(clamping: devices.count)) + devices.flatMap(\.bytes)
        }
    }
}
