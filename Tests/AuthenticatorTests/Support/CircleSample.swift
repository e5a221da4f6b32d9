import Authorization
import BrokerProtocol
import Circle
import Cryptography
import Platform

/// A circle of one machine, and another one that asks to be added.
struct CircleSample: Sendable {
    let founder: MemberKeys
    let founding: Statement
    let request: JoinRequest
    let addition: Statement
    let removal: Statement
    let paperCode: PaperCode
    let paper: Statement

    var circle: StatementName { founding.name }

    /// The same circle each time, for what a static table has.
    static let one = Result { try CircleSample() }

    init(_ role: MemberRole = .admin, name: String = "laptop", protection: KeyProtection = .tpm) throws {
        founder = try Self.keys(1)
        founding = try Statement(founder: founder)
        request = try Self.request(Self.keys(2), name: name, protection: protection)
        addition = try Self.addition(of: request.keys, by: founder, to: founding.name, role)
        removal = try Statement(
            circle: founding.name, signer: founder.device, past: [addition.name], .removal([request.keys.device]))
        paperCode = try .random()
        paper = try Self.addition(
            of: PaperKeys(paperCode, in: founding.name).member, by: founder, to: founding.name, .paper)
    }

    /// Keys of a machine. Only the membership key is a real one.
    ///
    /// - Parameter points: of the constraint keys, one after the other; nil for those of the vaults here.
    static func keys(
        _ number: UInt8, membership: [UInt8]? = nil, points: [UInt8]? = nil
    ) throws -> MemberKeys {
        let own = try membership ?? P256.PrivateKey.generate().publicKey
        let guards = points ?? Fixture.points.flatMap(\.point)
        let rest = [UInt8](repeating: number, count: P256.pointCount + 3 * 32)
        return try MemberKeys(bytes: own + rest + guards + [UInt8](repeating: number, count: 32))
    }

    static func request(
        _ keys: MemberKeys, name: String = "laptop", protection: KeyProtection = .tpm, time: UInt64 = 1
    ) throws -> JoinRequest {
        try JoinRequest(
            keys: keys, oneTimeKey: [UInt8](repeating: 3, count: 32), protection: protection,
            name: MachineName(near: name), time: time)
    }

    static func addition(
        of keys: MemberKeys, by signer: MemberKeys, to circle: StatementName, _ role: MemberRole = .admin
    ) throws -> Statement {
        try Statement(circle: circle, signer: signer.device, past: [circle], .addition(keys, role))
    }

    /// The code of a request, as a person types it.
    static func code(of request: JoinRequest) throws -> String {
        try JoinCode(of: request).text.withBytes { bytes in
            String(decoding: bytes.indices.map { bytes[$0] }, as: UTF8.self)
        }
    }

    var code: String { get throws { try Self.code(of: request) } }

    /// What a person types for it.
    func code(for purpose: Keychain.Purpose) throws -> String? {
        switch purpose {
        case .addToCircle: try code
        case .paperToCircle:
            try paperCode.text.withBytes { bytes in String(decoding: bytes.indices.map { bytes[$0] }, as: UTF8.self) }
        default: nil
        }
    }

    /// The statement that is signed.
    func statement(_ purpose: Keychain.Purpose) -> Statement {
        switch purpose {
        case .addToCircle: addition
        case .paperToCircle: paper
        case .removeFromCircle: removal
        default: founding
        }
    }

    /// The words that both machines show.
    var words: String { get throws { try CheckWords.text(circle: circle, request: request) } }

    /// The parameter hash that a signature over a statement has.
    static func hash(_ statement: Statement, by keys: MemberKeys, _ record: RegistryRecord) throws -> [UInt8] {
        try StatementSigning(record: record, membershipPoint: keys.membership)
            .parameterHash(ofDigest: SHA256.digest(statement.bytes))
    }
}

extension BrokerInterface.Describe.Reply {
    /// What an honest broker says of a request about a circle, beside the names of vault and owner.
    mutating func ask(_ purpose: Keychain.Purpose, _ sample: CircleSample) {
        purposes = [purpose]
        (service, account, items, lease) = (nil, nil, nil, nil)
        (statement, signer, request, circle, machines) = (nil, nil, nil, nil, nil)
        let isSigned = purpose != .joinCircle
        authorizations = isSigned ? [.init(kind: "circle")] : []
        alternatives = [isSigned ? [0] : []]
        switch purpose {
        case .foundCircle: statement = Base64.encode(sample.founding.bytes)
        case .addToCircle:
            statement = Base64.encode(sample.addition.bytes)
            signer = Base64.encode(sample.founder.bytes)
            request = Base64.encode(sample.request.bytes)
        case .paperToCircle:
            statement = Base64.encode(sample.paper.bytes)
            signer = Base64.encode(sample.founder.bytes)
        case .removeFromCircle:
            statement = Base64.encode(sample.removal.bytes)
            signer = Base64.encode(sample.founder.bytes)
            machines = ["laptop"]
        default:
            request = Base64.encode(sample.request.bytes)
            circle = Hex.encode(sample.circle.bytes)
            machines = ["desk"]
        }
    }
}

extension Fixture {
    /// The broker asks for this from now on, and names the right parameter hash.
    func ask(_ purpose: Keychain.Purpose, _ sample: CircleSample) throws {
        let hash = try CircleSample.hash(sample.statement(purpose), by: sample.founder, record)
        broker.change { script in
            script.facts.ask(purpose, sample)
            script.parameterHash = hash
        }
    }
}
