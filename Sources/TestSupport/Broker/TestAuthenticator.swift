import Authorization
import BrokerProtocol
import Cryptography
import Foundation
import Platform

/// Acts as the authenticator on the broker's private socket. It has a signing key of its own, and a person who agrees to everything. Each step can be
/// taken separately.
public final class TestAuthenticator: Sendable {
    public let key: P256.PrivateKey
    public let registry: Registry
    private let path: String

    public init(socket: String, registry: Registry, key: P256.PrivateKey? = nil) throws {
        self.path = socket
        self.registry = registry
        self.key = try key ?? P256.PrivateKey.generate()
    }

    public func connect() throws -> WireClient { try WireClient(path) }

    /// This process, which is the client in most tests.
    public static func thisProcess() throws -> ProcessIdentity {
        try ProcessIdentity(observing: ProcessInfo.processInfo.processIdentifier)
    }

    public static func describe(
        _ challenge: String, uid: UInt32, _ process: ProcessIdentity, program: String? = nil
    ) -> BrokerInterface.Describe {
        BrokerInterface.Describe(
            challenge: challenge, uid: Int64(uid), pid: Int64(process.pid),
            startTime: Int64(clamping: process.startTime), program: program)
    }

    /// Holds a complete conversation that succeeds.
    /// - Parameter alternative: which of the challenge's alternatives to sign.
    public func grant(
        _ challenge: String, alternative: Int = 0, uid: UInt32 = OwnProcess.effectiveUser,
        process: ProcessIdentity? = nil,
        program: String? = nil
    ) async throws {
        let line = try connect()
        let facts = try await line.call(
            Self.describe(challenge, uid: uid, process ?? Self.thisProcess(), program: program))
        var authorizations = facts.authorizations
        var way = facts.alternatives[alternative].map(Int.init)
        if facts.vault == nil {
            authorizations = try await create(challenge, line)
            way = Array(authorizations.indices)
        }
        // Their answer is the person's word alone.
        if facts.purposes == [.accept] || facts.purposes == [.joinCircle] {
            _ = try await line.call(BrokerInterface.ConfirmAcceptance(challenge: challenge))
        }
        let owner = Owner(text: facts.owner) ?? .user(uid)
        for index in way {
            try await sign(challenge, index, authorizations[index], owner: owner, line)
        }
        await line.close()
    }

    /// Holds a conversation for the purpose `enrolment`, which asks nobody.
    /// - Parameters:
    ///   - set: the digest of the enrolled fingers; nil if the item is not bound to a set of fingers.
    ///   - registers: whether the registry gets the key; false if the machine stops before that.
    public func enrol(_ challenge: String, set: [UInt8]?, registers: Bool = true) async throws {
        let uid = OwnProcess.effectiveUser
        let line = try connect()
        _ = try await line.call(Self.describe(challenge, uid: uid, Self.thisProcess()))
        if let set {
            let reply = try await line.call(
                BrokerInterface.ProvideKey(
                    challenge: challenge, kind: AuthorizationKind.biometryCurrentSet.rawValue,
                    setDigest: Data(set).base64EncodedString()))
            if registers, let old = try registry.record(for: .user(uid)) {
                let name = [UInt8](Data(base64Encoded: reply.name) ?? Data())
                try registry.replace(old, with: old.with(biometrySet: set, key: name))
            }
        }
        guard registers else { return await line.close() }
        _ = try await line.call(BrokerInterface.ConfirmEnrolment(challenge: challenge))
        await line.close()
    }

    /// Creates a vault: Provision, registry, AdoptVault.
    public func create(_ challenge: String, _ line: WireClient) async throws -> [BrokerInterface.Authorization] {
        let record = try await provision(challenge, line)
        try registry.write(record)
        return try await line.call(BrokerInterface.AdoptVault(challenge: challenge)).authorizations
    }

    public func provision(_ challenge: String, _ line: WireClient) async throws -> RegistryRecord {
        let point = Data(key.publicKey).base64EncodedString()
        return try await line.call(
            BrokerInterface.Provision<RegistryRecord>(challenge: challenge, authenticatorKey: point)
        ).record
    }

    /// Signs for one authorization: Prepare, signature, Complete.
    public func sign(
        _ challenge: String, _ index: Int, _ authorization: BrokerInterface.Authorization, owner: Owner,
        _ line: WireClient
    ) async throws {
        let question = try await line.call(BrokerInterface.Prepare(challenge: challenge, authorization: Int64(index)))
        let signature = try signature(for: question, kind: authorization.kind, owner: owner)
        _ = try await line.call(
            BrokerInterface.Complete(challenge: challenge, authorization: Int64(index), signature: signature))
    }

    /// The signature as Base64 of r ‖ s.
    public func signature(for question: BrokerInterface.Prepare.Reply, kind: String, owner: Owner) throws -> String {
        struct Nonsense: Error {}
        guard let kind = AuthorizationKind(rawValue: kind), let record = try registry.record(for: owner),
            let nonce = Data(base64Encoded: question.nonce), let hash = Data(base64Encoded: question.parameterHash),
            let request = SigningRequest(
                nonce: Array(nonce), parameterHash: Array(hash), reference: record.policyReference(for: kind))
        else { throw Nonsense() }
        return Data(try key.signature(for: request.message())).base64EncodedString()
    }
}
