import Authorization
import BrokerProtocol
import Logging
import Platform
import Varlink

/// `org.coffer.Keychain` and `org.coffer.Sync` on the clients' socket. The kernel names the caller. Then the broker checks that the call is
/// allowed in the vault's condition. Then the method runs.
struct KeychainInterface: ServedInterface {
    let core: BrokerCore
    let interfaces = ServedInterfaces(
        product: "cofferd", version: ProductVersion.current,
        interfaces: [
            .init(name: Keychain.interface, description: Keychain.description),
            .init(name: Sync.interface, description: Sync.description),
        ],
        methods: KeychainMethods.entries.values.map(\.method), contradiction: .invalidArgument)
    private let log: CallLog

    init(core: BrokerCore) {
        self.core = core
        log = CallLog("call", core.logger, clock: core.vaultStore.dependencies.clock)
    }

    var unreadable: Fault.Name { .invalidArgument }

    var keepsUsersApart: Bool { true }

    func admits(uid: UInt32) -> Bool { true }

    func ownsVault(uid: UInt32) -> Bool {
        // `try?`: without a look at the record, the number only has to wait longer.
        (try? FileStatus.of(core.vaultStore.dependencies.registry.path(of: .user(uid)))) != nil
    }

    func isLock(_ call: IncomingCall) -> Bool { call.method == Keychain.Lock.name }

    func answer(
        _ call: IncomingCall, from caller: Caller, isAbandoned: @escaping @Sendable () -> Bool
    ) async throws(Fault) -> MethodAnswer {
        do throws(Fault) {
            let parameters = try call.parameters()
            if let answer = try interfaces.answer(parameters, to: call.method) { return .reply(answer) }
            guard let parameters, let entry = KeychainMethods.entries[call.method],
                let prepared = entry.prepare(parameters)
            else { throw Fault(unknownMethod: call.method) { [Keychain.interface, Sync.interface].contains($0) } }
            guard call.more || !entry.needsMore else { throw Faults.expectedMore }
            let answer = try await admitted(prepared, by: entry, caller, isAbandoned)
            log.note(of: caller.uid, LogFields.of(caller, method: call.method))
            return answer
        } catch {
            log.note(of: caller.uid, LogFields.of(caller, method: call.method, outcome: error.name))
            throw error
        }
    }

    private func admitted(
        _ call: KeychainMethods.PreparedCall, by entry: KeychainMethods.Entry, _ caller: Caller,
        _ isAbandoned: @escaping @Sendable () -> Bool
    ) async throws(Fault) -> MethodAnswer {
        let admission = try await core.vaultAccess.admit(caller, call.method, call.vault)
        let vaultActor = core.vaultStore.vaultActor(of: admission.owner)
        let user = admission.idleUser(caller)
        await core.locks.idle.apply(user)
        let condition: VaultCondition
        do throws(Fault) {
            condition =
                if entry.waitsForNobody, let known = vaultActor.knownCondition { known } else {
                    try await vaultActor.condition(checksOwner: !entry.takesAnyName)
                }
        } catch {
            guard entry.looksAtDamage, error.name == .damaged else { throw error }
            condition = .sealed
        }
        if entry.isUse { core.locks.idle.used(user) }
        let own =
            admission.standing == .member && !entry.waitsForNobody
            ? await core.vaultStore.condition(of: caller.uid) : nil
        let request = Request(
            core: core, caller: caller, vaultActor: vaultActor, condition: condition, admission: admission, own: own,
            secrets: SecretAllowance(core.budgets, for: caller.uid), isAbandoned: isAbandoned)
        let permission = entry.permission(for: call, in: condition)
        // If a group has no vault, members get the same answer as strangers, unless the call makes the vault.
        if admission.standing == .member, condition == .none, permission != .creation { throw Faults.noGroupVault }
        do throws(Fault) {
            switch permission {
            case .allowed: return try await call.run(request)
            case .absent: throw Faults.notFound
            case .creation: throw try await request.creationRequired()
            }
        } catch {
            guard error == Faults.locked else { throw error }
            // `try?`: without the record, the words are those for a person's vault.
            let record = admission.standing == .own ? (try? await vaultActor.record()) : nil
            throw Faults.locked(admission, record)
        }
    }

    func awaits(_ caller: Caller) -> Bool { core.challenges.hasOpen(of: caller.process) }

    func connectionEnded(_ caller: Caller) {}
}
