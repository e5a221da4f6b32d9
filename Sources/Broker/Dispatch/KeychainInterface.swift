import BrokerProtocol
import Logging

/// `org.coffer.Keychain` on the clients' socket. The way of every call: who calls is known; is it allowed in this state; then the method.
struct KeychainInterface: ServedInterface {
    let core: BrokerCore
    private let introspection = Introspection(interfaces: [(Keychain.interface, InterfaceText.keychain)])

    init(core: BrokerCore) { self.core = core }

    var unreadable: Fault.Name { .invalidArgument }

    var keepsUsersApart: Bool { true }

    func admits(uid: UInt32) -> Bool { true }

    func answer(_ call: IncomingCall, from caller: Caller) async throws(Fault) -> MethodAnswer {
        if let answer = try introspection.answer(call) { return answer }
        guard let entry = DispatchTable.entries[call.method] else {
            core.logger.info("call", metadata: LogFields.of(caller, method: "unknown", outcome: .methodNotFound))
            throw introspection.unknown(call.method)
        }
        do throws(Fault) {
            let answer = try await admitted(entry, call, caller)
            core.logger.info("call", metadata: LogFields.of(caller, method: call.method))
            return answer
        } catch {
            core.logger.info("call", metadata: LogFields.of(caller, method: call.method, outcome: error.name))
            throw error
        }
    }

    private func admitted(_ entry: DispatchTable.Entry, _ call: IncomingCall, _ caller: Caller) async throws(Fault)
        -> MethodAnswer
    {
        let run = try entry.prepare(call)
        let admission = try await core.vaultAccess.admit(caller, call)
        let vaultActor = core.vaultStore.vaultActor(of: admission.owner)
        let user = admission.idleUser(caller)
        await core.locks.idle.apply(user)
        let condition: VaultCondition
        do throws(Fault) {
            condition =
                if entry.waitsForNobody, let known = vaultActor.knownCondition { known } else {
                    try await vaultActor.condition()
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
            secrets: SecretAllowance(core.budgets, for: caller.uid), isAbandoned: call.isAbandoned)
        let permission = entry.permission(in: condition)
        // A member of a group without a keychain is answered like somebody who is none, unless it is to be made.
        if admission.standing == .member, condition == .none, permission != .creation { throw Faults.noGroupVault }
        do throws(Fault) {
            switch permission {
            case .allowed: return try await run(request)
            case .absent: throw Faults.notFound
            case .creation: throw try await request.creationRequired()
            }
        } catch { throw error == Faults.locked ? Faults.locked(admission) : error }
    }

    func awaits(_ caller: Caller) -> Bool { core.challenges.hasOpen(of: caller.process) }

    func connectionEnded(_ caller: Caller) {}
}
