import Authorization
import BrokerProtocol
import Varlink
import Vault

/// Ties a vault to the boot, or releases it (docs/boot.md).
extension AuthenticatorSession {
    /// Seals again the roots that signatures have released. The new objects are not in use yet.
    func resealForBoot(_ method: BrokerInterface.ResealForBoot) async throws(Fault) -> MethodAnswer {
        try await conduct(.resealForBoot, method.challenge) { (challenge) throws(Fault) in
            let conversation = try step { (_, connection) throws(ChallengeRefusal) in
                try challenge.life.conversation(over: connection)
            }
            guard case .released(let root) = conversation.root, let recovery = conversation.agreements[.recovery] else {
                throw Fault(.brokerNotPermitted, PrivateCall.resealForBoot.objection)
            }
            let vaultActor = core.vaultStore.vaultActor(of: challenge.owner)
            let (next, sealed) = try await vaultActor.roots.resealForBoot(
                in: vaultActor, for: challenge, root: root, recovery: recovery)
            guard let name = sealed.names[.unlockRoot] else { throw Self.refusal }
            try step { (challenges, connection) throws(ChallengeRefusal) in
                try challenges.replace(by: next, sealedAs: name, for: challenge.id, connection: connection)
            }
            let names = sealed.names.map { (String($0.key.rawValue), Base64.encode($0.value)) }
            return .reply(
                BrokerInterface.ResealForBoot.Reply(
                    names: Dictionary(uniqueKeysWithValues: names),
                    boot: sealed.boot.map { boot in
                        BrokerInterface.Tie(
                            index: BrokerInterface.PINIndex(
                                handle: Int64(boot.index.handle), policy: Base64.encode(boot.index.policy)),
                            registers: boot.registers.map { Int64($0) })
                    }))
        }
    }
}
