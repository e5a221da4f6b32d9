import Authorization
import BrokerProtocol
import Foundation
import Platform

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
        let owner = Owner.user(ProcessSurroundings.effectiveUser)
        try await sign(challenge, 1, BrokerInterface.Authorization(kind: "recovery"), owner: owner, line)
        try await release(challenge, pin: pin, reseals: true, over: line)
    }

    private func register(_ reply: BrokerInterface.ResealForBoot.Reply) throws {
        struct Nonsense: Error {}
        guard let old = try registry.record(for: .user(ProcessSurroundings.effectiveUser)) else { throw Nonsense() }
        var names: [ObjectRole: [UInt8]] = [:]
        for (key, value) in reply.names {
            guard let role = UInt16(key).flatMap(ObjectRole.init), let name = Data(base64Encoded: value) else {
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
