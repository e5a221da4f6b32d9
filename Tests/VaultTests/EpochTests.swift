import Authorization
import Cryptography
import Foundation
import Item
import Platform
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
        /// Without a record of this vault: only those of others matter.
        let registry: Registry
        private let tap: WireTap?
        private var held: OpenVault?

        /// - Parameter tap: something between the vault and this TPM.
        init(owner: Owner = .user(1000), tpm: SWTPM? = nil, tap: WireTap? = nil) throws {
            self.tpm = try tpm ?? SWTPM()
            folder = try TemporaryFolder()
            registry = Registry(directory: folder.path + "/registry", authenticatorUID: OwnProcess.effectiveUser)
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
            held = try OpenVault(accepting: record, sparing: registry, directory: folder.path, sealer: sealer)
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
        let fixture = try Fixture()
        #expect(try fixture.vault.epoch == 1 && fixture.counter == 1)
        for account in ["a", "b", "c"] { try fixture.set(account) }
        #expect(try fixture.vault.epoch == 1 && fixture.counter == 1)
        // Nothing advances before the run has taken its first step.
        #expect(vaultError { try fixture.delete("a") } == .uncounted)
        #expect(try fixture.has("a"))
        try fixture.deleteAndCount("a")
        #expect(try fixture.vault.epoch == 3 && fixture.counter == 3)
        try fixture.delete("b")
        #expect(try fixture.vault.epoch == 4 && fixture.counter == 3)
        // And nothing advances while the counter is behind.
        #expect(vaultError { try fixture.delete("c") } == .uncounted)
        try fixture.count()
        try fixture.count()
        #expect(try fixture.counter == 4)
        try fixture.open()
        #expect(try fixture.vault.count == 1)
        #expect(try fixture.tpm.leftovers() == [])
    }

    @Test func oneStepIsTakenForSeveralChanges() throws {
        let fixture = try Fixture()
        for account in ["a", "b", "c", "d"] { try fixture.set(account) }
        try fixture.deleteAndCount("a")
        fixture.vault.leaveSteps(true)
        #expect(fixture.vault.leftStep == nil)
        try fixture.set("e")
        #expect(fixture.vault.leftStep == nil && !fixture.vault.isStepDue)
        let made = try fixture.copy()
        for account in ["b", "c"] { try fixture.delete(account) }
        #expect(fixture.vault.leftStep == .forFreeStep && fixture.vault.isStepDue && fixture.vault.isUnprotected)
        // A mere write does not make less of it.
        try fixture.set("g")
        #expect(fixture.vault.isStepDue)
        #expect(try fixture.vault.epoch == 3 && fixture.counter == 3)
        fixture.vault.leaveSteps(true)
        try fixture.delete("d")
        try fixture.vault.advanceEpoch()
        #expect(!fixture.vault.isAdvanceDue && fixture.vault.isAhead && fixture.vault.isUnprotected)
        try fixture.count()
        #expect(try fixture.vault.epoch == 4 && fixture.counter == 4)
        #expect(!fixture.vault.isUnprotected)
        // Closed while the counter is behind, too.
        fixture.vault.leaveSteps(true)
        try fixture.set("f")
        try fixture.vault.advanceEpoch()
        try fixture.delete("f")
        #expect(fixture.vault.leftStep == .forFreeStep)
        try fixture.count()
        try fixture.vault.advanceEpoch()
        try fixture.count()
        try fixture.putBack(made)
        #expect(fixture.refusal() == .rollback)
    }

    /// A deletion without a step was acknowledged, and the machine stopped before the step that follows.
    @Test func anOpeningTakesTheStepThatWasLeft() throws {
        let fixture = try Fixture()
        for account in ["a", "b", "c"] { try fixture.set(account) }
        try fixture.deleteAndCount("a")
        let before = try fixture.copy()
        fixture.vault.leaveSteps(true)
        try fixture.delete("b")
        fixture.close()
        let deleted = try fixture.copy()
        // Until the step, a copy from before opens as well. That is stated.
        try fixture.putBack(before)
        try #require(fixture.refusal() == nil)
        #expect(try fixture.has("b") && fixture.counter == 3)
        // The file with the deletion takes the step as it is opened, before anything else is done.
        try fixture.putBack(deleted)
        try #require(fixture.refusal() == nil)
        #expect(try fixture.counter == 5 && fixture.vault.epoch == 5)
        #expect(!fixture.vault.isAdvanceDue && fixture.vault.hasBegun)
        #expect(try !fixture.has("b") && fixture.has("c"))
        for copy in [before, deleted] {
            fixture.close()
            let present = try fixture.copy()
            try fixture.putBack(copy)
            #expect(fixture.refusal() == .rollback)
            try fixture.putBack(present)
        }
        // Without a step that was left, an opening takes none.
        try fixture.open()
        #expect(try fixture.counter == 5)
        try fixture.set("d")
        try fixture.open()
        #expect(try fixture.counter == 5)
    }

    /// The opening that takes the step is stopped before its first count, or before its second.
    @Test(arguments: [0, 1])
    func aStopInThatOpeningIsNoAttack(counted: Int) throws {
        let tpm = try SWTPM()
        /// How often the TPM still counts.
        let left = Ration()
        let tap = try WireTap.sparing(tpm) { !left.take() }
        let fixture = try Fixture(tpm: tpm, tap: tap)
        for account in ["a", "b"] { try fixture.set(account) }
        try fixture.deleteAndCount("a")
        let before = try fixture.copy()
        fixture.vault.leaveSteps(true)
        try fixture.delete("b")
        fixture.close()
        let deleted = try fixture.copy()
        // Nothing opens while it does not count.
        left.set(counted)
        #expect(fixture.refusal() == .sealer)
        // Nor does it then, with a file that is a step ahead.
        left.set(0)
        #expect(fixture.refusal() == .sealer)
        left.set(.max)
        try #require(fixture.refusal() == nil)
        #expect(try !fixture.has("b") && fixture.counter == fixture.vault.epoch)
        #expect(!fixture.vault.isStepDue)
        for copy in [before, deleted] {
            try fixture.putBack(copy)
            #expect(fixture.refusal() == .rollback)
        }
    }

    @Test func whatMayBeUndoneTakesNoStep() throws {
        let fixture = try Fixture()
        for account in ["a", "b", "c", "d"] { try fixture.set(account) }
        // Not even the first step of the run.
        try fixture.vault.delete(service: "s", account: "a", protection: .later)
        let changes = [
            PlannedChange.delete(service: "s", account: "b", kind: .genericPassword, ifRevision: nil),
            try .set(
                .make("s", "c", "new", AccessControl(requirements: [.userPresence])), mode: .replace, ifRevision: nil),
        ]
        try fixture.vault.apply(changes, protection: .later)
        #expect(try fixture.vault.epoch == 1 && fixture.counter == 1 && !fixture.vault.hasBegun)
        #expect(fixture.vault.isAdvanceDue && !fixture.vault.isStepDue)
        fixture.vault.leaveSteps(true)
        try fixture.vault.delete(service: "s", account: "d", protection: .later)
        #expect(fixture.vault.leftStep == nil && !fixture.vault.isStepDue)
        // An opening takes no step for it, and the next step covers it.
        fixture.close()
        let written = try fixture.copy()
        try fixture.open()
        #expect(try fixture.counter == 1)
        #expect(try !fixture.has("a") && !fixture.has("b") && fixture.has("c"))
        try fixture.deleteAndCount("c")
        try fixture.putBack(written)
        #expect(fixture.refusal() == .rollback)
    }

    /// The disk fails after the commit, which is then in the write-ahead log. The step is taken, and must not be taken
    /// twice.
    @Test func aStepWhoseWriteBackFailsIsTakenOnce() throws {
        let fixture = try Fixture()
        try fixture.set("a")
        try withoutWriting(fixture.path) {
            #expect(vaultError { try fixture.vault.begin() } == .storage)
        }
        #expect(fixture.vault.epoch == 2 && fixture.vault.isAhead && !fixture.vault.hasBegun)
        // The actor tries again a minute later.
        #expect(vaultError { try fixture.vault.begin() } == .uncounted)
        #expect(fixture.vault.epoch == 2)
        try fixture.count()
        try fixture.vault.begin()
        try fixture.count()
        #expect(try fixture.vault.epoch == 3 && fixture.counter == 3)
        try withoutWriting(fixture.path) {
            #expect(vaultError { try fixture.delete("a") } == .storage)
        }
        #expect(fixture.vault.isAhead)
        fixture.close()
        #expect(fixture.refusal() == nil)
        #expect(try fixture.counter == 4 && !fixture.has("a"))
    }

    @Test func anOlderCopyIsRefused() throws {
        let fixture = try Fixture()
        for account in ["a", "b"] { try fixture.set(account) }
        fixture.close()
        var copies = [try fixture.copy()]
        try fixture.open()
        try fixture.deleteAndCount("a")
        fixture.close()
        copies.append(try fixture.copy())
        try fixture.open()
        try fixture.deleteAndCount("b")
        fixture.close()
        let newest = try fixture.copy()
        for copy in copies {
            try fixture.putBack(copy)
            #expect(fixture.refusal() == .rollback)
        }
        let words = #expect(throws: VaultError.self) { try fixture.open() }?.description ?? ""
        for word in ["older copy", "coffer recovery restore", "coffer vault accept --user tester"] {
            #expect(words.contains(word), "\(words)")
        }
        try fixture.putBack(newest)
        try #require(fixture.refusal() == nil)
        #expect(try fixture.vault.count == 0)
    }

    /// The points at which the machine stops in a run's first deletion, and in its second.
    enum Stop: Int, CaseIterable {
        case opened, begun, begunCounted, deleted, deletedCounted, deletedAgain, deletedAgainCounted
    }

    private func run(_ fixture: Fixture, until stop: Stop, deleting accounts: [String]) throws {
        let steps: [() throws -> Void] = [
            { try fixture.vault.begin() }, { try fixture.count() }, { try fixture.delete(accounts[0]) },
            { try fixture.count() }, { try fixture.delete(accounts[1]) }, { try fixture.count() },
        ]
        for step in steps.prefix(stop.rawValue) { try step() }
        fixture.close()
    }

    @Test(arguments: Stop.allCases)
    func aStopBetweenFileAndCounterIsNoAttack(stop: Stop) throws {
        let fixture = try Fixture()
        for account in ["a", "b", "c", "d"] { try fixture.set(account) }
        for _ in 0..<2 {
            try fixture.open()
            try run(fixture, until: stop, deleting: ["a", "b"])
            try #require(fixture.refusal() == nil, "\(stop)")
            #expect(try fixture.counter == fixture.vault.epoch)
            #expect(try fixture.has("a") == (stop.rawValue < Stop.deleted.rawValue))
            #expect(try fixture.has("b") == (stop.rawValue < Stop.deletedAgain.rawValue))
            for account in ["a", "b"] where try !fixture.has(account) { try fixture.set(account) }
        }
        // And the vault goes on as before.
        try fixture.deleteAndCount("c")
        try fixture.open()
        #expect(try !fixture.has("c"))
    }

    /// Once a later deletion was acknowledged, the copy from a moment at which the machine stopped is refused,
    /// whichever file that run began with.
    @Test(arguments: Stop.allCases)
    func aStopIsNoForkEither(stop: Stop) throws {
        for start in Stop.allCases where start.rawValue <= stop.rawValue {
            let fixture = try Fixture()
            for account in ["a", "b", "c"] { try fixture.set(account) }
            // Copies of every moment up to the stop.
            var copies: [Data] = []
            try fixture.open()
            let steps: [() throws -> Void] = [
                {}, { try fixture.vault.begin() }, { try fixture.count() }, { try fixture.delete("a") },
                { try fixture.count() }, { try fixture.delete("b") }, { try fixture.count() },
            ]
            for step in steps.prefix(stop.rawValue + 1) {
                try step()
                // When a change has ended, the file itself holds everything.
                copies.append(try fixture.copy())
            }
            fixture.close()
            let stopped = copies[stop.rawValue]
            try fixture.putBack(copies[start.rawValue])
            // A step that was counted already is refused at once.
            guard fixture.refusal() == nil else { continue }
            try fixture.deleteAndCount("c")
            fixture.close()
            for copy in copies + [stopped] {
                try fixture.putBack(copy)
                #expect(fixture.refusal() == .rollback, "stopped at \(stop), went on from \(start)")
            }
        }
    }

    /// The attacker stops the machine in every step of every run, and chooses each time which of all copies comes next.
    /// Acknowledged deletions stay deleted.
    @Test func noOrderOfStopsAndCopiesBringsBackWhatWasDeleted() throws {
        let fixture = try Fixture()
        var random = SystemRandomNumberGenerator()
        for number in 0..<60 { try fixture.set("\(number)") }
        var copies = [try fixture.copy()]
        var gone: Set<String> = []
        var trail: [String] = []
        for round in 0..<60 {
            fixture.close()
            // Any copy that is accepted, or the present one.
            let present = try fixture.copy()
            if Bool.random(using: &random), let copy = copies.suffix(12).randomElement(using: &random) {
                try fixture.putBack(copy)
                if fixture.refusal() != nil {
                    try fixture.putBack(present)
                } else {
                    trail.append("\(round): another copy")
                }
            }
            try #require(fixture.refusal() == nil, "\(trail)")
            for account in gone { #expect(try !fixture.has(account), "\(account) is back: \(trail)") }
            // An opening has taken the step that was left, so what the file lacks is gone for good.
            #expect(!fixture.vault.isStepDue)
            let there = try (0..<60).map(String.init).filter { try fixture.has($0) }
            let account = try #require(there.randomElement(using: &random))
            // Some deletions leave their step. They are acknowledged without it, and protected with it.
            let leaves = Bool.random(using: &random)
            let steps: [() throws -> Void] = [
                { if !fixture.vault.hasBegun { try fixture.vault.begin() } }, { try fixture.count() },
                {
                    fixture.vault.leaveSteps(leaves)
                    try fixture.delete(account)
                }, { if leaves { try fixture.vault.advanceEpoch() } }, { try fixture.count() },
            ]
            // Every fourth deletion completes, so that chance alone cannot leave the test with nothing to check.
            let stop = round % 4 == 3 ? steps.count : Int.random(in: 0...steps.count, using: &random)
            for step in steps.prefix(stop) {
                try step()
                copies.append(try fixture.copy())
            }
            if stop == steps.count { gone.insert(account) }
            trail.append("\(round): \(account) up to \(stop)\(leaves ? ", left its step" : "")")
        }
        #expect(gone.count >= 15)
    }

    @Test func theEpochAdvancesForWhatWasWrittenAndNothingElse() throws {
        let fixture = try Fixture()
        #expect(!fixture.vault.isAdvanceDue)
        try fixture.vault.advanceEpoch()
        #expect(fixture.vault.epoch == 1)
        try fixture.vault.note(AccessRecord(.lock), .anchored)
        #expect(!fixture.vault.isAdvanceDue)
        try fixture.set("a")
        #expect(fixture.vault.isAdvanceDue)
        // The next run must still count a stopped run.
        try fixture.open()
        #expect(fixture.vault.isAdvanceDue)
        fixture.close()
        let copy = try fixture.copy()
        try fixture.open()
        #expect(vaultError { try fixture.vault.advanceEpoch() } == .uncounted)
        try fixture.vault.begin()
        try fixture.count()
        // The first step stands for no change. A copy of such a step may exist.
        #expect(fixture.vault.isAdvanceDue)
        try fixture.vault.advanceEpoch()
        try fixture.count()
        #expect(!fixture.vault.isAdvanceDue)
        #expect(try fixture.counter == 3 && fixture.vault.epoch == 3)
        try fixture.putBack(copy)
        #expect(fixture.refusal() == .rollback)
    }

    @Test func aCounterThatIsGoneOrAnothersIsRefused() throws {
        let fixture = try Fixture()
        try fixture.set("a")
        let tools = ["-T", fixture.tpm.tools]
        try Tool.output("tpm2_nvundefine", tools + ["-Q", "-C", "o", fixture.handle])
        fixture.close()
        #expect(fixture.refusal() == .rollback)
        let words = #expect(throws: VaultError.self) { try fixture.open() }?.description ?? ""
        #expect(words.contains("counter") && words.contains("coffer vault accept"), "\(words)")
        // A counter that looks the same, made without the password.
        try Tool.output(
            "tpm2_nvdefine",
            tools + [
                "-Q", "-C", "o", "-s", "8", "-a", "authwrite|authread|nt=counter|no_da", "-p", "theirs", fixture.handle,
            ])
        #expect(fixture.refusal() == .rollback)
        try Tool.output("tpm2_nvincrement", tools + ["-Q", "-P", "theirs", fixture.handle])
        #expect(fixture.refusal() == .rollback)
        #expect(try fixture.tpm.leftovers() == [])
        try fixture.accept()
        #expect(try fixture.has("a"))
        try #require(fixture.refusal() == nil)
    }

    @Test func aCounterThatSomebodyElseHasCountedIsRefused() throws {
        let fixture = try Fixture()
        try fixture.set("a")
        let password = try VaultKeys.counterPassword(deviceRoot: fixture.keys.deviceRoot, vault: fixture.record.vault)
        #expect(try fixture.sealer.count(to: 2, most: 1, password: password, record: fixture.record) == 2)
        // While it is open, at the next step; otherwise at the next opening.
        try fixture.vault.begin()
        try fixture.count()
        #expect(try fixture.sealer.count(to: 5, most: 3, password: password, record: fixture.record) == 5)
        try fixture.delete("a")
        let code = #expect(throws: SealerError.self) { try fixture.count() }?.code
        #expect(code == .counterGone)
        fixture.close()
        #expect(fixture.refusal() == .rollback)
    }

    @Test func aTPMThatWasPutBackIsNotBelieved() throws {
        let fixture = try Fixture()
        try fixture.set("a")
        try fixture.set("b")
        fixture.close()
        try fixture.tpm.stop()
        let state = try fixture.tpm.saveState()
        try fixture.tpm.restart()
        try fixture.open()
        try fixture.deleteAndCount("a")
        fixture.close()
        try fixture.tpm.stop()
        try fixture.tpm.restore(state)
        try fixture.tpm.restart()
        #expect(fixture.refusal() == .rollback)
        try fixture.accept()
        #expect(try !fixture.has("a") && fixture.has("b"))
        try #require(fixture.refusal() == nil)
    }

    /// Somebody puts the TPM back by a step while the vault is open. Another step would hide that.
    @Test func aTPMThatIsPutBackWhileTheVaultIsOpenIsNotBelieved() throws {
        let fixture = try Fixture()
        for account in ["a", "b"] { try fixture.set(account) }
        try fixture.vault.begin()
        try fixture.count()
        try fixture.tpm.stop()
        let state = try fixture.tpm.saveState()
        try fixture.tpm.restart()
        try fixture.delete("a")
        try fixture.count()
        try fixture.tpm.stop()
        try fixture.tpm.restore(state)
        try fixture.tpm.restart()
        try fixture.delete("b")
        let code = #expect(throws: SealerError.self) { try fixture.count() }?.code
        #expect(code == .counterGone)
    }

    @Test(arguments: [true, false])
    func whatIsAcceptedIsTheOnlyCopyFromThenOn(hasCounter: Bool) throws {
        let fixture = try Fixture()
        for account in ["a", "b", "c"] { try fixture.set(account) }
        fixture.close()
        var copies = [try fixture.copy()]
        try fixture.open()
        try fixture.deleteAndCount("a")
        copies.append(try fixture.copy())
        // Stopped before it was counted, so one step ahead.
        try fixture.delete("b")
        fixture.close()
        copies.append(try fixture.copy())
        if !hasCounter {
            try Tool.output("tpm2_nvundefine", ["-T", fixture.tpm.tools, "-Q", "-C", "o", fixture.handle])
        }
        try fixture.putBack(copies[0])
        #expect(fixture.refusal() == .rollback)
        let before = try VaultDatabase(path: fixture.path).read { (rows) throws(VaultError) in
            try Header(decoding: rows.header().content)
        }
        try fixture.accept()
        #expect(try fixture.has("a") && fixture.has("b"))
        #expect(try fixture.counter == fixture.vault.epoch)
        #expect(fixture.vault.lastHeader.revision == before.revision + 1)
        // Two steps beyond what was counted: beyond a copy that is one ahead, and no more.
        if hasCounter { #expect(fixture.vault.epoch == 5) }
        fixture.close()
        let accepted = try fixture.copy()
        for copy in copies {
            try fixture.putBack(copy)
            #expect(fixture.refusal() == .rollback)
        }
        try fixture.putBack(accepted)
        try #require(fixture.refusal() == nil)
        try fixture.deleteAndCount("c")
        try fixture.putBack(accepted)
        #expect(fixture.refusal() == .rollback)
        #expect(try fixture.tpm.leftovers() == [])
    }

    @Test func acceptingTakesNoDamagedFileAndNoForeignOne() throws {
        let tpm = try SWTPM()
        let fixture = try Fixture(tpm: tpm)
        let other = try Fixture(tpm: tpm)
        other.close()
        try fixture.putBack(try other.copy())
        #expect(vaultError { try fixture.accept() } == .damaged)
        #expect(try fixture.counter == 1)
    }

    @Test func acceptanceTakesNoOtherVaultsCounter() throws {
        let tpm = try SWTPM()
        let tools = ["-T", tpm.tools, "-Q", "-C", "o"]
        // The first vault takes the handles behind this one, and then the second has it and the first's counter's.
        try Tool.output("tpm2_nvdefine", tools + ["-s", "8", "0x01B0C000"])
        let fixture = try Fixture(tpm: tpm)
        try fixture.set("a")
        for handle in ["0x01B0C000", fixture.handle] { try Tool.output("tpm2_nvundefine", tools + [handle]) }
        let other = try Fixture(owner: .user(1001), tpm: tpm)
        try #require(other.handle == fixture.handle)
        try Folder.make(fixture.registry.directory, mode: 0o755)
        try fixture.registry.write(other.record)
        for isSetAside in [false, true] {
            if isSetAside { _ = try fixture.registry.setAside(other.record.owner, stamp: "1") }
            let words = #expect(throws: VaultError.self) { try fixture.accept() }?.description ?? ""
            #expect(words.contains("another vault") && words.contains("coffer vault set-aside"), "\(words)")
            #expect(try other.counter == 1)
            #expect(fixture.refusal() == .rollback)
        }
        // A record that cannot be read may be that of a vault which needs the counter.
        let record = fixture.registry.setAsideDirectory + "/user-1001.1.json"
        try FileManager.default.removeItem(atPath: record)
        try DurableFile.write(Array("{".utf8), to: record, mode: 0o644)
        #expect(vaultError { try fixture.accept() } == .storage)
        #expect(try other.counter == 1)
        // A copy of this vault's own record is no other vault's.
        try FileManager.default.removeItem(atPath: record)
        try fixture.registry.write(fixture.record)
        try Tool.output("tpm2_nvundefine", tools + [fixture.handle])
        try fixture.accept()
        #expect(try fixture.has("a"))
    }

    @Test func acceptanceLeavesAnIndexThatIsNoCounter() throws {
        let fixture = try Fixture()
        try fixture.set("a")
        let tools = ["-T", fixture.tpm.tools, "-Q", "-C", "o"]
        try Tool.output("tpm2_nvundefine", tools + [fixture.handle])
        try Tool.output("tpm2_nvdefine", tools + ["-s", "8", "-a", "ownerwrite|ownerread|no_da", fixture.handle])
        let words = #expect(throws: VaultError.self) { try fixture.accept() }?.description ?? ""
        #expect(words.contains("another NV index") && words.contains("coffer vault set-aside"), "\(words)")
        // Fails if it is gone.
        try Tool.output("tpm2_nvundefine", tools + [fixture.handle])
        try fixture.accept()
        #expect(try fixture.has("a"))
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
        let fixture = try Fixture()
        fixture.close()
        fixture.recorder.reset()
        try fixture.open()
        #expect(fixture.recorder.names == ["TPM2_StartAuthSession", "TPM2_ActivateCredential", "TPM2_NV_Read"])
        try fixture.set("a")
        fixture.recorder.reset()
        try fixture.deleteAndCount("a")
        #expect(
            fixture.recorder.names.filter { $0 != "TPM2_FlushContext" } == [
                "TPM2_StartAuthSession", "TPM2_NV_Read", "TPM2_NV_Increment", "TPM2_StartAuthSession", "TPM2_NV_Read",
                "TPM2_NV_Increment",
            ])
    }

    @Test func anUncountedVaultGoesOnWithoutSteps() throws {
        let fixture = try VaultFixture()
        let vault = try fixture.open()
        try vault.set(.make("s", "a", "x"))
        #expect(!vault.isCounted && !vault.isAdvanceDue && !vault.isAhead && vault.hasBegun && !vault.isUnprotected)
        // Nothing is to be begun, advanced or counted.
        try vault.begin()
        try vault.advanceEpoch()
        try vault.count(with: fixture.sealer)
        #expect(vault.epoch == 1)
        try vault.delete(vault.find(service: "s", account: "a"))
        #expect(vault.epoch == 2)
    }
}
