import Authorization
import Circle
import Cryptography
import Vault

@testable import Broker

extension Challenge.ItemUse {
    static func reading(
        _ service: String, _ account: String, _ ways: [[Challenge.Authorization]]
    ) throws -> Challenge.ItemUse {
        try Challenge.ItemUse(deed: .read, .sample(service, account), ways)
    }

    init(deed: Deed, _ subject: Challenge.Subject, _ ways: [[Challenge.Authorization]]) {
        self.init(deed: deed, subject: subject, ways: ways)
    }
}

extension Challenge.Subject {
    static func sample(_ service: String, _ account: String) throws -> Challenge.Subject {
        Challenge.Subject(item: try .random(), version: 1, service: service, account: account)
    }
}

extension Challenge.Request {
    /// One request of every kind, and of every shape that a kind has.
    /// - Parameter isMade: leave out what no client asks for.
    static func oneOfEach(made isMade: Bool = false) throws -> [Challenge.Request] {
        let presence = [[Challenge.Authorization(role: .presence, kind: .presence, point: [4])]]
        let others = [[Challenge.Authorization(role: .presence, kind: .presence, point: [5])]]
        let subject = try Challenge.Subject.sample("s", "a")
        let deeds: [Challenge.ItemUse.Deed] = [.read, .change, .rename(to: .init(service: "s", account: "b"))]
        let uses = deeds.flatMap { deed in
            [true, false].map {
                Challenge.Request.use(.init(deed: deed, subject: subject, ways: presence), unlocks: $0)
            }
        }
        let rotation = Challenge.Rotation(items: [subject], authorizations: presence[0], passwords: [:])
        var telling = rotation
        telling.circle = try Statement(founder: CirclePlan.keys(1)).name
        telling.machines = [MachineName(near: "laptop")]
        let other = try Challenge.Subject.sample("s", "b")
        let together = try Challenge.JointRead(
            [subject, other], reason: nil, wanted: [(subject.item, presence), (other.item, others)])
        let joint = [true, false].map { Challenge.Request.readAll(together, unlocks: $0) }
        return uses + joint + (isMade ? [] : [.login]) + [
            .vault(.create), .vault(.unlock), .vault(.recovery), .vault(.bind), .vault(.unbind),
            .tieToBoot(registers: [7]), .vault(.releaseFromBoot), .vault(.approveBoot), .vault(.accept),
            .rotate(rotation), .rotate(telling), .enrolment([.biometryAny]),
            .enrolment([.biometryAny, .biometryCurrentSet]),
            .lease(together, Lease.Terms(seconds: 60, command: nil)),
            .release(
                together,
                ReleaseReceivers(devices: [try CirclePlan.keys(1).device], names: [MachineName(near: "laptop")])),
        ] + (try CirclePlan.oneOfEach().map(Challenge.Request.circle))
    }
}

extension CirclePlan {
    /// To begin a circle, to add a machine, to enter a circle, to remove a machine, and to make a code on paper.
    static func oneOfEach() throws -> [CirclePlan] {
        let founder = try keys(1)
        let (profile, founding) = (DeviceProfile(MachineName(near: "desk"), .tpm), try Statement(founder: founder))
        let membership = SealedObject(role: .membershipKey, public: [1], private: [2])
        let signingKeys = CircleSigningKeys(
            stream: SealedObject(role: .streamKey, public: [3], private: [4]), membership: membership)
        let request = try request(2)
        let addition = try Statement(
            circle: founding.name, signer: founder.device, past: [founding.name], .addition(request.keys, .admin))
        let removal = try Statement(
            circle: founding.name, signer: founder.device, past: [addition.name], .removal([request.keys.device]))
        let (paper, former) = (try keys(4), [founding.name])
        let adding = try Statement(
            circle: founding.name, signer: founder.device, past: former, .addition(paper, .paper))
        func signing(_ statement: Statement) throws -> SignedUse {
            .sign(
                membership, point: founder.membership, digest: try SHA256.digest(statement.bytes),
                password: try SecretBytes.random(count: 32))
        }
        return [
            CirclePlan(deed: .found(founding, signingKeys, profile), signing: try signing(founding)),
            CirclePlan(deed: .add(addition, signer: founder, request, evidence: nil), signing: try signing(addition)),
            CirclePlan(deed: .join(try answer(to: request, 1), request, machines: [profile.name])),
            CirclePlan(
                deed: .remove(removal, signer: founder, machines: [profile.name]), signing: try signing(removal)),
            CirclePlan(deed: .paper(adding, signer: founder, paper), signing: try signing(adding)),
        ]
    }

    static func keys(_ number: UInt8) throws -> MemberKeys {
        try MemberKeys(bytes: [UInt8](repeating: number, count: MemberKeys.count))
    }

    static func request(_ number: UInt8) throws -> JoinRequest {
        try JoinRequest(
            keys: keys(number), oneTimeKey: [UInt8](repeating: number, count: 32), protection: .tpm,
            name: MachineName(near: "laptop"), time: 1)
    }

    /// - Parameter number: other ones are other answers to the same request.
    static func answer(to request: JoinRequest, _ number: UInt8) throws -> JoinAnswer {
        let founder = try keys(1)
        return try JoinAnswer(
            request: request.digest, circle: Statement(founder: founder).name, adder: founder.device, statements: [],
            generations: [], present: nil, heads: [], ephemeral: [UInt8](repeating: number, count: 32),
            sealedKeys: [UInt8](repeating: number, count: AESGCM.overhead))
    }

    /// - Parameter number: other ones are other answers to a challenge.
    static func evidence(for request: JoinRequest, _ number: UInt8) throws -> JoinEvidence {
        let machine = try MachineIdentity(
            endorsement: P256.PrivateKey.generate().publicKey, attestation: P256.PrivateKey.generate().publicKey)
        let claim = try JoinEvidence.Claim(
            id: .random(), owner: .user(1000), authenticatorKey: machine.attestation, generation: nil)
        return try JoinEvidence(
            request: request.digest, machine: machine, vault: claim, parent: [UInt8](repeating: number, count: 34),
            privateAreas: [[number]],
            loads: AttestedLoads(statement: [number], signature: [UInt8](repeating: number, count: 64)))
    }
}
