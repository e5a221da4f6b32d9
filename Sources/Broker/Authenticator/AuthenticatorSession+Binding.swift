import Authorization
import BrokerProtocol
import Cryptography
import Varlink
import Vault

/// Binding a vault to its owner's password, to a changed one, or to none (docs/binding.md).
extension AuthenticatorSession {
    /// Seals another unlock root in the place of the one that a signature has released, not yet in use.
    func reseal(_ method: BrokerInterface.Reseal) async throws(Fault) -> MethodAnswer {
        let challenge = try challenge(method.challenge)
        do throws(Fault) {
            let pin = try Self.pin(method.pin)
            guard let root = challenge.heldRoot, challenge.resealed == nil, !challenge.changesBoot,
                (pin == nil) == (challenge.purposes == [.unbind])
            else { throw Fault(.brokerNotPermitted, "This challenge neither binds a vault nor unbinds one.") }
            let vaultActor = core.vaultStore.vaultActor(of: challenge.owner)
            let (next, sealed) = try await vaultActor.reseal(for: challenge, root: root, pin: pin)
            do throws(ChallengeRefusal) {
                try core.challenges.hold(next, sealedAs: sealed.name, for: challenge.id, connection: caller.connection)
            } catch { throw Self.refusal }
            return .reply(
                BrokerInterface.Reseal.Reply(
                    name: Base64.encode(sealed.name),
                    index: sealed.index.map {
                        BrokerInterface.PINIndex(handle: Int64($0.handle), policy: Base64.encode($0.policy))
                    }))
        } catch {
            core.challenges.drop(challenge.id)
            throw error.forAuthenticator
        }
    }

    /// The registry names the other unlock root: the vault is open with it, and the challenge goes on.
    func adoptBinding(_ method: BrokerInterface.Adopt) async throws(Fault) -> MethodAnswer {
        let challenge = try challenge(method.challenge)
        do throws(Fault) {
            guard let root = challenge.heldRoot, let name = challenge.resealed,
                let index = challenge.choice.authorizations.firstIndex(where: { $0.role == .unlockRoot })
            else { throw Self.refusal }
            let vaultActor = core.vaultStore.vaultActor(of: challenge.owner)
            let lost = try await vaultActor.adoptBinding(for: challenge.id, root: root, name: name)
            let event = Self.event(of: challenge) ?? .bind
            let detail: String? =
                switch challenge.purposes {
                case [.bind], [.tieToBoot], [.releaseFromBoot]: nil
                case [.unbind]: lost == 0 ? nil : "\(lost) of class passcode-set destroyed"
                default: "to the changed password"
                }
            await vaultActor.note(AccessRecord(event, by: LoggedProgram.of(challenge), detail: detail), .anchored)
            if case .user(let uid) = challenge.owner { core.locks.idle.unlocked(uid) }
            do throws(ChallengeRefusal) {
                try core.challenges.finish(challenge.id, index, connection: caller.connection, agreement: nil)
            } catch { throw Self.refusal }
            return .reply(BrokerInterface.Adopt.Reply(authorizations: []))
        } catch {
            core.challenges.drop(challenge.id)
            throw error.forAuthenticator
        }
    }

    /// What the log says of a challenge whose end is neither an open vault nor a value.
    static func event(of challenge: Challenge) -> AccessRecord.Event? {
        switch challenge.purposes {
        case [.bind]: .bind
        case [.unbind]: .unbind
        case [.tieToBoot]: .tie
        case [.releaseFromBoot]: .release
        case [.approveBoot]: .approve
        default: nil
        }
    }

    /// What a bound vault's password was made into.
    static func pin(_ text: String?) throws(Fault) -> SecretBytes? {
        guard let text else { return nil }
        let pin: SecretBytes?
        do throws(CryptographyError) { pin = try SecretBytes(base64Encoded: text) } catch {
            throw Fault(.brokerFailed, "There is no memory for a PIN: \(error.reason).")
        }
        guard let pin, pin.count == 32 else { throw Fault(.brokerInvalidArgument, "A PIN has 32 bytes.") }
        return pin
    }
}
