import Authorization
import Cryptography

/// The keys that records are sealed to from one change of the members to the next (docs/sync-members.md,
/// “Generations”). The private halves are sealed to each member, and to nobody else.
package struct KeyGeneration: Hashable, Sendable {
    /// One member, and the private halves sealed to its receiving keys.
    package struct Receiver: Hashable, Sendable {
        /// The length of the three sealed halves in bytes: for each, an X25519 key, and 32 bytes as AES-GCM seals them.
        package static let sealedCount = 3 * (32 + 32 + AESGCM.overhead)

        package let device: WriterID
        package let sealed: [UInt8]

        /// - Throws: `.length` unless 276 bytes are sealed.
        package init(_ device: WriterID, sealed: [UInt8]) throws(CircleFormError) {
            guard sealed.count == Self.sealedCount else { throw .length }
            (self.device, self.sealed) = (device, sealed)
        }
    }

    /// The length of the public halves in bytes: X25519 keys for when-unlocked, after-first-unlock, and metadata.
    package static let publicCount = 3 * 32

    package let circle: StatementName
    package let maker: WriterID
    /// The digest of the removals that its maker knew, 32 bytes. Who was added later was given these keys, too, so after
    /// a removal none of the earlier keys counts, for any set of members.
    package let removals: [UInt8]
    /// The three public halves.
    package let publicHalves: [UInt8]
    /// Sorted by device, each once; 1 to 1,024.
    package let receivers: [Receiver]
    package let bytes: [UInt8]
    package let name: StatementName

    private static let domain = LengthPrefixed.encode(Array("org.coffer.circle.generation".utf8))

    /// - Throws: `.length`, `.order`, `.hash`.
    package init(
        circle: StatementName, maker: WriterID, removals: [UInt8], publicHalves: [UInt8], receivers: [Receiver]
    ) throws(CircleFormError) {
        guard removals.count == StatementName.count, publicHalves.count == Self.publicCount else { throw .length }
        self.removals = removals
        try Statement.check(receivers.map(\.device))
        (self.circle, self.maker, self.publicHalves, self.receivers) = (circle, maker, publicHalves, receivers)
        bytes =
            Self.domain + circle.bytes + maker.bytes + removals + publicHalves
            + BigEndian.bytes(UInt32(clamping: receivers.count))
            + receivers.flatMap { $0.device.bytes + $0.sealed }
        name = try StatementName(hashing: bytes)
    }

    /// Reads canonical bytes. Each generation has one form.
    ///
    /// - Throws: `CircleFormError`.
    package init(decoding bytes: [UInt8]) throws(CircleFormError) {
        var rest = bytes[...]
        try rest.domain(Self.domain)
        let (circle, maker) = (try rest.circle(), try rest.device())
        let (removals, halves) = (try rest.take(StatementName.count), try rest.take(Self.publicCount))
        let receivers = try rest.elements(upTo: Statement.most) { (rest) throws(CircleFormError) in
            try Receiver(try rest.device(), sealed: try rest.take(Receiver.sealedCount))
        }
        try rest.end()
        try self.init(circle: circle, maker: maker, removals: removals, publicHalves: halves, receivers: receivers)
    }

    package static func == (one: KeyGeneration, other: KeyGeneration) -> Bool { one.name == other.name }

    package func hash(into hasher: inout Hasher) { hasher.combine(name) }
}

extension Membership {
    /// The generation that members write to: exactly the present members have its keys, as receivers or since they were
    /// added, and a member that may write has made it, knowing of exactly these removals. Of several, the smallest name.
    ///
    /// - Returns: nil if somebody must make one.
    package func generation(of circle: StatementName, among all: [KeyGeneration]) -> KeyGeneration? {
        let present = Set(members.map(\.keys.device))
        let makers = members.filter(\.role.mayWrite).map(\.keys.device)
        return all.filter { one in
            guard one.circle == circle, one.removals == removalsDigest, makers.contains(one.maker) else { return false }
            let receivers = Set(one.receivers.map(\.device))
            return receivers.isSubset(of: present)
                && members.allSatisfy { receivers.contains($0.keys.device) || $0.given.contains(one.name) }
        }.min { $0.name < $1.name }
    }

    /// How long a member waits before it makes a generation, so that not all make one: 0 to 60 seconds, by its place
    /// among those that may.
    ///
    /// - Returns: milliseconds; nil if it may not.
    package func waitBeforeGeneration(_ device: WriterID) -> Int? {
        let makers = members.filter(\.role.mayWrite).map(\.keys.device)
        guard let place = makers.firstIndex(of: device) else { return nil }
        return 60_000 / makers.count * place
    }
}
