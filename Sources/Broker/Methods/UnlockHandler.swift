import Authorization
import BrokerProtocol
import Varlink
import Vault

/// `Unlock`: asks for a person, unless the vault is already open and bound as the call wants it. The signature, not
/// this call, opens and binds the vault.
enum UnlockHandler: MethodHandler {
    static func answer(_ method: Keychain.Unlock, _ request: Request) async throws(Fault) -> MethodAnswer {
        let granted = try request.redeem(method.challenge)
        try request.requireOwnOpen()
        let state = try await request.vaultActor.state()
        // Before anybody is asked. A read still opens the vault, so that nothing is lost.
        try await request.vaultActor.checkFile()
        let isBound = state.bound ?? false
        if let bind = method.bind, bind != isBound {
            try await BindingPrecondition.check(request.vaultActor.record())
            // The challenge was granted for this, but the registry was changed again meanwhile.
            switch granted?.request.kind {
            case .bind where bind, .unbind where !bind: throw Faults.challengeRefused
            default: break
            }
            let vault = try await request.vaultActor.vaultID()
            throw try request.ask(for: .vault(bind ? .bind : .unbind), vault: vault)
        }
        if state.state == .unlocked { return .reply(Keychain.VaultReply(vault: state)) }
        // The vault was opened for this call, but somebody locked it again meanwhile.
        if granted != nil { throw Faults.locked }
        let record = try await request.vaultActor.record()
        // Before anybody is asked, because the answer would be in vain.
        guard !request.admission.asksNobody(for: record) else { throw Faults.locked }
        throw try request.ask(for: .vault(.unlock), vault: record.vault)
    }

    static func logged(_ method: Keychain.Unlock) -> LoggedCall? {
        LoggedCall(event: .unlock)
    }
}
