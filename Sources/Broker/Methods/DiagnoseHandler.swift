import Authorization
import BrokerProtocol
import Platform
import TPM
import Varlink
import Vault

/// `Diagnose`: what only the broker can see of the machine and of the caller's own vault. It answers even if the TPM
/// or the vault fails.
enum DiagnoseHandler: MethodHandler {
    static func answer(_ method: Keychain.Diagnose, _ request: Request) async throws(Fault) -> MethodAnswer {
        let vaultAccess = request.core.diagnoses
        guard vaultAccess.begin(request.caller.uid) else {
            throw Fault(.limitExceeded, "another diagnosis is running for you just now", advice: "wait for it to end")
        }
        defer { vaultAccess.end(request.caller.uid) }
        let facts = await facts(request)
        // Some checks look up accounts and groups, and name services may be slow.
        let findings = await withCheckedContinuation { continuation in
            OwnThread.run { continuation.resume(returning: Diagnosis.findings(facts)) }
        }
        return .reply(Keychain.Diagnose.Reply(findings: findings))
    }

    private static func facts(_ request: Request) async -> DiagnosisFacts {
        let (core, vaultActor) = (request.core, request.vaultActor)
        let dependencies = core.vaultStore.dependencies
        var facts = DiagnosisFacts(
            configuration: core.configuration, owner: vaultActor.owner,
            authenticatorUID: dependencies.registry.authenticatorUID, brokerUID: OwnProcess.effectiveUser,
            process: BrokerProcess.current(), now: SystemClock.now())
        // `try?`: a damaged record is reported with the vault.
        facts.record = (try? dependencies.registry.record(for: vaultActor.owner)) ?? nil
        facts.inventory = VaultInventory(vaults: dependencies.directory, registry: dependencies.registry)
        facts.isRoots = request.caller.uid == dependencies.registry.authenticatorUID
        facts.isUnlocked = request.condition == .unlocked
        await inspect(request, &facts)
        if let boot = facts.record?.boot {
            facts.boot = await standing(vaultActor)
            facts.firmwareLog = FirmwareLog(core.configuration).read()
            facts.bootCoverage = await coverage(of: boot.registers, request)
        }
        if request.condition != .none { facts.vault = await checkup(vaultActor) }
        return facts
    }

    /// Looks at the TPM, if the sealer has one.
    private static func inspect(_ request: Request, _ facts: inout DiagnosisFacts) async {
        let (core, sealer, record) = (request.core, request.sealer, facts.record)
        do throws(SealerError) {
            guard let condition = try await sealer.inspect(record) else { return }
            facts.sealer = .success(condition)
            guard condition.storageKey == .pinned else { return }
        } catch {
            facts.sealer = .failure(error)
            return
        }
        guard let record else { return }
        let roots = EndorsementRoots.read(core.configuration.tpmRoots, owner: facts.authenticatorUID)
        do throws(SealerError) {
            guard let standing = try await sealer.identity(of: record, roots: roots) else { return }
            core.diagnoses.note(standing)
            facts.identity = .success(standing)
        } catch {
            core.diagnoses.note(error)
            facts.identity = .failure(error)
        }
    }

    /// What a tie to these registers protects. If the TPM does not say it, that is not known, and the report says so.
    static func coverage(of registers: [Int], _ request: Request) async -> Keychain.BootCoverage {
        let view: BootView
        do throws(SealerError) { view = try await BootView.take(request) } catch {
            view = BootView(.failure(FirmwareLogError(reason: error.reason)))
        }
        return view.coverage(of: registers)
    }

    private static func standing(_ vaultActor: VaultActor) async -> Result<BootStanding, Fault>? {
        do throws(Fault) { return try await vaultActor.boots.standing(in: vaultActor).map { .success($1) } } catch {
            return .failure(error)
        }
    }

    private static func checkup(_ vaultActor: VaultActor) async -> Result<VaultCheckup, Fault> {
        do throws(Fault) {
            return try await vaultActor.use { (state) -> Result<VaultCheckup, Fault> in
                do throws(VaultError) { return .success(try checkup(of: state.vault)) } catch {
                    // A diagnosis changes nothing, so the vault stays as usable as it was.
                    guard error.code == .damaged else { throw error }
                    return .failure(Fault(error))
                }
            }
        } catch { return .failure(error) }
    }

    private static func checkup(of vault: OpenVault) throws(VaultError) -> VaultCheckup {
        let report: VerificationReport?
        do throws(VaultError) { report = try vault.verify(until: .now + DiagnosisLimits.vault) } catch {
            guard error.code == .limitExceeded else { throw error }
            report = nil
        }
        let log = try vault.verifyLog()
        return VaultCheckup(
            report: report, log: .init(records: log.records, problem: log.problem),
            newest: try vault.list(service: nil).map(\.metadata.modified).max() ?? 0)
    }
}
