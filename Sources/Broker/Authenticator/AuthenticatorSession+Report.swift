import Authorization
import BrokerProtocol
import Platform
import Varlink

extension AuthenticatorSession {
    /// Makes a challenge for a reported login, to unlock the user's vault. The challenge is valid over this
    /// connection only. The vault still opens only with the signature.
    func report(_ method: BrokerInterface.Report) async throws(Fault) -> MethodAnswer {
        guard let uid = UInt32(exactly: method.uid), uid != PeerCredentials.unknownUser, uid != .max else {
            throw Fault(.brokerInvalidArgument, "this number names no user")
        }
        let vaultActor = core.vaultStore.vaultActor(of: .user(uid))
        do throws(Fault) {
            let condition = try await vaultActor.condition()
            guard condition != .none else { return Self.nothingToOpen(nil) }
            let vault = try await vaultActor.vaultID()
            guard condition != .unlocked else { return Self.nothingToOpen(vault) }
            let challenge = try core.challenges.report(of: uid, by: caller, vault: vault)
            // The challenge exists before logind is asked, so that a lock from now on drops it.
            do throws(Fault) {
                if !method.unlocksScreens { try LockedScreenPrecondition.check(await core.locks.screen(of: uid)) }
            } catch {
                core.challenges.drop(challenge)
                throw error
            }
            return .reply(
                BrokerInterface.Report.Reply(
                    challenge: challenge, vault: vault.hex, authorizations: SignatureChoice.unlock.wire))
        } catch {
            throw error.forAuthenticator
        }
    }

    /// The authenticator has forgotten a user's leases.
    func endLeases(_ method: BrokerInterface.EndLeases) throws(Fault) -> MethodAnswer {
        core.leases.forget(of: method.uid)
        return .reply(Nothing())
    }

    private static func nothingToOpen(_ vault: VaultID?) -> MethodAnswer {
        .reply(BrokerInterface.Report.Reply(challenge: nil, vault: vault?.hex, authorizations: []))
    }
}
