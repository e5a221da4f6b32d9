import BrokerProtocol
import Varlink
import Vault

/// All methods that clients can call, and the conditions for admitting a call. A method that is not in this table
/// does not exist.
struct KeychainMethods: Sendable {
    struct Entry: Sendable {
        /// The type of the parameters, together with the vault that they are for.
        let method: any VarlinkMethod.Type
        /// What happens if there is no vault. If there is one, locked or not, the handler decides.
        let withoutVault: Permission
        /// Whether the call restarts the idle time of the vault's owner. Reading names and states does not.
        let isUse: Bool
        /// Whether the call is answered for a damaged vault too, because it examines the damage.
        let looksAtDamage: Bool
        /// Whether the call is answered for a vault that was made for another name, because it moves it out of the way.
        let takesAnyName: Bool
        /// Whether the call is admitted without waiting for the vault's other work.
        let waitsForNobody: Bool
        /// Whether the caller must accept several replies.
        let needsMore: Bool
        /// Takes the parameters of this method; nil for those of another.
        let prepare: @Sendable (any VarlinkMethod) -> PreparedCall?

        init<Handler: MethodHandler>(
            _: Handler.Type, withoutVault: Permission, isUse: Bool = false, looksAtDamage: Bool = false,
            takesAnyName: Bool = false, waitsForNobody: Bool = false, needsMore: Bool = false
        ) {
            method = Keychain.InVault<Handler.Method>.self
            self.withoutVault = withoutVault
            self.isUse = isUse
            self.looksAtDamage = looksAtDamage
            self.takesAnyName = takesAnyName
            self.waitsForNobody = waitsForNobody
            self.needsMore = needsMore
            prepare = { parameters in
                guard let call = parameters as? Keychain.InVault<Handler.Method> else { return nil }
                return PreparedCall(
                    method: call.method, vault: call.vault, mayMakeVault: Handler.mayMakeVault(call.method)
                ) { (request) async throws(Fault) in
                    do throws(Fault) { return try await Handler.answer(call.method, request) } catch {
                        request.noteSpentChallenge(error)
                        let refusals = Handler.refusals(of: call.method).compactMap {
                            $0.record(of: error, by: request)
                        }
                        for record in refusals {
                            await request.vaultActor.noteRefusal(record, .written)
                        }
                        throw error
                    }
                }
            }
        }

        func permission(for call: PreparedCall, in condition: VaultCondition) -> Permission {
            guard condition == .none else { return .allowed }
            return withoutVault == .creation && !call.mayMakeVault ? .allowed : withoutVault
        }
    }

    /// A call with valid parameters.
    struct PreparedCall: Sendable {
        let method: any VarlinkMethod
        let vault: Keychain.VaultChoice
        /// Whether the call may make a missing vault, if its method may.
        let mayMakeVault: Bool
        let run: @Sendable (Request) async throws(Fault) -> MethodAnswer
    }

    static let entries: [String: Entry] = {
        let entries = [
            // Writing needs only public keys, so it is allowed while the vault is locked.
            Entry(SetHandler.self, withoutVault: .creation, isUse: true),
            Entry(ApplyHandler.self, withoutVault: .creation, isUse: true),
            Entry(DeleteHandler.self, withoutVault: .absent, isUse: true),
            Entry(RenameHandler.self, withoutVault: .absent, isUse: true),
            Entry(RestoreDeletedHandler.self, withoutVault: .absent, isUse: true),
            Entry(WithdrawHandler.self, withoutVault: .allowed),
            // The item's rules decide whether these may give out the secret.
            Entry(GetHandler.self, withoutVault: .absent, isUse: true),
            Entry(GetAllHandler.self, withoutVault: .absent, isUse: true),
            Entry(LeaseHandler.self, withoutVault: .absent, isUse: true),
            Entry(EndLeasesHandler.self, withoutVault: .allowed),
            Entry(EditHandler.self, withoutVault: .absent, isUse: true),
            Entry(RotateHandler.self, withoutVault: .absent, isUse: true),
            Entry(RotateAllHandler.self, withoutVault: .absent, isUse: true),
            Entry(RestoreHandler.self, withoutVault: .absent, isUse: true),
            // Names are encrypted under the device root, so these answer while the vault is locked.
            Entry(ExistsHandler.self, withoutVault: .allowed),
            Entry(ShowHandler.self, withoutVault: .absent),
            Entry(HistoryHandler.self, withoutVault: .absent),
            Entry(SetHistoryHandler.self, withoutVault: .absent, isUse: true),
            Entry(ListHandler.self, withoutVault: .allowed),
            Entry(SearchHandler.self, withoutVault: .allowed),
            Entry(MonitorHandler.self, withoutVault: .allowed, needsMore: true),
            Entry(LockHandler.self, withoutVault: .allowed, waitsForNobody: true),
            Entry(UnlockHandler.self, withoutVault: .creation),
            Entry(CreateVaultHandler.self, withoutVault: .allowed),
            Entry(AcceptVaultHandler.self, withoutVault: .allowed, looksAtDamage: true),
            Entry(SetAsideVaultHandler.self, withoutVault: .allowed, looksAtDamage: true, takesAnyName: true),
            Entry(NewRecoveryCodeHandler.self, withoutVault: .absent, isUse: true),
            Entry(ConfirmRecoveryCodeHandler.self, withoutVault: .absent, isUse: true),
            Entry(BootHandler.self, withoutVault: .absent),
            Entry(TieCoverageHandler.self, withoutVault: .absent),
            Entry(TieToBootHandler.self, withoutVault: .absent),
            Entry(ApproveBootHandler.self, withoutVault: .absent),
            Entry(StatusHandler.self, withoutVault: .allowed),
            Entry(DiagnoseHandler.self, withoutVault: .allowed, looksAtDamage: true),
            Entry(LogHandler.self, withoutVault: .allowed),
            Entry(VerifyLogHandler.self, withoutVault: .allowed),
            // Sharing. What a courier carries is no use of the vault.
            Entry(FoundHandler.self, withoutVault: .allowed, isUse: true),
            Entry(RequestHandler.self, withoutVault: .allowed, isUse: true),
            Entry(ProveHandler.self, withoutVault: .absent, isUse: true),
            Entry(IdentityHandler.self, withoutVault: .allowed),
            Entry(AddHandler.self, withoutVault: .absent, isUse: true),
            Entry(AddPaperHandler.self, withoutVault: .absent, isUse: true),
            Entry(EnterHandler.self, withoutVault: .absent, isUse: true),
            Entry(RemoveHandler.self, withoutVault: .absent, isUse: true),
            Entry(ForgetHandler.self, withoutVault: .absent, isUse: true),
            Entry(ReleasablesHandler.self, withoutVault: .absent),
            Entry(ReleaseHandler.self, withoutVault: .absent, isUse: true),
            Entry(ResolveHandler.self, withoutVault: .absent, isUse: true),
            Entry(ConflictsHandler.self, withoutVault: .absent),
            Entry(ExposedHandler.self, withoutVault: .absent),
            Entry(LookHandler.self, withoutVault: .absent),
            Entry(TakeHandler.self, withoutVault: .absent),
            Entry(GiveHandler.self, withoutVault: .absent),
            Entry(PutBackHandler.self, withoutVault: .absent),
            Entry(StateHandler.self, withoutVault: .allowed),
        ]
        return Dictionary(entries.map { ($0.method.name, $0) }) { first, _ in first }
    }()
}

/// One method of `org.coffer.Keychain`.
protocol MethodHandler: SendableMetatype {
    associatedtype Method: VarlinkMethod

    static func answer(_ method: Method, _ request: Request) async throws(Fault) -> MethodAnswer

    /// How a refusal of the call is logged; nil if it is not logged.
    static func logged(_ method: Method) -> LoggedCall?

    /// The same for a call about several items: how the refusal is logged for each.
    static func refusals(of method: Method) -> [LoggedCall]
    /// Whether this call may make a missing vault, if the method may. Otherwise it is admitted without one.
    static func mayMakeVault(_ method: Method) -> Bool
}

extension MethodHandler {
    static func logged(_ method: Method) -> LoggedCall? { nil }
    static func refusals(of method: Method) -> [LoggedCall] { logged(method).map { [$0] } ?? [] }

    static func mayMakeVault(_ method: Method) -> Bool { true }
}

/// What happens to a call in a vault's condition.
enum Permission: Sendable {
    /// The method's handler decides.
    case allowed
    /// The answer is that the item does not exist.
    case absent
    /// A vault must be made first, which needs a person.
    case creation
}

/// The condition of a vault when a call arrives. With the method, it decides if the call is admitted.
typealias VaultCondition = Keychain.VaultState.State
