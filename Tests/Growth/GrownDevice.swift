import Authorization
import Circle
import Cryptography
import Vault

/// A machine of the circle, with its private keys, and what it has given out.
package struct GrownDevice {
    package let keys: MemberKeys
    package let role: MemberRole
    let profile: DeviceProfile
    private let membership: P256.PrivateKey
    private let stream: P256.PrivateKey
    private let run: RunID
    private let circle: StatementName
    private var chain: ChainHash
    package private(set) var number: UInt64 = 0
    private var records: [CircleRecord] = []
    private var start: ChainHash
    private var size = 0
    /// What lies in the store of it.
    private(set) var segments: [RecordSegment] = []

    /// The keys of the machine of this number; nil in place of a circle for the founder.
    init(_ number: Int, _ role: MemberRole, in circle: StatementName?, seed: UInt64) throws {
        var numbers = GrowthNumbers(seed: seed &* 1_000_003 &+ UInt64(number))
        func point() throws -> P256.PrivateKey {
            // The first byte is small, so the number is below the order.
            try P256.PrivateKey(rawRepresentation: SecretBytes(copying: [1] + numbers.bytes(31)))
        }
        (membership, stream) = (try point(), try point())
        var receiving: [UInt8] = []
        for _ in 0..<3 {
            receiving += try X25519.PrivateKey(rawRepresentation: SecretBytes(copying: numbers.bytes(32))).publicKey
        }
        keys = try MemberKeys(
            bytes: membership.publicKey + stream.publicKey + receiving
                + MemberKeys.guards.flatMap { _ in MemberKeys.noPoint } + numbers.bytes(32))
        self.role = role
        profile = DeviceProfile(MachineName(near: "machine-\(number)"), .software)
        guard let run = RunID(bytes: numbers.bytes(RunID.count)) else { throw GrowthError.impossible }
        self.run = run
        self.circle = try circle ?? Statement(founder: keys).name
        chain = try ChainHash(circle: self.circle, device: keys.device, run: run, after: nil)
        start = chain
    }

    var end: RunEnd {
        get throws {
            guard let end = RunEnd(run: run, number: number, chain: chain) else { throw GrowthError.impossible }
            return end
        }
    }

    func signed(_ statement: Statement) throws -> SignedStatement {
        SignedStatement(
            statement, signature: SignedStatement.lower(try membership.signature(for: statement.bytes)))
    }

    /// The records up to here have gone: what follows begins behind them.
    mutating func skip(_ count: UInt64, _ numbers: inout GrowthNumbers) throws {
        guard let chain = ChainHash(bytes: numbers.bytes(ChainHash.count)) else { throw GrowthError.impossible }
        number += count
        (self.chain, start) = (chain, chain)
    }

    /// Writes one record.
    mutating func write(_ body: RecordBody, _ generation: GrownGeneration?) throws {
        let header = try CircleRecord.Header(
            circle: circle, device: keys.device, run: run, number: number + 1, generation: generation?.public.name)
        let record = try RecordSealing.seal(body, in: header, half: generation?.halves.metadata)
        if size + record.bytes.count > CircleLimits.segment - 512 || records.count == CircleLimits.records {
            try close()
        }
        records.append(record)
        size += record.bytes.count + 4
        number += 1
        chain = try chain.followed(by: record.bytes)
    }

    /// What follows lies in another file.
    mutating func close() throws {
        guard !records.isEmpty else { return }
        segments.append(try RecordSegment(before: start, records: records))
        (records, size, start) = ([], 0, chain)
    }

    func head(at time: UInt64, digest: [UInt8], seen: [SeenEnd]) throws -> SignedHead {
        let head = try StreamHead(
            circle: circle, device: keys.device, predecessor: nil, end: end, time: time, stateDigest: digest, seen: seen
        )
        return SignedHead(head, signature: SignedStatement.lower(try stream.signature(for: head.bytes)))
    }
}

/// A generation with its private halves.
struct GrownGeneration {
    let `public`: KeyGeneration
    let halves: GenerationHalves

    init(_ membership: Membership, in circle: StatementName, by maker: WriterID, _ numbers: inout GrowthNumbers) throws
    {
        let raw = numbers.bytes(KeyGeneration.publicCount)
        guard let halves = try GenerationHalves(whole: SecretBytes(copying: raw)) else { throw GrowthError.impossible }
        self.halves = halves
        self.public = try KeyGeneration(
            circle: circle, maker: maker, removals: membership.removalsDigest, publicHalves: halves.publicHalves,
            receivers: membership.members.map { try halves.sealed(to: $0.keys, in: circle) })
    }
}

package enum GrowthError: Error {
    case impossible
    /// The plan has fewer changes than its items need.
    case tooFewRecords
    /// The folder has no request under this code.
    case noRequest
}
