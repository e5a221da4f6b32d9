import Authorization
import BrokerProtocol
import Varlink
import Vault

/// Ties a vault to the boot, or releases it (docs/boot.md).
extension AuthenticatorSession {
    /// Seals again the roots that signatures have released. The new objects are not in use yet.
    func resealForBoot(_ method: BrokerInterface.ResealForBoot) async throws(Fault) -> MethodAnswer {
        let challenge = try challenge(method.challenge)
        do throws(Fault) {
            guard challenge.changesBoot, challenge.resealed == nil, let root = challenge.heldRoot,
                let recovery = challenge.agreements[.recovery]
            else {
                throw Fault(.brokerNotPermitted, "This challenge neither ties a vault to the boot nor releases one.")
            }
            let vaultActor = core.vaultStore.vaultActor(of: challenge.owner)
            let (next, sealed) = try await vaultActor.resealForBoot(for: challenge, root: root, recovery: recovery)
            guard let name = sealed.names[.unlockRoot] else { throw Self.refusal }
            do throws(ChallengeRefusal) {
                try core.challenges.hold(next, sealedAs: name, for: challenge.id, connection: caller.connection)
            } catch { throw Self.refusal }
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
        } catch {
            core.challenges.drop(challenge.id)
            throw error.forAuthenticator
        }
    }
}
