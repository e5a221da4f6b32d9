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
            for: question, kind: "unlock", owner: .user(OwnProcess.effectiveUser))
        _ = try await line.call(
            BrokerInterface.Complete(
                challenge: challenge, authorization: Int64(index), signature: signature,
                pin: pin.map { Data($0).base64EncodedString() }, reseals: reseals ? true : nil))
    }

    public func described(_ challenge: String) async throws -> WireClient {
        let line = try connect()
        let describe = Self.describe(challenge, uid: OwnProcess.effectiveUser, try Self.thisProcess())
        _ = try await line.call(describe)
        return line
    }

    /// Puts the vault under a new root, after the present root was released.
    public func reseal(_ challenge: String, to pin: [UInt8]?, stop: Stop? = nil, over line: WireClient) async throws {
        let reply = try await line.call(
            BrokerInterface.Reseal(challenge: challenge, pin: pin.map { Data($0).base64EncodedString() }))
        if stop == .afterReseal { return }
        struct Nonsense: Error {}
        guard let old = try registry.record(for: .user(OwnProcess.effectiveUser)),
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

/// Conversations about a vault that is to be tied to the boot, or released from it.
extension TestAuthenticator {
    public func tie(_ challenge: String, pin: [UInt8]? = nil, stop: Stop? = nil) async throws {
        let line = try await described(challenge)
        try await releaseRoots(challenge, pin: pin, over: line)
        let reply = try await line.call(BrokerInterface.ResealForBoot(challenge: challenge))
        if stop != .afterReseal {
            try register(reply)
            if stop == nil { _ = try await line.call(BrokerInterface.AdoptRoots(challenge: challenge)) }
        }
        await line.close()
    }

    /// Makes the signatures for both roots.
    public func releaseRoots(_ challenge: String, pin: [UInt8]? = nil, over line: WireClient) async throws {
        let owner = Owner.user(OwnProcess.effectiveUser)
        try await sign(challenge, 1, BrokerInterface.Authorization(kind: "recovery"), owner: owner, line)
        try await release(challenge, pin: pin, reseals: true, over: line)
    }

    private func register(_ reply: BrokerInterface.ResealForBoot.Reply) throws {
        struct Nonsense: Error {}
        guard let old = try registry.record(for: .user(OwnProcess.effectiveUser)) else { throw Nonsense() }
        var names: [ObjectRole: [UInt8]] = [:]
        for (key, value) in reply.names {
            guard let role = UInt16(key).flatMap(ObjectRole.init(ofVault:)), let name = Data(base64Encoded: value)
            else {
                throw Nonsense()
            }
            names[role] = [UInt8](name)
        }
        let boot = reply.boot.flatMap { tie in
            IndexPin(
                handle: UInt32(truncatingIfNeeded: tie.index.handle),
                policy: [UInt8](Data(base64Encoded: tie.index.policy) ?? Data())
            ).flatMap { BootPin(index: $0, registers: tie.registers.map { Int(clamping: $0) }) }
        }
        try registry.replace(old, with: old.with(boot: boot, names: names))
    }
}
