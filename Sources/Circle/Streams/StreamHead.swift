import Authorization

/// The end of a stream, with what its device has seen of others (docs/sync-format.md, “Heads”).
package struct StreamHead: Hashable, Sendable {
    /// Entries of the list after which a device writes them into a record.
    package static let mostSeen = 64

    package let circle: StatementName
    package let device: WriterID
    /// Where the run begins; nil in a device's first run.
    package let predecessor: RunEnd?
    package let end: RunEnd
    /// Milliseconds since 1970-01-01 UTC.
    package let time: UInt64
    /// The 32 bytes that are equal at devices with equal heads.
    package let stateDigest: [UInt8]
    /// The heads of others that changed since the device's last record of that kind, sorted.
    package let seen: [SeenEnd]
    /// What is signed.
    package let bytes: [UInt8]

    private static let domain = LengthPrefixed.encode(Array("org.coffer.circle.head".utf8))

    /// - Throws: `.length`, `.range`, `.order`, `.place`.
    package init(
        circle: StatementName, device: WriterID, predecessor: RunEnd?, end: RunEnd, time: UInt64,
        stateDigest: [UInt8], seen: [SeenEnd]
    ) throws(CircleFormError) {
        guard time <= PartStamp.last else { throw .range }
        guard stateDigest.count == 32 else { throw .length }
        try SeenEnd.check(seen)
        guard seen.allSatisfy({ $0.device != device }), predecessor?.run != end.run,
            end.number >= predecessor?.number ?? 0
        else { throw .place }
        (self.circle, self.device, self.predecessor, self.end) = (circle, device, predecessor, end)
        (self.time, self.stateDigest, self.seen) = (time, stateDigest, seen)
        bytes =
            Self.domain + BigEndian.bytes(CircleLimits.version) + circle.bytes + device.bytes + end.run.bytes
            + RunEnd.bytes(predecessor) + BigEndian.bytes(end.number) + end.chain.bytes
            + BigEndian.bytes(time) + stateDigest + [UInt8](list: seen, \.bytes)
    }

    /// Reads canonical bytes. Each head has one form.
    ///
    /// - Throws: `CircleFormError`.
    package init(decoding bytes: [UInt8]) throws(CircleFormError) {
        var rest = bytes[...]
        try rest.domain(Self.domain)
        try rest.version()
        let (circle, device) = (try rest.circle(), try rest.device())
        guard let run = RunID(bytes: try rest.take(RunID.count)) else { throw .length }
        let predecessor = try RunEnd.predecessor(from: &rest)
        let number = try rest.integer(UInt64.self)
        guard let chain = ChainHash(bytes: try rest.take(ChainHash.count)) else { throw .length }
        guard let end = RunEnd(run: run, number: number, chain: chain) else { throw .range }
        let (time, digest) = (try rest.time(), try rest.take(32))
        let seen = try SeenEnd.list(from: &rest)
        try rest.end()
        try self.init(
            circle: circle, device: device, predecessor: predecessor, end: end, time: time, stateDigest: digest,
            seen: seen)
    }
}

/// A head with its device's signature, as the store has it.
package struct SignedHead: Hashable, Sendable {
    package let head: StreamHead
    package let signature: [UInt8]

    package init(_ head: StreamHead, signature: [UInt8]) { (self.head, self.signature) = (head, signature) }

    package var bytes: [UInt8] { head.bytes + signature }

    /// - Throws: `CircleFormError`.
    package init(decoding bytes: [UInt8]) throws(CircleFormError) {
        guard (SignedStatement.signatureCount...CircleLimits.head).contains(bytes.count) else { throw .length }
        head = try StreamHead(decoding: Array(bytes.dropLast(SignedStatement.signatureCount)))
        signature = Array(bytes.suffix(SignedStatement.signatureCount))
    }

    /// Whether the device with these keys has signed it.
    package func isSigned(by keys: MemberKeys) -> Bool {
        keys.device == head.device && SignedStatement.isValid(signature, for: head.bytes, by: keys.stream)
    }
}
