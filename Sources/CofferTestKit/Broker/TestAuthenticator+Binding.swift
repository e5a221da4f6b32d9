import Authorization
import BrokerProtocol
import Foundation
import Platform

/// Conversations about a vault that is bound to a password, or is to be.
extension TestAuthenticator {
    /// The step after which the machine stops.
    public enum Stop: Sendable { case afterReseal, afterRegistry }

    /// Signs for the unlock root. For a bound vault it sends the PIN that was derived from the password.
    public func release(
        _ challenge: String, pin: [UInt8]?, reseals: Bool, index: Int = 0, over line: WireClient
    ) async throws {
        let question = try await line.call(BrokerInterface.Prepare(challenge: challenge, authorization: Int64(index)))
        let signature = try signature(
            for: question, kind: "unlock", owner: .user(ProcessSurroundings.effectiveUser))
        _ = try await line.call(
            BrokerInterface.Complete(
                challenge: challenge, authorization: Int64(index), signature: signature,
                pin: pin.map { Data($0).base64EncodedString() }, reseals: reseals ? true : nil))
    }

    public func described(_ challenge: String) async throws -> WireClient {
        let line = try connect()
        let describe = Self.describe(challenge, uid: ProcessSurroundings.effectiveUser, try Self.thisProcess())
        _ = try await line.call(describe)
        return line
    }

    /// Puts the vault under a new root, after the present root was released.
    public func reseal(_ challenge: String, to pin: [UInt8]?, stop: Stop? = nil, over line: WireClient) async throws {
        let reply = try await line.call(
            BrokerInterface.Reseal(challenge: challenge, pin: pin.map { Data($0).base64EncodedString() }))
        if stop == .afterReseal { return }
        struct Nonsense: Error {}
        guard let old = try registry.record(for: .user(ProcessSurroundings.effectiveUser)),
            let name = Data(base64Encoded: reply.name)
        else { throw Nonsense() }
        let binding = reply.index.flatMap { index in
            IndexPin(
                handle: UInt32(truncatingIfNeeded: index.handle),
                policy: [UInt8](Data(base64Encoded: index.policy) ?? Data()))
        }.flatMap { BindingPin(index: $0, salt: [UInt8](repeating: 1, count: BindingPin.saltCount)) }
        try registry.replace(old, with: old.with(binding: binding, unlockRoot: [UInt8](name)))
        if stop == .afterRegistry { return }
        _ = try await line.call(BrokerInterface.AdoptRoots(challenge: challenge))
    }
}
