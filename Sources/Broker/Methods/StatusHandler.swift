import Authorization
import BrokerProtocol
import RootConfiguration
import Varlink
import Vault

/// `Status`: the state of the vault, the sealer and the locks. It answers even if the TPM does not.
enum StatusHandler: MethodHandler {
    static func answer(_ method: Keychain.Status, _ request: Request) async throws(Fault) -> MethodAnswer {
        let core = request.core
        core.maker.ask()
        let maker = core.maker.known
        let recovery =
            request.admission.standing == .own
            ? try await request.vaultActor.recovery.state(in: request.vaultActor) : nil
        return .reply(
            Keychain.Status.Reply(
                vault: try await request.vaultActor.state(),
                sealer: Keychain.Sealer(
                    kind: core.sealer.kind.rawValue, manufacturer: maker?.manufacturer, model: maker?.model,
                    identity: core.diagnoses.identity?.rawValue),
                version: ProductVersion.current, sandbox: core.configuration.sandbox, locks: core.locks.lines,
                lockedBy: core.locks.causes,
                warnings: core.warnings + core.locks.warnings, recovery: recovery,
                history: try await request.vaultActor.history(),
                leases: core.leases.list(of: request.caller.uid, from: request.vaultActor.owner).map(\.state)))
    }
}
