import Authorization
import Circle
import Cryptography
import TPM
import TestSupport
import Testing

@testable import Vault

/// The proof that a new machine's keys are in its TPM (docs/sync-format.md, "Proof of a TPM"; review T13). The attacker has
/// a genuine TPM, and may show everything that it says.
@Suite(.timeLimit(.minutes(20)))
struct MachineProofTests {
    private let secret: SecretBytes

    init() throws { secret = try .random(count: IdentityCredential.secretCount) }

    @Test func aMachineProvesThatAllItsKeysAreInItsTPM() throws {
        let machine = try TPMMachine()
        #expect(try machine.identity == machine.identity)
        let evidence = try machine.evidence(secret)
        #expect(try JoinEvidence(decoding: evidence.bytes).proves(machine.request, secret: secret))
    }

    @Test func keysOutsideOfTheTPMAreNotProved() throws {
        let machine = try TPMMachine()
        let keys = machine.request.keys
        let honest = keys.membership + keys.stream
        let software = try (0..<3).flatMap { _ in try P256.PrivateKey.generate().publicKey }
        // The TPM has loaded its own keys, and the request names others that ask nobody.
        let request = try TPMMachine.request(honest, software)
        #expect(try !machine.evidence(secret, for: request).proves(request, secret: secret))
        // The same for the keys that sign.
        let points = keys.keysInTPM.dropFirst(2).flatMap(\.point)
        let other = try TPMMachine.request(
            P256.PrivateKey.generate().publicKey + P256.PrivateKey.generate().publicKey, points)
        #expect(try !machine.evidence(secret, for: other).proves(other, secret: secret))
        // One key less is shown than the request names.
        let fewer = try machine.evidence(secret, loading: Array(machine.keys.dropLast()))
        #expect(try !fewer.proves(machine.request, secret: secret))
        // The right ones in another order, which the digest notices.
        let turned = try machine.evidence(secret, loading: machine.keys.reversed())
        #expect(try !turned.proves(machine.request, secret: secret))
        // Private areas that were not loaded.
        let areas = machine.keys.map { $0.private.dropLast() + [$0.private[$0.private.count - 1] ^ 1] }
        #expect(try !machine.evidence(secret, areas: areas.map(Array.init)).proves(machine.request, secret: secret))
    }

    @Test func keysBehindAnotherAuthenticatorAreNotProved() throws {
        let machine = try TPMMachine()
        let record = machine.record
        let other = try P256.PrivateKey.generate().publicKey
        let claims = [
            try JoinEvidence.Claim(
                id: record.vault, owner: record.owner, authenticatorKey: other, generation: record.generation),
            try .init(
                id: .random(), owner: record.owner, authenticatorKey: record.authenticatorKey,
                generation: record.generation),
            try .init(
                id: record.vault, owner: .user(1001), authenticatorKey: record.authenticatorKey,
                generation: record.generation),
            try .init(
                id: record.vault, owner: record.owner, authenticatorKey: record.authenticatorKey, generation: nil),
        ]
        for claim in claims {
            #expect(try !machine.evidence(secret, claim: claim).proves(machine.request, secret: secret))
        }
    }

    @Test func aMachineThatSaysSoftwareProvesNothing() throws {
        let machine = try TPMMachine()
        let keys = machine.request.keys
        let request = try TPMMachine.request(
            keys.membership + keys.stream, keys.keysInTPM.dropFirst(2).flatMap(\.point), protection: .software)
        #expect(try !machine.evidence(secret, for: request).proves(request, secret: secret))
    }

    @Test func anAnswerCountsForItsRequestAndItsChallengeOnly() throws {
        let machine = try TPMMachine()
        let evidence = try machine.evidence(secret)
        #expect(try !evidence.proves(machine.request, secret: .random(count: 32)))
        let keys = machine.request.keys
        // The same keys, asked for once more.
        let later = try TPMMachine.request(
            keys.membership + keys.stream, keys.keysInTPM.dropFirst(2).flatMap(\.point))
        #expect(try !evidence.proves(later, secret: secret))
        let moved = try JoinEvidence(
            request: later.digest, machine: evidence.machine, vault: evidence.vault, parent: evidence.parent,
            privateAreas: evidence.privateAreas, loads: evidence.loads)
        #expect(try !moved.proves(later, secret: secret))
    }

    /// The secret comes out only where both keys of the identity are. So nobody answers in the name of a listed TPM.
    @Test func noOtherTPMOpensAChallenge() throws {
        let (listed, other) = (try TPMMachine(), try TPMMachine())
        func attempt(_ endorsement: TPMMachine, _ attestation: [UInt8], at machine: TPMMachine) throws {
            let identity = try MachineIdentity(
                endorsement: endorsement.identity.endorsement, attestation: attestation)
            let credential = try IdentityCredential(secret, for: identity)
            _ = try machine.sealer.attest(
                machine.keys, to: credential, request: machine.request.digest, record: machine.record)
        }
        #expect(throws: SealerError.self) { try attempt(listed, listed.identity.attestation, at: other) }
        #expect(throws: SealerError.self) { try attempt(listed, other.identity.attestation, at: other) }
        // The listed TPM itself opens it for no key of somebody else's.
        #expect(throws: SealerError.self) { try attempt(listed, other.identity.attestation, at: listed) }
        let software = try P256.PrivateKey.generate().publicKey
        #expect(throws: SealerError.self) { try attempt(listed, software, at: listed) }
        try attempt(listed, listed.identity.attestation, at: listed)
    }

    @Test func nothingIsLeftInTheTPM() throws {
        let machine = try TPMMachine()
        _ = try machine.evidence(secret)
        // Three transient objects and three sessions are all that fit, so what stays is noticed soon.
        for _ in 0..<3 { _ = try machine.evidence(secret) }
        #expect(throws: SealerError.self) {
            try machine.sealer.attest(
                machine.keys, to: IdentityCredential(secret, for: TPMMachine().identity),
                request: machine.request.digest, record: machine.record)
        }
        _ = try machine.evidence(secret)
    }

    @Test func softwareProvesNothing() throws {
        let fixture = try VaultFixture()
        #expect(throws: SealerError.self) { try fixture.sealer.requireAttesting() }
    }
}
