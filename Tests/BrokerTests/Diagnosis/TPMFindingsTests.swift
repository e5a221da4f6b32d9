import Authorization
import BrokerProtocol
import Foundation
import Platform
import RootConfiguration
import TPM
import TestSupport
import Testing
import Varlink
import Vault

@testable import Broker

/// What doctor says of a TPM, for conditions that a simulator does not get into by itself.
struct TPMFindingsTests {
    private func look(_ condition: SealerCondition) -> [Keychain.Finding] {
        var facts = DiagnosisFacts.sample()
        facts.sealer = .success(condition)
        return TPMCheck.findings(facts)
    }

    private func finding(_ check: Keychain.Check, _ condition: SealerCondition) -> Keychain.Finding? {
        look(condition).first { $0.check == check.rawValue }
    }

    @Test(
        "the revision is told as the specification writes it",
        arguments: [
            (138, "1.38"), (159, "1.59"), (105, "1.05"), (110, "1.10"), (116, "1.16"), (99, "0.99"), (0, "unknown"),
        ] as [(UInt32, String)])
    func revision(number: UInt32, text: String) {
        #expect(
            finding(.tpmVersion, .sample(revision: number))
                == Keychain.Finding(.tpmVersion, .ok, "TPM 2.0, revision \(text), firmware 1 2"))
    }

    @Test("a TPM that is too old for something is told apart, with all that it lacks")
    func old() {
        let both = finding(.tpmVersion, .sample(lacksPINs: true, lacksPolicies: true))
        #expect(both?.verdict == .note)
        #expect(both?.message.contains("cannot be bound to the password, vaults cannot be tied") == true)
        let one = finding(.tpmVersion, .sample(lacksPolicies: true))
        #expect(one?.verdict == .note && one?.message.contains("password") == false)
    }

    @Test("maker, lockout, passwords and room are each one finding, and each says what is the matter")
    func conditions() {
        let healthy = look(.sample())
        #expect(healthy.map(\.verdict) == Array(repeating: .ok, count: 5))
        #expect(healthy.first?.message == "the TPM answers (IBM, SW)")
        #expect(healthy.map(\.message).contains("the TPM is not in its lockout (3 of 3 failed attempts)"))
        #expect(healthy.last?.message == "the TPM has room for 3 more objects and 60 more sessions")
        let locked = finding(.tpmLockout, .sample(isLockedOut: true))
        #expect(locked?.verdict == .problem && locked?.message.contains("for 600 s at most") == true)
        #expect(finding(.tpmPasswords, .sample(hasOwnerPassword: true))?.verdict == .problem)
    }

    @Test("room that is used up is named by what it is for; of indexes it is no problem of those who have a vault")
    func room() {
        func message(_ condition: SealerCondition) -> String { finding(.tpmRoom, condition)?.message ?? "" }
        #expect(message(.sample(objects: 0)) == "the TPM has no room for another object")
        #expect(message(.sample(sessions: 0)) == "the TPM has no room for another session")
        #expect(
            message(.sample(objects: 0, sessions: 0))
                == "the TPM has no room for another object and no room for another session")
        #expect(finding(.tpmRoom, .sample(objects: 0))?.verdict == .problem)
        let none = finding(.tpmRoom, .sample(indexes: [0x0180_0001], room: 0))
        #expect(none?.verdict == .note && none?.message.contains("(1 are there)") == true)
        #expect(finding(.tpmRoom, .sample(room: 1))?.verdict == .ok)
    }

    @Test("a TPM that does not answer comes with advice that fits, and the choice of none is told only without a vault")
    func failures() throws {
        var facts = DiagnosisFacts.sample()
        func advice(_ code: SealerError.Code) -> String {
            facts.sealer = .failure(SealerError(code, "no answer"))
            let found = TPMCheck.findings(facts)
            #expect(found.map(\.verdict) == [.problem] && found.first?.message == "no answer")
            return found.first?.advice ?? ""
        }
        #expect(advice(.unavailable).contains("sealer = software"))
        #expect(advice(.deadline).contains("wait a minute"))
        #expect(advice(.exhausted).contains("end other programs"))
        #expect(advice(.other).contains("journalctl"))
        facts.record = try .tpmSample(facts.owner)
        #expect(advice(.unavailable).contains("tcti") && !advice(.unavailable).contains("software"))
        facts.sealer = nil
        #expect(TPMCheck.findings(facts).isEmpty && TPMAccessCheck.findings(facts).isEmpty)
    }

    @Test("where the storage key should be, it is named with its handle, and a vault that no TPM seals has none")
    func storageKey() throws {
        var facts = DiagnosisFacts.sample()
        facts.record = try .tpmSample(facts.owner)
        let cases: [(StorageKeyStanding, Keychain.Finding.Verdict)] = [
            (.pinned, .ok), (.absent, .problem), (.another, .problem),
        ]
        for (standing, verdict) in cases {
            facts.sealer = .success(.sample(storageKey: standing))
            let found = StorageKeyCheck.findings(facts)
            #expect(found.map(\.verdict) == [verdict], "\(standing)")
            #expect(found.first?.message.contains("0x81000001") == true, "\(found)")
            #expect((found.first?.advice?.contains("--user ada") ?? false) == (verdict == .problem), "\(found)")
        }
        facts.sealer = .success(.sample(storageKey: nil))
        #expect(StorageKeyCheck.findings(facts).isEmpty)
    }

    @Test("while the vault is open, what it has is to be saved before anything is done about the storage key")
    func storageKeyOfOpenVault() throws {
        var facts = DiagnosisFacts.sample()
        facts.record = try .tpmSample(facts.owner)
        for standing in [StorageKeyStanding.absent, .another] {
            facts.sealer = .success(.sample(storageKey: standing))
            for isUnlocked in [false, true] {
                facts.isUnlocked = isUnlocked
                let advice = try #require(StorageKeyCheck.findings(facts).first?.advice)
                let save = advice.range(of: "before anything else")
                let setAside = advice.range(of: "coffer vault set-aside")
                #expect((save != nil) == isUnlocked && setAside != nil, "\(advice)")
                if let save, let setAside { #expect(save.lowerBound < setAside.lowerBound, "\(advice)") }
                #expect(advice.contains("coffer export --passphrase --skip-unreadable") == isUnlocked, "\(advice)")
                // An open vault is not asked for its key.
                #expect(advice.contains("coffer unlock") == (standing == .absent && !isUnlocked), "\(advice)")
            }
        }
    }

    @Test("a TPM whose certificate belongs to another key, or that was replaced, is something to find out about")
    func identity() {
        var facts = DiagnosisFacts.sample()
        #expect(TPMIdentityCheck.findings(facts).isEmpty)
        let cases: [(Result<Endorsement.Standing, SealerError>, Keychain.Finding.Verdict)] = [
            (.success(.certified), .ok), (.success(.noCertificate), .note), (.success(.issuerUnknown), .note),
            (.success(.foreignCertificate), .problem), (.failure(SealerError(.replaced, "another")), .problem),
            (.failure(SealerError(.deadline, "late")), .note),
        ]
        for (standing, verdict) in cases {
            facts.identity = standing
            let found = TPMIdentityCheck.findings(facts)
            #expect(found.map(\.verdict) == [verdict], "\(standing)")
            // Something is to be done about a problem only.
            #expect((found.first?.advice != nil) == (verdict == .problem), "\(found)")
        }
    }

    @Test("the device is looked at, a simulator is told apart, and a missing device is not told twice")
    func access() {
        var configuration = Configuration()
        func look(_ tcti: String) -> [Keychain.Finding] {
            configuration.tcti = tcti
            var facts = DiagnosisFacts.sample(configuration)
            facts.sealer = .success(.sample())
            return TPMAccessCheck.findings(facts)
        }
        let simulator = look("swtpm:path=/tmp/socket")
        #expect(simulator.map(\.verdict) == [.note] && simulator.first?.message.contains("simulator") == true)
        let open = look("device:/dev/null")
        #expect(open.map(\.verdict) == [.problem])
        #expect(open.first?.message == "everybody on this machine can use /dev/null")
        #expect(look("device:/dev/tpmrm-none").isEmpty)
    }
}

/// The indexes that vaults need, and those that nobody names.
struct TPMIndexFindingsTests {
    private let folder: TemporaryFolder
    private let owner = Owner.user(OwnProcess.effectiveUser)
    private let record: RegistryRecord

    init() throws {
        folder = try TemporaryFolder()
        record = try RegistryRecord.tpmSample(owner)
        try Folder.make(folder.path + "/vaults", mode: 0o700)
        try Folder.make(folder.path + "/registry", mode: 0o755)
        try registry.write(record)
        try put("\(owner.fileStem).vault")
    }

    private var registry: Registry {
        Registry(directory: folder.path + "/registry", authenticatorUID: OwnProcess.effectiveUser)
    }

    /// - Parameter fit: how each file compares with its record. The files here are none of a vault's.
    private func inventory(_ fit: @escaping VaultInventory.Comparison = { _, _ in .fits }) -> VaultInventory {
        VaultInventory(vaults: folder.path + "/vaults", registry: registry, comparing: fit)
    }

    private func put(_ name: String) throws {
        try DurableFile.write([0], to: "\(folder.path)/vaults/\(name)", mode: 0o600)
    }

    private func remove(_ name: String) throws {
        try FileManager.default.removeItem(atPath: "\(folder.path)/vaults/\(name)")
    }

    private func facts(_ record: RegistryRecord?, _ indexes: [UInt32], _ key: StorageKeyStanding = .pinned)
        -> DiagnosisFacts
    {
        var facts = DiagnosisFacts.sample(owner: owner)
        facts.record = record
        facts.inventory = inventory()
        facts.sealer = .success(.sample(indexes: indexes, storageKey: key))
        return facts
    }

    private func look(_ indexes: [UInt32]) -> [Keychain.Finding] {
        TPMIndexCheck.findings(facts(record, record.indexHandles + indexes))
    }

    @Test("an index that nobody names is called left over only while nothing is missing, and nothing is being made")
    func leftOver() throws {
        let calm = "each of Coffer's indexes in the TPM belongs to a vault"
        #expect(look([]) == [Keychain.Finding(.tpmIndexes, .ok, calm)])
        let one = look([0x01B0_CABC])
        #expect(one.map(\.verdict) == [.note])
        #expect(one.first?.message.contains("keeps an index of Coffer") == true, "\(one)")
        #expect(one.first?.advice?.hasSuffix("tpm2_nvundefine -C o 0x1b0cabc") == true, "\(one)")
        let two = look([0x01B0_CABD, 0x01B0_CABC])
        #expect(two.first?.message.contains("2 indexes") == true, "\(two)")
        #expect(two.first?.message.hasSuffix("names: 0x1b0cabc, 0x1b0cabd") == true, "\(two)")
        #expect(
            two.first?.advice?.hasSuffix("tpm2_nvundefine -C o 0x1b0cabc; tpm2_nvundefine -C o 0x1b0cabd") == true,
            "\(two)")
        #expect(two.first?.advice?.hasPrefix("an interruption may have left them; they do no harm. ") == true)
        // A vault without its record may need them.
        try put("user-77.vault")
        for (indexes, end) in [([0x01B0_CABC], "may need it"), ([0x01B0_CABC, 0x01B0_CABD], "may need them")] {
            let found = look(indexes.map { UInt32($0) })
            #expect(found.map(\.verdict) == [.note] && found.first?.advice == nil, "\(found)")
            #expect(found.first?.message.contains("a part of a vault is missing") == true, "\(found)")
            #expect(found.first?.message.hasSuffix(end) == true, "\(found)")
        }
        try remove("user-77.vault")
        // So may one that is being made or renewed.
        for name in ["user-77.vault.new", "user-77.vault.next", "user-77.vault.next.json"] {
            try put(name)
            for (indexes, end) in [([0x01B0_CABC], "may need it"), ([0x01B0_CABC, 0x01B0_CABD], "may need them")] {
                let found = look(indexes.map { UInt32($0) })
                #expect(found.map(\.verdict) == [.note] && found.first?.advice == nil, "\(found)")
                #expect(found.first?.message.contains("being made or renewed") == true, "\(found)")
                #expect(found.first?.message.hasSuffix(end) == true, "\(found)")
            }
            try remove(name)
        }
        #expect(look([0x01B0_CABC]).first?.advice != nil)
    }

    @Test("a vault that was set aside keeps its indexes, and until its record is moved too it counts as being changed")
    func setAside() throws {
        let aside = VaultFile.setAsideDirectory(in: folder.path + "/vaults")
        try Folder.make(aside, mode: 0o700)
        try DurableFile.write([0], to: aside + "/user-77.stamp.log", mode: 0o600)
        #expect(!inventory().isChanging)
        try DurableFile.write([0], to: aside + "/user-77.stamp.vault", mode: 0o600)
        #expect(inventory().isChanging)
        // The record that root moves is the vault's own.
        try DurableFile.write([0], to: aside + "/\(owner.fileStem).stamp.vault", mode: 0o600)
        let moved = try #require(try registry.setAside(owner, stamp: "stamp").path)
        #expect(moved.hasSuffix("\(owner.fileStem).stamp.json"))
        #expect(inventory().isChanging)
        try FileManager.default.removeItem(atPath: aside + "/user-77.stamp.vault")
        let settled = inventory()
        #expect(!settled.isChanging && settled.setAside.map(\.vault) == [record.vault] && settled.records.isEmpty)
        #expect(settled.pinned == Set(record.indexHandles))
        // A record there that cannot be used is told.
        try DurableFile.write(Array("{}".utf8), to: moved, mode: 0o644)
        #expect(inventory().gaps.contains { $0.owner == nil && $0.message.contains(moved) })
    }

    @Test("a file that is not the record's is told, and nothing else is said of what depends on the record")
    func torn() throws {
        var facts = facts(record, record.indexHandles + [0x01B0_CABC])
        facts.inventory = inventory { _, _ in .differs }
        let gap = try #require(facts.inventory?.gaps.first)
        #expect(gap.owner == owner && gap.isTorn && facts.isTorn && facts.inventory?.gaps.count == 1)
        for part in ["\(folder.path)/vaults/\(owner.fileStem).vault", registry.path(of: owner)] {
            #expect(gap.message.contains(part), "\(gap)")
        }
        #expect(gap.advice.contains("remove nothing from the TPM"), "\(gap)")
        // Perhaps only the broker still has the newest file, and only until it stops.
        let copied = try #require(gap.advice.range(of: "cp -pL /proc/$(pidof cofferd)/fd/N"))
        let stopped = try #require(gap.advice.range(of: "stop cofferd.socket"))
        #expect(copied.lowerBound < stopped.lowerBound, "\(gap)")
        let left = TPMIndexCheck.findings(facts)
        #expect(left.map(\.verdict) == [.note] && left.first?.advice == nil, "\(left)")
        // An older record names indexes that are gone.
        facts.sealer = .success(.sample(indexes: []))
        #expect(TPMIndexCheck.findings(facts).map(\.verdict) == [.ok])
        facts.vault = .failure(Fault(.damaged, Fault.Details(message: "older", kind: Keychain.rollback)))
        #expect(RollbackCheck.findings(facts).isEmpty)
        facts.vault = .failure(Fault(.damaged, "another root"))
        #expect(VerificationCheck.findings(facts).isEmpty)
        // A renewal that has just ended brings the file here.
        try put("\(owner.fileStem).vault.next")
        #expect(inventory { _, _ in .differs }.gaps == [])
    }

    @Test("no index is left over beside a file that does not tell, a vault that does not open, or an older record")
    func mayNeed() throws {
        func advice(_ change: (inout DiagnosisFacts) -> Void) -> String? {
            var facts = facts(record, record.indexHandles + [0x01B0_CABC])
            change(&facts)
            let found = TPMIndexCheck.findings(facts)
            #expect(found.count == 1 && found.first?.verdict == .note, "\(found)")
            return found.first?.advice
        }
        #expect(advice { _ in } != nil)
        #expect(advice { $0.inventory = inventory { _, _ in .unknown } } == nil)
        #expect(advice { $0.vault = .failure(Fault(.damaged, "noise")) } == nil)
        // Its record was set aside with it, and is from a backup.
        let aside = VaultFile.setAsideDirectory(in: folder.path + "/vaults")
        try Folder.make(aside, mode: 0o700)
        try FileManager.default.moveItem(
            atPath: "\(folder.path)/vaults/\(owner.fileStem).vault", toPath: "\(aside)/\(owner.fileStem).stamp.vault")
        _ = try registry.setAside(owner, stamp: "stamp")
        #expect(advice { _ in } != nil)
        #expect(advice { $0.inventory = inventory { _, _ in .differs } } == nil)
    }

    @Test("a folder of records that cannot be read is told, and so is a name in it that is nobody's")
    func owners() throws {
        let records = folder.path + "/registry/vaults"
        func gaps() -> [VaultInventory.Gap] {
            inventory().gaps
        }
        #expect(gaps() == [])
        try DurableFile.write(Array("{}".utf8), to: records + "/nobody.json", mode: 0o644)
        #expect(gaps().map(\.owner) == [nil])
        #expect(gaps().first?.message.contains("nobody.json") == true, "\(gaps())")
        #expect(gaps().first?.advice == "have root look what it is, and move it out of that folder")
        // It hides nothing else.
        try remove("\(owner.fileStem).vault")
        #expect(gaps().compactMap(\.owner) == [owner])
        try put("\(owner.fileStem).vault")
        try FileManager.default.removeItem(atPath: records)
        try DurableFile.write([0], to: records, mode: 0o644)
        let found = gaps()
        #expect(found.count == 2 && found.first?.owner == nil, "\(found)")
        #expect(found.first?.message.contains("\(records) cannot be read") == true, "\(found)")
        #expect(found.first?.message.contains("(errno ") == true, "\(found)")
    }

    @Test("an index that is gone is named by what it was for; in a TPM that was cleared nothing of it is told")
    func missing() throws {
        let bound = record.boundAndTied()
        let all = bound.indexHandles
        #expect(all.count == 4)
        let words: [UInt32: String] = [
            RegistryRecord.counterHandle: "the counter of the vault's changes (0x1b0c000)",
            RegistryRecord.generationHandle: "depend on: once locked, the vault will not open again (0x1b0c001)",
            RegistryRecord.bindingHandle: "the count of the vault's password tries (0x1b0c002)",
            RegistryRecord.bootHandle: "the record of the approved boots (0x1b0c003)",
        ]
        // The file that the inventory reads has the record as it was before.
        try registry.replace(record, with: bound)
        for handle in all {
            let found = TPMIndexCheck.findings(facts(bound, all.filter { $0 != handle }))
            #expect(found.map(\.verdict) == [.problem], "\(found)")
            #expect(found.first?.message.hasSuffix(words[handle] ?? "?") == true, "\(found)")
            #expect(found.first?.advice?.isEmpty == false)
        }
        #expect(TPMIndexCheck.findings(facts(bound, all)).map(\.verdict) == [.ok])
        #expect(TPMIndexCheck.findings(facts(bound, [], .absent)).map(\.verdict) == [.ok])
        #expect(TPMIndexCheck.findings(facts(nil, [])).map(\.verdict) == [.ok])
        // What is left over is told beside what is missing.
        let both = TPMIndexCheck.findings(facts(bound, Array(all.dropLast()) + [0x01B0_CABC]))
        #expect(both.map(\.verdict) == [.problem, .note], "\(both)")
    }

    @Test("a missing index is told once: not beside an older copy of the file, nor beside a boot that is not known")
    func toldOnce() throws {
        let bound = record.boundAndTied()
        try registry.replace(record, with: bound)
        let (counter, boot) = (RegistryRecord.counterHandle, RegistryRecord.bootHandle)
        var facts = facts(bound, bound.indexHandles.filter { $0 != counter && $0 != boot })
        func count() -> Int { TPMIndexCheck.findings(facts).count { $0.verdict == .problem } }
        #expect(count() == 2)
        facts.vault = .failure(Fault(.damaged, Fault.Details(message: "older", kind: Keychain.rollback)))
        #expect(count() == 1)
        facts.boot = .failure(Fault(.tpm, Fault.Details(message: "gone", kind: "boot-index")))
        #expect(count() == 0)
        facts.vault = .failure(Fault(.damaged, "noise"))
        facts.boot = .failure(Fault(.tpm, Fault.Details(message: "other", kind: "boot")))
        #expect(count() == 2)
    }

    @Test("secrets can still be copied while the vault is open, and only then")
    func open() throws {
        var facts = facts(record, [RegistryRecord.counterHandle])
        #expect(TPMIndexCheck.findings(facts).first?.advice?.contains("coffer export") == false)
        facts.isUnlocked = true
        let advice = try #require(TPMIndexCheck.findings(facts).first?.advice)
        #expect(advice.contains("coffer export") && advice.contains("coffer vault set-aside --user ada"))
    }

    @Test("a counter that is gone: what is open is saved, then the vault is opened anew, and then its file accepted")
    func counter() throws {
        for owner in [owner, .group(50)] {
            let record = try RegistryRecord.tpmSample(owner)
            let place = owner == .group(50) ? "--group ada" : "--user ada"
            var facts = facts(record, record.indexHandles.filter { $0 != RegistryRecord.counterHandle })
            for isUnlocked in [false, true] {
                facts.isUnlocked = isUnlocked
                let advice = try #require(TPMIndexCheck.findings(facts).first?.advice)
                #expect(advice.hasSuffix("accept it: coffer vault accept \(place)"), "\(advice)")
                let restart = try #require(advice.range(of: "have root restart cofferd"), "\(advice)")
                #expect(advice.contains("put the newest file back if this one is older"), "\(advice)")
                let save = advice.range(of: RescueWords.saveOpen)
                #expect((save != nil) == isUnlocked, "\(advice)")
                if let save { #expect(save.upperBound < restart.lowerBound, "\(advice)") }
            }
        }
    }
}
