import Cryptography
import Testing

@testable import Circle

/// Which keys a removed device never had, by what their makers say to have known.
struct RemovalKnowledgeTests {
    private struct Device {
        let key: P256.PrivateKey
        let keys: MemberKeys

        init(_ number: Int) throws {
            key = try P256.PrivateKey.generate()
            let others = (0..<MemberKeys.count - 130).map { UInt8($0 % 2 == 0 ? number / 256 : number % 256) }
            keys = try MemberKeys(bytes: key.publicKey + P256.PrivateKey.generate().publicKey + others)
        }

        var id: WriterID { keys.device }
    }

    private let founder: Device
    private let others: [Device]
    private let begun: [SignedStatement]
    private var circle: StatementName { begun[0].statement.name }

    init() throws {
        founder = try Device(0)
        others = try (1...6).map { try Device($0) }
        var begun = [try Self.signed(founder, Statement(founder: founder.keys))]
        for device in others {
            begun.append(
                try Self.signed(
                    founder,
                    Statement(
                        circle: begun[0].statement.name, signer: founder.id,
                        past: begun.suffix(1).map(\.statement.name),
                        .addition(device.keys, .admin))))
        }
        self.begun = begun
    }

    private static func signed(_ device: Device, _ statement: Statement) throws -> SignedStatement {
        SignedStatement(
            statement, signature: SignedStatement.lower(try device.key.signature(for: statement.bytes)))
    }

    private func removal(_ devices: [Device], after past: SignedStatement? = nil) throws -> SignedStatement {
        try Self.signed(
            founder,
            Statement(
                circle: circle, signer: founder.id, past: [(past ?? begun[begun.count - 1]).statement.name],
                .removal(devices.map(\.id).sorted())))
    }

    /// Keys for the founder alone, made by one that knows these statements.
    private func generation(
        knowing statements: [SignedStatement], by maker: Device? = nil, for receivers: [Device]? = nil
    ) throws -> KeyGeneration {
        try KeyGeneration(
            circle: circle, maker: (maker ?? founder).id,
            removals: Membership(of: circle, begun + statements).removalsDigest,
            publicHalves: [UInt8](repeating: 1, count: KeyGeneration.publicCount),
            receivers: (receivers ?? [founder]).map(\.id).sorted().map {
                try .init($0, sealed: [UInt8](repeating: 1, count: KeyGeneration.Receiver.sealedCount))
            })
    }

    private func knowledge(of device: Device, _ statements: [SignedStatement]) throws -> RemovalKnowledge {
        try RemovalKnowledge(
            of: device.id, in: Membership(of: circle, begun + statements), (begun + statements).map(\.statement))
    }

    @Test func keysOfEachTimeAfterTheRemovalAreOthers() throws {
        let first = try removal([others[0]])
        let second = try removal([others[1], others[2]], after: first)
        let all = [first, second]
        let times = try [[], [first], all].map { try generation(knowing: $0) }
        #expect(try times.map(knowledge(of: others[0], all).canHave) == [true, false, false])
        #expect(try times.map(knowledge(of: others[1], all).canHave) == [true, true, false])
        #expect(try times.map(knowledge(of: others[2], all).canHave) == [true, true, false])
        // A member, and somebody who is not known, can have all of them.
        #expect(try times.map(knowledge(of: others[3], all).canHave) == [true, true, true])
        #expect(try times.map(knowledge(of: Device(9), all).canHave) == [true, true, true])
    }

    /// Two remove at the same time. One who makes keys can know of the first, of the second, or of both.
    @Test func whoKnowsOfAnotherRemovalOnlyDoesNotKnow() throws {
        let (one, other) = (try removal([others[0]]), try removal([others[1]]))
        let makers = try [[one], [other], [one, other]].map { try generation(knowing: $0) }
        #expect(try makers.map(knowledge(of: others[0], [one, other]).canHave) == [false, true, false])
        #expect(try makers.map(knowledge(of: others[1], [one, other]).canHave) == [true, false, false])
    }

    /// Its own keys, and those that are sealed to it, it has in any case.
    @Test func whatIsSealedToItIsItsOwn() throws {
        let first = try removal([others[0]])
        let all = try [
            generation(knowing: [first], by: others[0]), generation(knowing: [first], for: [founder, others[0]]),
        ]
        #expect(try all.map(knowledge(of: others[0], [first]).canHave) == [true, true])
    }

    /// What somebody invents is no reason to believe that a machine lacks keys, and costs no more than a bound.
    @Test func manyRemovalsAtOnceAreBounded() throws {
        let many = try (0..<40).map { try removal([others[$0 % 5]], after: begun[1 + $0 % 6]) }
        let present = try generation(knowing: many)
        let knowledge = try knowledge(of: others[0], many)
        #expect(!knowledge.canHave(present))
        #expect(try knowledge.canHave(generation(knowing: [])))
    }
}
