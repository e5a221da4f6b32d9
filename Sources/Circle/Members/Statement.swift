import Cryptography

/// Why bytes are no statement, or a statement cannot be made.
package enum StatementError: Error, Equatable, Sendable {
    /// Something is missing, left over, or longer than it may be.
    case length
    /// The first bytes are those of something else.
    case domain
    /// There is no such kind or role.
    case kind
    /// A list is not sorted, names something twice, or is empty.
    case order
    /// The signature is not by the signer's key, or its second number is in the upper half.
    case signature
    /// A format of another version.
    case version
    /// A number, a time or a flag is none that it may be.
    case range
    /// A padding or a text has not the one form that it may have.
    case form
    /// It belongs to another circle, device or run, or does not follow what is before it.
    case place
    /// The library that hashes has failed.
    case hash
}

/// The SHA-256 of a statement's canonical bytes. That of the founding statement names the circle.
package struct StatementName: Hashable, Sendable, Comparable {
    /// The length in bytes.
    package static let count = SHA256.count

    package let bytes: [UInt8]

    /// - Returns: nil unless there are 32 bytes.
    package init?(bytes: [UInt8]) {
        guard bytes.count == Self.count else { return nil }
        self.bytes = bytes
    }

    init(hashing bytes: [UInt8]) throws(StatementError) {
        do { self.bytes = try SHA256.digest(bytes) } catch { throw .hash }
    }

    package static func < (one: StatementName, other: StatementName) -> Bool {
        one.bytes.lexicographicallyPrecedes(other.bytes)
    }
}

/// What one device says about a circle's members (docs/sync-members.md, “Statements”).
package struct Statement: Hashable, Sendable {
    package enum Content: Hashable, Sendable {
        /// Begins a circle. Its signer is its first admin.
        case founding(MemberKeys)
        case addition(MemberKeys, MemberRole)
        /// Sorted, each once.
        case removal([WriterID])
        /// The signer goes on under new keys, with its role.
        case succession(MemberKeys)
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

    private static let domain = BytesInOrder.prefixed("org.coffer.circle.statement")

    /// A founding statement.
    ///
    /// - Throws: `.hash`.
    package init(founder keys: MemberKeys) throws(StatementError) {
        try self.init(circle: nil, signer: keys.device, past: [], .founding(keys))
    }

    /// - Throws: `.order`, `.length`, `.kind` for a second founding, `.hash`.
    package init(
        circle: StatementName, signer: WriterID, past: [StatementName], _ content: Content
    ) throws(StatementError) {
        if case .founding = content { throw .kind }
        try Self.check(past)
        if case .removal(let devices) = content { try Self.check(devices) }
        try self.init(circle: .some(circle), signer: signer, past: past, content)
    }

    private init(
        circle: StatementName?, signer: WriterID, past: [StatementName], _ content: Content
    ) throws(StatementError) {
        (self.circle, self.signer, self.past, self.content) = (circle, signer, past, content)
        var bytes = Self.domain + [content.kind]
        if let circle {
            bytes += circle.bytes + signer.bytes + BytesInOrder.bytes(UInt32(clamping: past.count))
            bytes += past.flatMap(\.bytes)
        }
        self.bytes = bytes + content.bytes
        name = try StatementName(hashing: self.bytes)
    }

    /// Reads canonical bytes. Each statement has one form.
    ///
    /// - Throws: `StatementError`.
    package init(decoding bytes: [UInt8]) throws(StatementError) {
        var rest = bytes[...]
        guard try rest.take(Self.domain.count) == Self.domain else { throw .domain }
        let kind = try rest.take(1)[0]
        if kind == 1 {
            try self.init(founder: MemberKeys(bytes: Array(rest)))
            return
        }
        guard let circle = StatementName(bytes: try rest.take(StatementName.count)),
            let signer = WriterID(bytes: try rest.take(SharedItemID.count))
        else { throw .length }
        let past = try rest.list(StatementName.count, StatementName.init(bytes:))
        let content: Content
        switch kind {
        case 2:
            guard let role = MemberRole(rawValue: try rest.take(1)[0]) else { throw .kind }
            content = .addition(try MemberKeys(bytes: Array(rest)), role)
        case 3:
            content = .removal(try rest.list(SharedItemID.count, WriterID.init(bytes:)))
            guard rest.isEmpty else { throw .length }
        case 4: content = .succession(try MemberKeys(bytes: Array(rest)))
        default: throw .kind
        }
        try self.init(circle: circle, signer: signer, past: past, content)
    }

    /// - Throws: `.order` for a list that is empty, not sorted, or names something twice; `.length`.
    static func check<Element: Comparable>(_ list: [Element]) throws(StatementError) {
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
        case .addition: 2
        case .removal: 3
        case .succession: 4
        }
    }

    fileprivate var bytes: [UInt8] {
        switch self {
        case .founding(let keys), .succession(let keys): keys.bytes
        case .addition(let keys, let role): [role.rawValue] + keys.bytes
        case .removal(let devices):
            BytesInOrder.bytes(UInt32(clamping: devices.count)) + devices.flatMap(\.bytes)
        }
    }
}

extension ArraySlice<UInt8> {
    mutating func take(_ count: Int) throws(StatementError) -> [UInt8] {
        guard count >= 0, self.count >= count else { throw .length }
        defer { self = dropFirst(count) }
        return Array(prefix(count))
    }

    /// A count of four bytes, and so many elements of one size.
    mutating func list<Entry>(
        _ size: Int, _ element: ([UInt8]) -> Entry?
    ) throws(StatementError) -> [Entry] {
        let count = try take(4).reduce(0) { $0 << 8 | Int($1) }
        guard count <= Statement.most else { throw .length }
        var elements: [Entry] = []
        for _ in 0..<count {
            guard let one = element(try take(size)) else { throw .length }
            elements.append(one)
        }
        return elements
    }
}
