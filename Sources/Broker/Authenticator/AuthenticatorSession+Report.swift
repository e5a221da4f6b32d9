import Authorization
import BrokerProtocol
import Platform
import Varlink

extension AuthenticatorSession {
    /// A login was reported: a challenge of the authenticator's own for unlocking the user's vault, good over this connection only. What opens the
    /// vault is still the signature.
    func report(_ method: BrokerInterface.Report) async throws(Fault) -> MethodAnswer {
        guard let uid = UInt32(exactly: method.uid), uid != PeerCredentials.unknownUser, uid != .max else {
            throw Fault(.brokerInvalidArgument, "This number names no user.")
        }
        let vaultActor = core.vaultStore.vaultActor(of: .user(uid))
        do throws(Fault) {
            let condition = try await vaultActor.condition()
            guard condition != .none else { return Self.nothingToOpen(nil) }
            let vault = try await vaultActor.vaultID()
            guard condition != .unlocked else { return Self.nothingToOpen(vault) }
            let challenge = try core.challenges.report(of: uid, by: caller, vault: vault)
            // Asked with the challenge made: a lock from now on takes it away.
            if !method.unlocksScreens, let refusal = Self.refusal(await core.locks.screen(of: uid)) {
                core.challenges.drop(challenge)
                throw refusal
            }
            return .reply(
                BrokerInterface.Report.Reply(
                    challenge: challenge, vault: vault.hex, authorizations: SignatureChoice.unlock.wire))
        } catch {
            throw error.forAuthenticator
        }
    }

    /// Who comes in elsewhere does not open what the owner of the screen has locked.
    private static func refusal(_ screen: LockedScreens.Answer) -> Fault? {
        switch screen {
        case .open: nil
        case .locked:
            Fault(.notPermitted, "A graphical session of this user is locked; unlock it, or run: coffer unlock")
        case .unknown:
            Fault(.notPermitted, "logind cannot be asked whether a session of this user is locked; run: coffer unlock")
        }
    }

    private static func nothingToOpen(_ vault: VaultID?) -> MethodAnswer {
        .reply(BrokerInterface.Report.Reply(challenge: nil, vault: vault?.hex, authorizations: []))
    }
}
