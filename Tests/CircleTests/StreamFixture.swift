import Circle
import Cryptography
import Testing

/// A device that founds a circle, and what it writes.
struct StreamFixture {
    let stream: P256.PrivateKey
    let membership: P256.PrivateKey
    let keys: MemberKeys
    let circle: StatementName
    let founding: SignedStatement

    init(_ number: UInt8 = 1) throws {
        (stream, membership) = try (P256.PrivateKey.generate(), P256.PrivateKey.generate())
        keys = try MemberKeys(
            bytes: membership.publicKey + stream.publicKey
                + [UInt8](repeating: number, count: MemberKeys.count - 2 * P256.pointCount))
        let statement = try Statement(founder: keys)
        circle = statement.name
        founding = SignedStatement(
            statement, signature: SignedStatement.lower(try membership.signature(for: statement.bytes)))
    }

    static func run(_ number: UInt8) throws -> RunID {
        try #require(RunID(bytes: [UInt8](repeating: number, count: RunID.count)))
    }

    func record(_ number: UInt64, _ run: RunID, text: UInt8 = 0) throws -> CircleRecord {
        let header = try CircleRecord.Header(
            circle: circle, device: keys.device, run: run, number: number, generation: circle)
        return try CircleRecord(header, sealed: [UInt8](repeating: text, count: 92))
    }

    /// Records of a run, and the end behind each: `ends[0]` is before the first.
    func written(
        _ run: UInt8, after predecessor: RunEnd? = nil, count: Int, text: UInt8 = 0
    ) throws -> (records: [CircleRecord], ends: [RunEnd]) {
        let run = try Self.run(run)
        let first = predecessor?.number ?? 0
        var chain = try ChainHash(circle: circle, device: keys.device, run: run, after: predecessor)
        return try continued(run, number: first, &chain, count: count, text: text)
    }

    func continued(
        _ run: RunID, number: UInt64, _ chain: inout ChainHash, count: Int, text: UInt8
    ) throws -> (records: [CircleRecord], ends: [RunEnd]) {
        var records: [CircleRecord] = []
        var ends = [try #require(RunEnd(run: run, number: number, chain: chain))]
        for place in 0..<UInt64(count) {
            let record = try record(number + place + 1, run, text: text)
            chain = try chain.followed(by: record.bytes)
            records.append(record)
            ends.append(try #require(RunEnd(run: run, number: number + place + 1, chain: chain)))
        }
        return (records, ends)
    }

    func head(
        _ end: RunEnd, after predecessor: RunEnd? = nil, time: UInt64 = 5, seen: [SeenEnd] = [],
        by key: P256.PrivateKey? = nil
    ) throws -> SignedHead {
        let head = try StreamHead(
            circle: circle, device: keys.device, predecessor: predecessor, end: end, time: time,
            stateDigest: [UInt8](repeating: 9, count: 32), seen: seen)
        return SignedHead(
            head, signature: SignedStatement.lower(try (key ?? stream).signature(for: head.bytes)))
    }

    func judged(_ heads: [SignedHead], _ segments: [RecordSegment]) throws -> DeviceStream {
        try DeviceStream(
            of: keys, in: circle, heads: heads, segments: segments.map { try KnownSegment(decoding: $0.bytes) })
    }
}

extension DeviceStream {
    /// The numbers of the records that count.
    var numbers: [UInt64] { counted.map(\.record.header.number) }
}

/// Every order of a list.
func everyOrder<Element>(_ list: [Element]) -> [[Element]] {
    guard let first = list.first else { return [[]] }
    return everyOrder(Array(list.dropFirst())).flatMap { rest in
        (0...rest.count).map { Array(rest[..<$0]) + [first] + Array(rest[$0...]) }
    }
}
