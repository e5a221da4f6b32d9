import Authorization
import Cryptography
import Foundation
import Item
import Platform
import Synchronization
import TPM
import TestSupport
import Testing

@testable import Vault

/// File and counter, on a real TPM. The attacker can write the vault's file, keeps every copy, and stops the machine at
/// any moment.
struct EpochTests {
    /// A vault in a folder, and what a vault's actor does with it.
    final class Fixture {
        let tpm: SWTPM
        let folder: TemporaryFolder
        let recorder = CommandRecorder()
        let sealer: TPMSealer
        let record: RegistryRecord
        let keys: NewVaultKeys
        private let tap: WireTap?
        private var held: OpenVault?

        /// - Parameter tap: something between the vault and this TPM.
        init(owner: Owner = .user(1000), tpm: SWTPM? = nil, tap: WireTap? = nil) throws {
            self.tpm = try tpm ?? SWTPM()
            folder = try TemporaryFolder()
            self.tap = tap
            sealer = TPMSealer(
                TPMAccess.patient(tap?.configuration ?? self.tpm.configuration, observer: recorder))
            let authenticator = try P256.PrivateKey.generate()
            let id = try VaultID.random()
            keys = try sealer.makeKeys(vault: id, owner: owner, authenticatorKey: authenticator.publicKey)
            record = RegistryRecord(
                vault: id, owner: owner, ownerName: "tester", created: 1, sealer: .tpm,
                authenticatorKey: authenticator.publicKey, storageKey: keys.storageKey, counter: keys.counter,
                objects: keys.names, generation: keys.generation)
            try VaultFile.create(directory: folder.path, keys: keys, record: record)
            try open()
        }

        /// Open except between `close` and `open`.
        var vault: OpenVault { held! }

        /// The machine stops.
        func close() { held = nil }

        func open() throws {
            close()
            held = try OpenVault(directory: folder.path, record: record, sealer: sealer)
        }

        func accept() throws {
            close()
            held = try OpenVault(accepting: record, directory: folder.path, sealer: sealer)
        }

        var path: String { VaultFile.path(of: record.owner, in: folder.path) }

        /// The present file. The vault must be closed.
        func copy() throws -> Data { try Data(contentsOf: URL(fileURLWithPath: path)) }

        func putBack(_ data: Data) throws {
            close()
            try data.write(to: URL(fileURLWithPath: path))
        }

        /// Why it does not open; nil if it does.
        func refusal() -> VaultError.Code? { vaultError { try open() } }

        func set(_ account: String) throws { try vault.set(.make("s", account, "value of \(account)")) }

        func delete(_ account: String) throws { try vault.delete(vault.find(service: "s", account: account)) }

        func has(_ account: String) throws -> Bool {
            vaultError { _ = try vault.find(service: "s", account: account) } == nil
        }

        func count() throws { try vault.count(with: sealer) }

        /// A deletion as a vault's actor makes it, up to the acknowledgement.
        func deleteAndCount(_ account: String) throws {
            if !vault.hasBegun {
                try vault.begin()
                try count()
            }
            try delete(account)
            try count()
        }

        var counter: UInt64 {
            get throws {
                try sealer.openCounted(
                    Dictionary(uniqueKeysWithValues: keys.objects.map { ($0.role, $0) }), record: record
                ).epoch ?? 0
            }
        }

        var handle: String { "0x" + String(record.counter?.handle ?? 0, radix: 16) }
    }

    @Test func theCounterFollowsTheFile() throws {
        let stage = try Fixture()
        #expect(try stage.vault.epoch == 1 && stage.counter == 1)
        for account in ["a", "b", "c"] { try stage.set(account) }
        #expect(try stage.vault.epoch == 1 && stage.counter == 1)
        // Nothing advances before the run has taken its first step.
        #expect(vaultError { try stage.delete("a") } == .uncounted)
        #expect(try stage.has("a"))
        try stage.deleteAndCount("a")
        #expect(try stage.vault.epoch == 3 && stage.counter == 3)
        try stage.delete("b")
        #expect(try stage.vault.epoch == 4 && stage.counter == 3)
        // And nothing advances while the counter is behind.
        #expect(vaultError { try stage.delete("c") } == .uncounted)
        try stage.count()
        try stage.count()
        #expect(try stage.counter == 4)
        try stage.open()
        #expect(try stage.vault.count == 1)
        #expect(try stage.tpm.leftovers() == [])
    }

    @Test func oneStepIsTakenForSeveralChanges() throws {
        let stage = try Fixture()
        for account in ["a", "b", "c", "d"] { try stage.set(account) }
        try stage.deleteAndCount("a")
        stage.vault.leaveSteps(true)
        #expect(stage.vault.leftStep == nil)
        try stage.set("e")
        #expect(stage.vault.leftStep == nil && !stage.vault.isStepDue)
        let made = try stage.copy()
        for account in ["b", "c"] { try stage.delete(account) }
        #expect(stage.vault.leftStep == .forFreeStep && stage.vault.isStepDue)
        // A mere write does not make less of it.
        try stage.set("g")
        #expect(stage.vault.isStepDue)
        #expect(try stage.vault.epoch == 3 && stage.counter == 3)
        stage.vault.leaveSteps(true)
        try stage.delete("d")
        try stage.vault.advanceEpoch()
        #expect(!stage.vault.isAdvanceDue && stage.vault.isAhead)
        try stage.count()
        #expect(try stage.vault.epoch == 4 && stage.counter == 4)
        // Closed while the counter is behind, too.
        stage.vault.leaveSteps(true)
        try stage.set("f")
        try stage.vault.advanceEpoch()
        try stage.delete("f")
        #expect(stage.vault.leftStep == .forFreeStep)
        try stage.count()
        try stage.vault.advanceEpoch()
        try stage.count()
        try stage.putBack(made)
        #expect(stage.refusal() == .rollback)
    }

    /// A deletion without a step was acknowledged, and the machine stopped before the step that follows.
    @Test func anOpeningTakesTheStepThatWasLeft() throws {
        let stage = try Fixture()
        for account in ["a", "b", "c"] { try stage.set(account) }
        try stage.deleteAndCount("a")
        let before = try stage.copy()
        stage.vault.leaveSteps(true)
        try stage.delete("b")
        stage.close()
        let deleted = try stage.copy()
        // Until the step, a copy from before opens as well. That is stated.
        try stage.putBack(before)
        try #require(stage.refusal() == nil)
        #expect(try stage.has("b") && stage.counter == 3)
        // The file with the deletion takes the step as it is opened, before anything else is done.
        try stage.putBack(deleted)
        try #require(stage.refusal() == nil)
        #expect(try stage.counter == 5 && stage.vault.epoch == 5)
        #expect(!stage.vault.isAdvanceDue && stage.vault.hasBegun)
        #expect(try !stage.has("b") && stage.has("c"))
        for copy in [before, deleted] {
            stage.close()
            let present = try stage.copy()
            try stage.putBack(copy)
            #expect(stage.refusal() == .rollback)
            try stage.putBack(present)
        }
        // Without a step that was left, an opening takes none.
        try stage.open()
        #expect(try stage.counter == 5)
        try stage.set("d")
        try stage.open()
        #expect(try stage.counter == 5)
    }

    /// The opening that takes the step is stopped before its first count, or before its second.
    @Test(arguments: [0, 1])
    func aStopInThatOpeningIsNoAttack(counted: Int) throws {
        let tpm = try SWTPM()
        /// How often the TPM still counts.
        let left = Mutex(Int.max)
        let tap = try WireTap.sparing(tpm) {
            left.withLock { left in
                left -= 1
                return left < 0
            }
        }
        let stage = try Fixture(tpm: tpm, tap: tap)
        for account in ["a", "b"] { try stage.set(account) }
        try stage.deleteAndCount("a")
        let before = try stage.copy()
        stage.vault.leaveSteps(true)
        try stage.delete("b")
        stage.close()
        let deleted = try stage.copy()
        // Nothing opens while it does not count.
        left.withLock { $0 = counted }
        #expect(stage.refusal() == .sealer)
        left.withLock { $0 = .max }
        try #require(stage.refusal() == nil)
        #expect(try !stage.has("b") && stage.counter == stage.vault.epoch)
        #expect(!stage.vault.isStepDue)
        for copy in [before, deleted] {
            try stage.putBack(copy)
            #expect(stage.refusal() == .rollback)
        }
    }

    @Test func whatMayBeUndoneTakesNoStep() throws {
        let stage = try Fixture()
        for account in ["a", "b", "c", "d"] { try stage.set(account) }
        // Not even the first step of the run.
        try stage.vault.delete(service: "s", account: "a", protection: .later)
        let changes = [
            PlannedChange.delete(service: "s", account: "b", kind: .genericPassword, ifRevision: nil),
            try .set(
                .make("s", "c", "new", AccessControl(requirements: [.userPresence])), mode: .replace, ifRevision: nil),
        ]
        try stage.vault.apply(changes, protection: .later)
        #expect(try stage.vault.epoch == 1 && stage.counter == 1 && !stage.vault.hasBegun)
        #expect(stage.vault.isAdvanceDue && !stage.vault.isStepDue)
        stage.vault.leaveSteps(true)
        try stage.vault.delete(service: "s", account: "d", protection: .later)
        #expect(stage.vault.leftStep == nil && !stage.vault.isStepDue)
        // An opening takes no step for it, and the next step covers it.
        stage.close()
        let written = try stage.copy()
        try stage.open()
        #expect(try stage.counter == 1)
        #expect(try !stage.has("a") && !stage.has("b") && stage.has("c"))
        try stage.deleteAndCount("c")
        try stage.putBack(written)
        #expect(stage.refusal() == .rollback)
    }

    /// The disk fails after the commit, which is then in the write-ahead log. The step is taken, and must not be taken
    /// twice.
    @Test func aStepWhoseWriteBackFailsIsTakenOnce() throws {
        let stage = try Fixture()
        try stage.set("a")
        try withoutWriting(stage.path) {
            #expect(vaultError { try stage.vault.begin() } == .storage)
        }
        #expect(stage.vault.epoch == 2 && stage.vault.isAhead && !stage.vault.hasBegun)
        // The actor tries again a minute later.
        #expect(vaultError { try stage.vault.begin() } == .uncounted)
        #expect(stage.vault.epoch == 2)
        try stage.count()
        try stage.vault.begin()
        try stage.count()
        #expect(try stage.vault.epoch == 3 && stage.counter == 3)
        try withoutWriting(stage.path) {
            #expect(vaultError { try stage.delete("a") } == .storage)
        }
        #expect(stage.vault.isAhead)
        stage.close()
        #expect(stage.refusal() == nil)
        #expect(try stage.counter == 4 && !stage.has("a"))
    }

    @Test func anOlderCopyIsRefused() throws {
        let stage = try Fixture()
        for account in ["a", "b"] { try stage.set(account) }
        stage.close()
        var copies = [try stage.copy()]
        try stage.open()
        try stage.deleteAndCount("a")
        stage.close()
        copies.append(try stage.copy())
        try stage.open()
        try stage.deleteAndCount("b")
        stage.close()
        let newest = try stage.copy()
        for copy in copies {
            try stage.putBack(copy)
            #expect(stage.refusal() == .rollback)
        }
        let words = #expect(throws: VaultError.self) { try stage.open() }?.description ?? ""
        for word in ["older copy", "coffer recovery restore", "coffer vault accept --user tester"] {
            #expect(words.contains(word), "\(words)")
        }
        try stage.putBack(newest)
        try #require(stage.refusal() == nil)
        #expect(try stage.vault.count == 0)
    }

    /// The points at which the machine stops in a run's first deletion, and in its second.
    enum Stop: Int, CaseIterable {
        case opened, begun, begunCounted, deleted, deletedCounted, deletedAgain, deletedAgainCounted
    }

    private func run(_ stage: Fixture, until stop: Stop, deleting accounts: [String]) throws {
        let steps: [() throws -> Void] = [
            { try stage.vault.begin() }, { try stage.count() }, { try stage.delete(accounts[0]) },
            { try stage.count() }, { try stage.delete(accounts[1]) }, { try stage.count() },
        ]
        for step in steps.prefix(stop.rawValue) { try step() }
        stage.close()
    }

    @Test(arguments: Stop.allCases)
    func aStopBetweenFileAndCounterIsNoAttack(stop: Stop) throws {
        let stage = try Fixture()
        for account in ["a", "b", "c", "d"] { try stage.set(account) }
        for _ in 0..<2 {
            try stage.open()
            try run(stage, until: stop, deleting: ["a", "b"])
            try #require(stage.refusal() == nil, "\(stop)")
            #expect(try stage.counter == stage.vault.epoch)
            #expect(try stage.has("a") == (stop.rawValue < Stop.deleted.rawValue))
            #expect(try stage.has("b") == (stop.rawValue < Stop.deletedAgain.rawValue))
            for account in ["a", "b"] where try !stage.has(account) { try stage.set(account) }
        }
        // And the vault goes on as before.
        try stage.deleteAndCount("c")
        try stage.open()
        #expect(try !stage.has("c"))
    }

    /// Once a later deletion was acknowledged, the copy from a moment at which the machine stopped is refused,
    /// whichever file that run began with.
    @Test(arguments: Stop.allCases)
    func aStopIsNoForkEither(stop: Stop) throws {
        for start in Stop.allCases where start.rawValue <= stop.rawValue {
            let stage = try Fixture()
            for account in ["a", "b", "c"] { try stage.set(account) }
            // Copies of every moment up to the stop.
            var copies: [Data] = []
            try stage.open()
            let steps: [() throws -> Void] = [
                {}, { try stage.vault.begin() }, { try stage.count() }, { try stage.delete("a") },
                { try stage.count() }, { try stage.delete("b") }, { try stage.count() },
            ]
            for step in steps.prefix(stop.rawValue + 1) {
                try step()
                // When a change has ended, the file itself holds everything.
                copies.append(try stage.copy())
            }
            stage.close()
            let stopped = copies[stop.rawValue]
            try stage.putBack(copies[start.rawValue])
            // A step that was counted already is refused at once.
            guard stage.refusal() == nil else { continue }
            try stage.deleteAndCount("c")
            stage.close()
            for copy in copies + [stopped] {
                try stage.putBack(copy)
                #expect(stage.refusal() == .rollback, "stopped at \(stop), went on from \(start)")
            }
        }
    }

    /// The attacker stops the machine in every step of every run, and chooses each time which of all copies comes next.
    /// Acknowledged deletions stay deleted.
    @Test func noOrderOfStopsAndCopiesBringsBackWhatWasDeleted() throws {
        let stage = try Fixture()
        var random = SystemRandomNumberGenerator()
        for number in 0..<60 { try stage.set("\(number)") }
        var copies = [try stage.copy()]
        var gone: Set<String> = []
        var trail: [String] = []
        for round in 0..<60 {
            stage.close()
            // Any copy that is accepted, or the present one.
            let present = try stage.copy()
            if Bool.random(using: &random), let copy = copies.suffix(12).randomElement(using: &random) {
                try stage.putBack(copy)
                if stage.refusal() != nil { try stage.putBack(present) } else { trail.append("\(round): another copy") }
            }
            try #require(stage.refusal() == nil, "\(trail)")
            for account in gone { #expect(try !stage.has(account), "\(account) is back: \(trail)") }
            // An opening has taken the step that was left, so what the file lacks is gone for good.
            #expect(!stage.vault.isStepDue)
            let there = try (0..<60).map(String.init).filter { try stage.has($0) }
            let account = try #require(there.randomElement(using: &random))
            // Some deletions leave their step. They are acknowledged without it, and protected with it.
            let leaves = Bool.random(using: &random)
            let steps: [() throws -> Void] = [
                { if !stage.vault.hasBegun { try stage.vault.begin() } }, { try stage.count() },
                {
                    stage.vault.leaveSteps(leaves)
                    try stage.delete(account)
                }, { if leaves { try stage.vault.advanceEpoch() } }, { try stage.count() },
            ]
            // Every fourth deletion completes, so that chance alone cannot leave the test with nothing to check.
            let stop = round % 4 == 3 ? steps.count : Int.random(in: 0...steps.count, using: &random)
            for step in steps.prefix(stop) {
                try step()
                copies.append(try stage.copy())
            }
            if stop == steps.count { gone.insert(account) }
            trail.append("\(round): \(account) up to \(stop)\(leaves ? ", left its step" : "")")
        }
        #expect(gone.count >= 15)
    }

    @Test func theEpochAdvancesForWhatWasWrittenAndNothingElse() throws {
        let stage = try Fixture()
        #expect(!stage.vault.isAdvanceDue)
        try stage.vault.advanceEpoch()
        #expect(stage.vault.epoch == 1)
        try stage.vault.note(AccessRecord(.lock), .anchored)
        #expect(!stage.vault.isAdvanceDue)
        try stage.set("a")
        #expect(stage.vault.isAdvanceDue)
        // The next run must still count a stopped run.
        try stage.open()
        #expect(stage.vault.isAdvanceDue)
        stage.close()
        let copy = try stage.copy()
        try stage.open()
        #expect(vaultError { try stage.vault.advanceEpoch() } == .uncounted)
        try stage.vault.begin()
        try stage.count()
        // The first step stands for no change. A copy of such a step may exist.
        #expect(stage.vault.isAdvanceDue)
        try stage.vault.advanceEpoch()
        try stage.count()
        #expect(!stage.vault.isAdvanceDue)
        #expect(try stage.counter == 3 && stage.vault.epoch == 3)
        try stage.putBack(copy)
        #expect(stage.refusal() == .rollback)
    }

    @Test func aCounterThatIsGoneOrAnothersIsRefused() throws {
        let stage = try Fixture()
        try stage.set("a")
        let tools = ["-T", stage.tpm.tools]
        try Tool.output("tpm2_nvundefine", tools + ["-Q", "-C", "o", stage.handle])
        stage.close()
        #expect(stage.refusal() == .rollback)
        let words = #expect(throws: VaultError.self) { try stage.open() }?.description ?? ""
        #expect(words.contains("counter") && words.contains("coffer vault accept"), "\(words)")
        // A counter that looks the same, made without the password.
        try Tool.output(
            "tpm2_nvdefine",
            tools + [
                "-Q", "-C", "o", "-s", "8", "-a", "authwrite|authread|nt=counter|no_da", "-p", "theirs", stage.handle,
            ])
        #expect(stage.refusal() == .rollback)
        try Tool.output("tpm2_nvincrement", tools + ["-Q", "-P", "theirs", stage.handle])
        #expect(stage.refusal() == .rollback)
        #expect(try stage.tpm.leftovers() == [])
        try stage.accept()
        #expect(try stage.has("a"))
        try #require(stage.refusal() == nil)
    }

    @Test func aCounterThatSomebodyElseHasCountedIsRefused() throws {
        let stage = try Fixture()
        try stage.set("a")
        let password = try VaultKeys.counterPassword(deviceRoot: stage.keys.deviceRoot, vault: stage.record.vault)
        #expect(try stage.sealer.count(to: 2, most: 1, password: password, record: stage.record) == 2)
        // While it is open, at the next step; otherwise at the next opening.
        try stage.vault.begin()
        try stage.count()
        #expect(try stage.sealer.count(to: 5, most: 3, password: password, record: stage.record) == 5)
        try stage.delete("a")
        let code = #expect(throws: SealerError.self) { try stage.count() }?.code
        #expect(code == .counterGone)
        stage.close()
        #expect(stage.refusal() == .rollback)
    }

    @Test func aTPMThatWasPutBackIsNotBelieved() throws {
        let stage = try Fixture()
        try stage.set("a")
        try stage.set("b")
        stage.close()
        try stage.tpm.stop()
        let state = try stage.tpm.saveState()
        try stage.tpm.restart()
        try stage.open()
        try stage.deleteAndCount("a")
        stage.close()
        try stage.tpm.stop()
        try stage.tpm.restore(state)
        try stage.tpm.restart()
        #expect(stage.refusal() == .rollback)
        try stage.accept()
        #expect(try !stage.has("a") && stage.has("b"))
        try #require(stage.refusal() == nil)
    }

    @Test(arguments: [true, false])
    func whatIsAcceptedIsTheOnlyCopyFromThenOn(hasCounter: Bool) throws {
        let stage = try Fixture()
        for account in ["a", "b", "c"] { try stage.set(account) }
        stage.close()
        var copies = [try stage.copy()]
        try stage.open()
        try stage.deleteAndCount("a")
        copies.append(try stage.copy())
        // Stopped before it was counted, so one step ahead.
        try stage.delete("b")
        stage.close()
        copies.append(try stage.copy())
        if !hasCounter {
            try Tool.output("tpm2_nvundefine", ["-T", stage.tpm.tools, "-Q", "-C", "o", stage.handle])
        }
        try stage.putBack(copies[0])
        #expect(stage.refusal() == .rollback)
        try stage.accept()
        #expect(try stage.has("a") && stage.has("b"))
        #expect(try stage.counter == stage.vault.epoch)
        stage.close()
        let accepted = try stage.copy()
        for copy in copies {
            try stage.putBack(copy)
            #expect(stage.refusal() == .rollback)
        }
        try stage.putBack(accepted)
        try #require(stage.refusal() == nil)
        try stage.deleteAndCount("c")
        try stage.putBack(accepted)
        #expect(stage.refusal() == .rollback)
        #expect(try stage.tpm.leftovers() == [])
    }

    @Test func acceptingTakesNoDamagedFileAndNoForeignOne() throws {
        let tpm = try SWTPM()
        let stage = try Fixture(tpm: tpm)
        let other = try Fixture(tpm: tpm)
        other.close()
        try stage.putBack(try other.copy())
        #expect(vaultError { try stage.accept() } == .damaged)
        #expect(try stage.counter == 1)
    }

    @Test func countersOfSeveralVaultsCountForThemselves() throws {
        let tpm = try SWTPM()
        let one = try Fixture(tpm: tpm)
        let two = try Fixture(owner: .group(100), tpm: tpm)
        #expect(one.handle != two.handle)
        try one.set("a")
        try one.deleteAndCount("a")
        #expect(try one.counter == 3 && two.counter == 1)
        two.close()
        #expect(two.refusal() == nil)
        try one.open()
    }

    @Test func openingCostsOneCommandMoreAndAStepThree() throws {
        let stage = try Fixture()
        stage.close()
        stage.recorder.reset()
        try stage.open()
        #expect(stage.recorder.names == ["TPM2_StartAuthSession", "TPM2_ActivateCredential", "TPM2_NV_Read"])
        try stage.set("a")
        stage.recorder.reset()
        try stage.deleteAndCount("a")
        #expect(
            stage.recorder.names.filter { $0 != "TPM2_FlushContext" } == [
                "TPM2_StartAuthSession", "TPM2_NV_Read", "TPM2_NV_Increment", "TPM2_StartAuthSession", "TPM2_NV_Read",
                "TPM2_NV_Increment",
            ])
    }

    @Test func anUncountedVaultGoesOnWithoutSteps() throws {
        let fixture = try VaultFixture()
        let vault = try fixture.open()
        try vault.set(.make("s", "a", "x"))
        #expect(!vault.isCounted && !vault.isAdvanceDue && !vault.isAhead && vault.hasBegun)
        try vault.delete(vault.find(service: "s", account: "a"))
        #expect(vault.epoch == 2)
    }
}
