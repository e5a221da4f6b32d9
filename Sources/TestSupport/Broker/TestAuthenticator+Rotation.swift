import Authorization
import BrokerProtocol
import Foundation
import Platform

/// A conversation that renews all keys of a vault step by step.
extension TestAuthenticator {
    /// The step after which the machine, or the authenticator, stops.
    public enum RotationStop: Int, Sendable, CaseIterable, Comparable {
        case describe, unlock, renew, firstItem, items, succeed, proof, registry

        public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
    }

    /// The step of telling a circle after which the machine, or the authenticator, stops.
    public enum SuccessionStop: Sendable, CaseIterable {
        case proofPrepared, proof, statementPrepared, statement
    }

    private struct Nonsense: Error {}

    /// - Parameters:
    ///   - stop: the step to stop after; nil for the complete conversation.
    ///   - succession: the step of telling a circle to stop after.
    ///   - pin: the PIN of a bound vault, both now and afterwards.
    ///   - saltByte: what the salt of that PIN has, afterwards. The broker takes another one for one of another password.
    ///   - before: called before each step, to do something at the same time.
    /// - Returns: the connection, which a stopped authenticator still holds, and whether the registry names another vault.
    public func rotate(
        _ challenge: String, stop: RotationStop? = nil, succession: SuccessionStop? = nil, pin: [UInt8]? = nil,
        saltByte: UInt8 = 2, uid: UInt32 = OwnProcess.effectiveUser, owner: Owner? = nil,
        before: (RotationStop?) async throws -> Void = { _ in }
    ) async throws -> (line: WireClient, isDone: Bool) {
        let owner = owner ?? .user(uid)
        let line = try connect()
        guard let record = try registry.record(for: owner) else { throw Nonsense() }
        try await before(.describe)
        let facts = try await line.call(Self.describe(challenge, uid: uid, try Self.thisProcess()))
        if stop == .describe { return (line, false) }
        try await before(.unlock)
        try await sign(challenge, 0, "unlock", by: record, pin: pin, line)
        if stop == .unlock { return (line, false) }
        try await before(.renew)
        let text = pin.map { Data($0).base64EncodedString() }
        let salt = [UInt8](repeating: saltByte, count: BindingPin.saltCount)
        _ = try await line.call(
            BrokerInterface.Renew(
                challenge: challenge, authenticatorKey: Data(key.publicKey).base64EncodedString(), pin: text,
                salt: pin == nil ? nil : Data(salt).base64EncodedString()))
        if stop == .renew { return (line, false) }
        if facts.circle != nil, try await tell(challenge, record, stop: succession, line) { return (line, false) }
        for index in facts.alternatives[0].map(Int.init) where index > 0 {
            try await before(index == 1 ? .firstItem : .items)
            try await sign(challenge, index, facts.authorizations[index].kind, by: record, line)
            if stop == .firstItem { return (line, false) }
        }
        if stop == .items { return (line, false) }
        try await before(.succeed)
        let reply = try await line.call(BrokerInterface.Succeed<RegistryRecord>(challenge: challenge))
        guard let next = reply.record, stop != .succeed else { return (line, false) }
        try await before(.proof)
        try await sign(challenge, 0, "unlock", by: next, pin: pin, line)
        if stop == .proof { return (line, false) }
        try await before(.registry)
        try registry.succeed(record, with: next)
        if stop == .registry { return (line, true) }
        try await before(nil)
        _ = try await line.call(BrokerInterface.AdoptSuccessor(challenge: challenge))
        return (line, true)
    }

    /// Signs what a circle is told, as the real authenticator does once it has checked it.
    ///
    /// - Returns: whether it has stopped.
    private func tell(
        _ challenge: String, _ record: RegistryRecord, stop: SuccessionStop?, _ line: WireClient
    ) async throws -> Bool {
        while true {
            let reply = try await line.call(BrokerInterface.PrepareSuccession<RegistryRecord>(challenge: challenge))
            guard let signing = reply.signing, let next = reply.record else { return false }
            let isProof = signing.statement == nil
            if stop == (isProof ? .proofPrepared : .statementPrepared) { return true }
            let signature = try signature(
                nonce: signing.nonce, hash: signing.parameterHash, .circle, by: isProof ? next : record)
            _ = try await line.call(
                BrokerInterface.CompleteSuccession(challenge: challenge, signature: signature))
            if stop == (isProof ? .proof : .statement) { return true }
        }
    }

    private func signature(
        nonce: String, hash: String, _ kind: AuthorizationKind, by record: RegistryRecord
    ) throws -> String {
        guard let nonce = Data(base64Encoded: nonce), let hash = Data(base64Encoded: hash),
            let request = SigningRequest(
                nonce: Array(nonce), parameterHash: Array(hash), reference: record.policyReference(for: kind))
        else { throw Nonsense() }
        return Data(try key.signature(for: request.message())).base64EncodedString()
    }

    private func sign(
        _ challenge: String, _ index: Int, _ kind: String, by record: RegistryRecord, pin: [UInt8]? = nil,
        _ line: WireClient
    ) async throws {
        let question = try await line.call(BrokerInterface.Prepare(challenge: challenge, authorization: Int64(index)))
        guard let kind = AuthorizationKind(rawValue: kind) else { throw Nonsense() }
        let signature = try signature(nonce: question.nonce, hash: question.parameterHash, kind, by: record)
        _ = try await line.call(
            BrokerInterface.Complete(
                challenge: challenge, authorization: Int64(index), signature: signature,
                pin: pin.map { Data($0).base64EncodedString() }))
    }
}
