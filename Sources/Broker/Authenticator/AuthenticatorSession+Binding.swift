import Authorization
import BrokerProtocol
import Cryptography
import Varlink
import Vault

/// Binds a vault to its owner's password, moves it to a changed password, or unbinds it (docs/binding.md).
extension AuthenticatorSession {
    /// Seals another unlock root to replace the one that a signature has released. The new root is not in use yet.
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

    /// The registry names the other unlock root. The vault is now open with that root, and the challenge goes on.
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

    /// The event that the access log gets for a challenge that neither opens a vault nor reads a secret.
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

    /// Decodes the PIN (32 bytes) that the authenticator derived from a bound vault's password.
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
