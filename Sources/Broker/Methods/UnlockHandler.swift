import Authorization
import BrokerProtocol
import Varlink
import Vault

/// `Unlock`: asks for a person unless the vault is open as it is to be. The signature, not this call, is what opens it, and binds it.
enum UnlockHandler: MethodHandler {
    static func answer(_ method: Keychain.Unlock, _ request: Request) async throws(Fault) -> MethodAnswer {
        let granted = try request.redeem(method.challenge)
        try request.requireOwnOpen()
        let state = try await request.vaultActor.state()
        let isBound = state.bound ?? false
        if let bind = method.bind, bind != isBound {
            try await BindingRule.check(request.vaultActor.record())
            // It was bound for this call and is not: the registry was changed meanwhile.
            if let granted, granted.purposes == [bind ? .bind : .unbind] { throw Faults.challengeRefused }
            let vault = try await request.vaultActor.vaultID()
            throw try request.ask(for: [bind ? .bind : .unbind], vault: vault, choice: .unlock)
        }
        if state.state == .unlocked { return .reply(Keychain.VaultReply(vault: state)) }
        // It was opened for this call and is locked again: somebody locked it meanwhile.
        if granted != nil { throw Faults.locked }
        let vault = try await request.vaultActor.vaultID()
        throw try request.ask(for: [.unlock], vault: vault, choice: .unlock)
    }

    static func logged(_ method: Keychain.Unlock) -> LoggedCall? {
        LoggedCall(event: .unlock)
    }
}
