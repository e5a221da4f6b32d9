import Authorization
import BrokerProtocol
import Platform
import TestSupport
import Testing
import Varlink

@testable import Broker
@testable import Vault

/// What doctor says of the vault itself, of its age and of the clock. Each fault is told by one check only.
struct VaultFindingsTests {
    private let owner = Owner.user(OwnProcess.effectiveUser)

    private func checkup(
        _ report: VerificationReport?, newest: UInt64 = 0, records: Int = 3, problem: String? = nil
    ) -> VaultCheckup {
        VaultCheckup(report: report, log: .init(records: records, problem: problem), newest: newest)
    }

    private func report(items: Int = 2, former: Int = 0) -> VerificationReport {
        VerificationReport(items: items, formerValues: former, postings: 7, nodes: 1, revision: 1, epoch: 1)
    }

    private func facts(_ vault: Result<VaultCheckup, Fault>?) -> DiagnosisFacts {
        var facts = DiagnosisFacts.sample(owner: owner)
        facts.vault = vault
        return facts
    }

    private func fault(_ name: Fault.Name, kind: String? = nil, _ message: String? = "words") -> Fault {
        Fault(name, Fault.Details(message: message, kind: kind))
    }

    @Test("what was checked is counted, and a vault that was too large for that is no problem")
    func verified() {
        func messages(_ checkup: VaultCheckup) -> [String] {
            VerificationCheck.findings(facts(.success(checkup))).map(\.message)
        }
        let whole = "the access log is whole: 3 records"
        #expect(
            messages(checkup(report(items: 1)))
                == ["the whole vault was checked: 1 item, 7 index entries", whole])
        #expect(
            messages(checkup(report(items: 2, former: 4)))
                == ["the whole vault was checked: 2 items, former values of items: 4, 7 index entries", whole])
        let large = VerificationCheck.findings(facts(.success(checkup(nil, problem: "a gap"))))
        #expect(large.map(\.verdict) == [.note, .problem])
        #expect(large.last?.message == "the access log is not whole: a gap")
        #expect(VerificationCheck.findings(facts(nil)).isEmpty)
    }

    @Test("a fault that another check tells is not told again, and every other one is")
    func faults() {
        func look(_ fault: Fault, failing: Bool = false) -> [Keychain.Finding] {
            var facts = facts(.failure(fault))
            if failing { facts.sealer = .failure(SealerError(.deadline, "late")) }
            return VerificationCheck.findings(facts)
        }
        #expect(look(fault(.damaged, kind: Keychain.rollback)).isEmpty)
        #expect(look(fault(.damaged, kind: Keychain.missing)).isEmpty)
        #expect(look(fault(.tpm, kind: "deadline"), failing: true).isEmpty)
        let damaged = look(fault(.damaged))
        #expect(damaged.map(\.message) == ["words"] && damaged.map(\.verdict) == [.problem])
        #expect(damaged.first?.advice?.hasPrefix("keep a copy of the file") == true)
        let others = [
            look(fault(.tpm, kind: "boot")), look(fault(.failed), failing: true), look(fault(.failed)),
        ]
        for found in others {
            #expect(found.map(\.message) == ["the vault could not be checked: words"])
            #expect(found.map(\.advice) == ["see: journalctl -u cofferd"])
        }
        let silent = look(fault(.failed, nil))
        #expect(silent.map(\.message) == ["the vault could not be checked: the vault cannot be opened"])
    }

    @Test("an older copy is a problem, a vault that nothing counts a note, and one that was not read is neither")
    func rollback() throws {
        var facts = facts(.success(checkup(report())))
        #expect(RollbackCheck.findings(facts).isEmpty)
        facts.record = try .tpmSample(owner)
        let counted = RollbackCheck.findings(facts)
        #expect(counted.map(\.verdict) == [.ok] && counted.first?.message.hasSuffix("0x1b0c000)") == true, "\(counted)")
        facts.vault = .failure(fault(.damaged, kind: Keychain.rollback))
        let older = RollbackCheck.findings(facts)
        #expect(older.map(\.verdict) == [.problem] && older.map(\.message) == ["words"])
        facts.vault = .failure(fault(.damaged))
        #expect(RollbackCheck.findings(facts).isEmpty)
        facts.vault = nil
        #expect(RollbackCheck.findings(facts).isEmpty)
        facts.record = RegistryRecord(
            vault: try .random(), owner: owner, ownerName: "ada", created: 1, sealer: .software, authenticatorKey: [],
            storageKey: nil, objects: [:])
        #expect(RollbackCheck.findings(facts).map(\.verdict) == [.note])
    }

    /// 2026-01-01T00:00:00Z
    private static let firstDay: UInt64 = 1_767_225_600_000

    @Test("a clock may be behind by a minute, and before the first day of Coffer it is wrong in any case")
    func clock() throws {
        func verdict(now: UInt64, newest: UInt64 = 0, created: UInt64? = nil) throws -> Keychain.Finding.Verdict? {
            var facts = DiagnosisFacts.sample(owner: owner, now: now)
            facts.vault = .success(checkup(nil, newest: newest))
            if let created { facts.record = try .tpmSample(owner, created: created) }
            return ClockCheck.findings(facts).first?.verdict
        }
        let first = Self.firstDay
        #expect(try verdict(now: first) == .ok)
        #expect(try verdict(now: first - 1) == .problem)
        let later = first + 1_000_000
        #expect(try verdict(now: later, newest: later + DiagnosisLimits.clock) == .ok)
        #expect(try verdict(now: later, newest: later + DiagnosisLimits.clock + 1) == .problem)
        #expect(try verdict(now: later, created: later + DiagnosisLimits.clock + 1) == .problem)
        #expect(try verdict(now: later, newest: later, created: later) == .ok)
    }

    @Test("the clock's time and the vault's last change are told as dates")
    func dates() {
        var facts = DiagnosisFacts.sample(owner: owner, now: Self.firstDay + 3_661_000)
        facts.vault = .success(checkup(nil, newest: Self.firstDay + 86_400_000))
        #expect(
            ClockCheck.findings(facts).map(\.message) == [
                "the clock says 2026-01-01T01:01:01Z, but the vault's last change was at 2026-01-02T00:00:00Z"
            ])
        facts = DiagnosisFacts.sample(owner: owner, now: 0)
        #expect(
            ClockCheck.findings(facts).map(\.message) == [
                "the clock says 1970-01-01T00:00:00Z, but the vault's last change was at 2026-01-01T00:00:00Z"
            ])
    }
}
