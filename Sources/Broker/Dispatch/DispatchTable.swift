import BrokerProtocol
import Vault

/// Every method that clients can call, and what it is allowed to do in each condition of the caller's vault. What is not in this table does not exist.
struct DispatchTable: Sendable {
    struct Entry: Sendable {
        let none: Permission
        let sealed: Permission
        let locked: Permission
        let unlocked: Permission
        /// Whether the call puts off the lock for want of use: looking at names and states does not.
        let isUse: Bool
        /// Whether the call is answered for a damaged vault, too: it looks at the damage.
        let looksAtDamage: Bool
        /// Whether the call is let in without waiting for what the vault is busy with.
        let waitsForNobody: Bool
        /// Reads the parameters, which must be right in every condition, and gives what is to be run.
        let prepare: @Sendable (IncomingCall) throws(Fault) -> @Sendable (Request) async throws(Fault) -> MethodAnswer

        init<Handler: MethodHandler>(
            _: Handler.Type, none: Permission, sealed: Permission, locked: Permission, unlocked: Permission,
            isUse: Bool = false, looksAtDamage: Bool = false, waitsForNobody: Bool = false
        ) {
            self.waitsForNobody = waitsForNobody
            self.isUse = isUse
            self.looksAtDamage = looksAtDamage
            self.none = none
            self.sealed = sealed
            self.locked = locked
            self.unlocked = unlocked
            self.prepare = { (call) throws(Fault) in
                let method = try call.parameters(of: Handler.Method.self)
                return { (request) async throws(Fault) in
                    do throws(Fault) { return try await Handler.answer(method, request) } catch {
                        if let record = Handler.logged(method)?.record(of: error, by: request) {
                            await request.vaultActor.noteRefusal(record, .written)
                        }
                        throw error
                    }
                }
            }
        }

        func permission(in condition: VaultCondition) -> Permission {
            switch condition {
            case .none: none
            case .sealed: sealed
            case .locked: locked
            case .unlocked: unlocked
            }
        }
    }

    static let entries: [String: Entry] = [
        // Writing takes public halves only: it is allowed whatever is locked.
        Keychain.Set.name: Entry(
            SetHandler.self, none: .creation, sealed: .allowed, locked: .allowed, unlocked: .allowed, isUse: true),
        Keychain.Delete.name: Entry(
            DeleteHandler.self, none: .absent, sealed: .allowed, locked: .allowed, unlocked: .allowed, isUse: true),
        Keychain.Rename.name: Entry(
            RenameHandler.self, none: .absent, sealed: .allowed, locked: .allowed, unlocked: .allowed, isUse: true),
        Keychain.Withdraw.name: Entry(
            WithdrawHandler.self, none: .allowed, sealed: .allowed, locked: .allowed, unlocked: .allowed),
        // Whether these may give out a value is for the item's rules to say.
        Keychain.Get.name: Entry(
            GetHandler.self, none: .absent, sealed: .allowed, locked: .allowed, unlocked: .allowed, isUse: true),
        Keychain.Edit.name: Entry(
            EditHandler.self, none: .absent, sealed: .allowed, locked: .allowed, unlocked: .allowed, isUse: true),
        Keychain.Rotate.name: Entry(
            RotateHandler.self, none: .absent, sealed: .allowed, locked: .allowed, unlocked: .allowed, isUse: true),
        Keychain.RotateAll.name: Entry(
            RotateAllHandler.self, none: .absent, sealed: .allowed, locked: .allowed, unlocked: .allowed, isUse: true),
        // Names are under the device root: they answer while locked.
        Keychain.Exists.name: Entry(
            ExistsHandler.self, none: .allowed, sealed: .allowed, locked: .allowed, unlocked: .allowed),
        Keychain.Show.name: Entry(
            ShowHandler.self, none: .absent, sealed: .allowed, locked: .allowed, unlocked: .allowed),
        Keychain.List.name: Entry(
            ListHandler.self, none: .allowed, sealed: .allowed, locked: .allowed, unlocked: .allowed),
        Keychain.Search.name: Entry(
            SearchHandler.self, none: .allowed, sealed: .allowed, locked: .allowed, unlocked: .allowed),
        Keychain.Lock.name: Entry(
            LockHandler.self, none: .allowed, sealed: .allowed, locked: .allowed, unlocked: .allowed,
            waitsForNobody: true),
        Keychain.Unlock.name: Entry(
            UnlockHandler.self, none: .creation, sealed: .allowed, locked: .allowed, unlocked: .allowed),
        Keychain.CreateVault.name: Entry(
            CreateVaultHandler.self, none: .allowed, sealed: .allowed, locked: .allowed, unlocked: .allowed),
        Keychain.AcceptVault.name: Entry(
            AcceptVaultHandler.self, none: .allowed, sealed: .allowed, locked: .allowed, unlocked: .allowed,
            looksAtDamage: true),
        Keychain.NewRecoveryCode.name: Entry(
            NewRecoveryCodeHandler.self, none: .absent, sealed: .allowed, locked: .allowed, unlocked: .allowed,
            isUse: true),
        Keychain.ConfirmRecoveryCode.name: Entry(
            ConfirmRecoveryCodeHandler.self, none: .absent, sealed: .allowed, locked: .allowed, unlocked: .allowed,
            isUse: true),
        Keychain.Boot.name: Entry(
            BootHandler.self, none: .absent, sealed: .allowed, locked: .allowed, unlocked: .allowed),
        Keychain.TieCoverage.name: Entry(
            TieCoverageHandler.self, none: .absent, sealed: .allowed, locked: .allowed, unlocked: .allowed),
        Keychain.TieToBoot.name: Entry(
            TieToBootHandler.self, none: .absent, sealed: .allowed, locked: .allowed, unlocked: .allowed),
        Keychain.ApproveBoot.name: Entry(
            ApproveBootHandler.self, none: .absent, sealed: .allowed, locked: .allowed, unlocked: .allowed),
        Keychain.Status.name: Entry(
            StatusHandler.self, none: .allowed, sealed: .allowed, locked: .allowed, unlocked: .allowed),
        Keychain.Diagnose.name: Entry(
            DiagnoseHandler.self, none: .allowed, sealed: .allowed, locked: .allowed, unlocked: .allowed,
            looksAtDamage: true),
        Keychain.Log.name: Entry(
            LogHandler.self, none: .allowed, sealed: .allowed, locked: .allowed, unlocked: .allowed),
        Keychain.VerifyLog.name: Entry(
            VerifyLogHandler.self, none: .allowed, sealed: .allowed, locked: .allowed, unlocked: .allowed),
    ]
}
