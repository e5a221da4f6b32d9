import Authorization
import Cryptography
import TestSupport
import Testing
import Vault

@testable import Broker

/// A device's signing keys through the one thread that uses the sealer.
@Suite(.timeLimit(.minutes(5))) struct CircleSigningTests {
    @Test func bothKeysSignInTheirTurn() async throws {
        let folder = try TemporaryFolder()
        defer { withExtendedLifetime(folder) {} }
        let sealer = SoftwareSealer(directory: folder.path)
        let service = SealerService(sealer, patience: patience)
        let authenticator = try P256.PrivateKey.generate()
        let (vault, owner) = (try VaultID.random(), Owner.user(1000))
        let made = try await service.makeKeys(
            vault: vault, owner: owner, authenticatorKey: authenticator.publicKey, within: patience)
        let record = RegistryRecord(
            vault: vault, owner: owner, ownerName: "tester", created: 1, sealer: .software,
            authenticatorKey: authenticator.publicKey, storageKey: nil, objects: made.names)
        let (stream, membership) = (try SecretBytes.random(count: 32), try SecretBytes.random(count: 32))
        let keys = try await service.makeSigningKeys(
            streamPassword: stream, membershipPassword: membership, record: record)
        let message = Array("a head".utf8)
        let digest = try SHA256.digest(message)
        let head = try await service.sign(
            digest, with: keys.stream, point: keys.streamPoint, password: stream, record: record)
        #expect(try P256.isValid(signature: head, for: message, publicKey: keys.streamPoint))
        await #expect(throws: SealerError.self) {
            try await service.sign(
                digest, with: keys.stream, point: keys.streamPoint, password: membership, record: record)
        }
        let exchange = try await service.begin(
            .sign(keys.membership, point: keys.membershipPoint, digest: digest, password: membership),
            with: SealingMaterial(objects: [:], record: record), waiting: patience)
        let signing = try StatementSigning(record: record, membershipPoint: keys.membershipPoint)
        #expect(try exchange.request.parameterHash == signing.parameterHash(ofDigest: digest))
        let signed = try #require(
            try await exchange.finish(
                signature: authenticator.signature(for: exchange.request.message()), pin: nil))
        let bytes = signed.withBytes { span in span.indices.map { span[$0] } }
        #expect(try P256.isValid(signature: bytes, for: message, publicKey: keys.membershipPoint))
    }
}
