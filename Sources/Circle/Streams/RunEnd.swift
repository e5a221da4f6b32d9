import Authorization
import Cryptography

/// Names a run: what a device writes from one opening of its vault to the next. 16 random bytes.
package struct RunID: Hashable, Sendable, Comparable {
    /// The length in bytes.
    package static let count = 16

    private let value: InlineBytes16

    /// - Returns: nil unless there are 16 bytes.
    package init?(bytes: [UInt8]) {
        guard let value = InlineBytes16(bytes) else { return nil }
        self.value = value
    }

    package var bytes: [UInt8] { value.bytes }

    package static func < (one: RunID, other: RunID) -> Bool { one.value < other.value }
}

/// What a stream was up to a place, its former runs included: 32 bytes.
package struct ChainHash: Hashable, Sendable, Comparable {
    /// The length in bytes.
    package static let count = SHA256.count

    private let value: InlineBytes32

    /// - Returns: nil unless there are 32 bytes.
    package init?(bytes: [UInt8]) {
        guard let value = InlineBytes32(bytes) else { return nil }
        self.value = value
    }

    private init(hashing bytes: [UInt8]) throws(CircleFormError) {
        guard let value = InlineBytes32(try CircleDigest.of(bytes)) else { throw .hash }
        self.value = value
    }

    package var bytes: [UInt8] { value.bytes }

    private static let runDomain = LengthPrefixed.encode(Array("org.coffer.circle.run".utf8))
    private static let chainDomain = LengthPrefixed.encode(Array("org.coffer.circle.chain".utf8))

    /// The hash before a run's first record.
    ///
    /// - Throws: `.hash`.
    package init(
        circle: StatementName, device: WriterID, run: RunID, after predecessor: RunEnd?
    ) throws(CircleFormError) {
        try self.init(
            hashing: Self.runDomain + circle.bytes + device.bytes + run.bytes + RunEnd.bytes(predecessor))
    }

    /// The hash after one more record.
    ///
    /// - Throws: `.hash`.
    package func followed(by record: [UInt8]) throws(CircleFormError) -> ChainHash {
        try ChainHash(hashing: Self.chainDomain + bytes + LengthPrefixed.encode(record))
    }

    package static func < (one: ChainHash, other: ChainHash) -> Bool { one.value < other.value }
}

/// A place in a stream: after the record of this number (docs/sync-format.md, “Runs and chains”).
package struct RunEnd: Hashable, Sendable {
    package let run: RunID
    /// 0 before the first record of all.
    package let number: UInt64
    package let chain: ChainHash

    /// - Returns: nil for a number above 9,999,999,999,999,999.
    package init?(run: RunID, number: UInt64, chain: ChainHash) {
        guard number <= CircleLimits.number else { return nil }
        (self.run, self.number, self.chain) = (run, number, chain)
    }

    package var bytes: [UInt8] { run.bytes + BigEndian.bytes(number) + chain.bytes }

    init(from rest: inout ArraySlice<UInt8>) throws(CircleFormError) {
        guard let run = RunID(bytes: try rest.take(RunID.count)) else { throw .length }
        let number = try rest.integer(UInt64.self)
        guard let chain = ChainHash(bytes: try rest.take(ChainHash.count)) else { throw .length }
        guard let end = RunEnd(run: run, number: number, chain: chain) else { throw .range }
        self = end
    }

    /// A predecessor: a flag, and the end if there is one.
    static func bytes(_ predecessor: RunEnd?) -> [UInt8] { predecessor.map { [1] + $0.bytes } ?? [0] }

    static func predecessor(from rest: inout ArraySlice<UInt8>) throws(CircleFormError) -> RunEnd? {
        switch try rest.integer(UInt8.self) {
        case 0: nil
        case 1: try RunEnd(from: &rest)
        default: throw .range
        }
    }
}

/// The end of another device's stream, as one device has seen it.
package struct SeenEnd: Hashable, Sendable {
    package let device: WriterID
    package let end: RunEnd

    package init(_ device: WriterID, _ end: RunEnd) { (self.device, self.end) = (device, end) }

    /// Reads a sorted list. No device is in it twice.
    static func list(from rest: inout ArraySlice<UInt8>) throws(CircleFormError) -> [SeenEnd] {
        let seen = try rest.elements(upTo: CircleLimits.heads) { (rest) throws(CircleFormError) in
            SeenEnd(try rest.device(), try RunEnd(from: &rest))
        }
        try check(seen)
        return seen
    }

    static func check(_ seen: [SeenEnd]) throws(CircleFormError) {
        guard seen.count <= CircleLimits.heads else { throw .length }
        guard zip(seen, seen.dropFirst()).allSatisfy({ $0.device < $1.device }) else { throw .order }
    }

    var bytes: [UInt8] { device.bytes + end.bytes }
}
