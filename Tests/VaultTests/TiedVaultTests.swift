import Authorization
import Cryptography
import Foundation
import JSON
import Recovery
import TPM
import TestSupport
import Testing

@testable import Vault

/// A vault that is tied to the boot, on a real TPM. The attacker starts another system on the machine and is root
/// there. They have the TPM and all files, also the authenticator's key.
struct TiedVaultTests {
    typealias Fixture = BoundVaultTests.Fixture

    private let other = [UInt8](repeating: 0xEE, count: 32)
    private let update = [UInt8](repeating: 0x0B, count: 32)

    /// The result of a boot that does not open the vault.
    private func refusal(_ body: () throws -> Void) -> SealerError.Code? {
        do {
            try body()
            return nil
        } catch let error as VaultError {
            return (error.cause as? SealerError)?.code
        } catch { return (error as? SealerError)?.code }
    }

    @Test func tyingAndReleasingKeepWhatIsThere() throws {
        let fixture = try Fixture()
        try fixture.set("plain")
        try fixture.tie()
        try fixture.set("later")
        try fixture.reopen()
        for account in ["plain", "later"] {
            #expect(try fixture.value(account, fixture.keys()) == "value of \(account)")
        }
        #expect(try fixture.indexes.count == 1)
        _ = try fixture.vault.verify()

        // Another boot, and the right one again.
        try fixture.tpm.measure(7, other)
        #expect(refusal { try fixture.reopen() } == .bootNotApproved)
        try fixture.tpm.powerCycle()
        try fixture.reopen()
        #expect(try fixture.value("plain", fixture.keys()) == "value of plain")

        try fixture.release()
        #expect(try fixture.indexes == [])
        #expect(fixture.vault.objects[.approvingKey] == nil && fixture.vault.objects[.approvedBoots] == nil)
        try fixture.tpm.measure(7, other)
        try fixture.reopen()
        #expect(try fixture.value("later", fixture.keys()) == "value of later")
        _ = try fixture.vault.verify()
        #expect(try fixture.tpm.leftovers() == [])
    }

    @Test func underAnotherBootNoneOfTheRootsOpens() throws {
        let fixture = try Fixture()
        try fixture.tie()
        let objects = fixture.vault.objects
        try fixture.tpm.measure(4, other)
        // The attacker signs with the authenticator's own key.
        for role in [ObjectRole.unlockRoot, .recovery, .approvingKey] {
            #expect(refusal { _ = try fixture.open(role, objects) } == .bootNotApproved)
        }
        #expect(refusal { _ = try fixture.sealer.openDeviceRoot(objects, record: fixture.record) } == .bootNotApproved)
        // The attacker can write the list in the file, but not what the TPM keeps.
        let boot = try #require(fixture.record.boot)
        let now = try fixture.sealer.standing(of: fixture.vault.boots, record: fixture.record).now
        var forged = objects
        forged[.approvedBoots] = BootList(inForce: [ApprovedBoot(digest: now, approved: 1)]).object
        #expect(refusal { _ = try fixture.sealer.openDeviceRoot(forged, record: fixture.record) } == .bootNotApproved)
        // The same holds for the registry. With other registers, or none, the policy is not that of the objects.
        let unmeasured = try #require(BootPin(index: boot.index, registers: [9]))
        #expect(
            refusal {
                _ = try fixture.sealer.openDeviceRoot(forged, record: fixture.record.with(boot: unmeasured, names: [:]))
            } == .bootNotApproved)
        #expect(
            refusal {
                _ = try fixture.sealer.openDeviceRoot(objects, record: fixture.record.with(boot: nil, names: [:]))
            }
                == .damaged)
        #expect(try fixture.tpm.leftovers() == [])
    }

    @Test func anUpdateIsApprovedBeforeItHappensAndTheOldBootRevokedAfterIt() throws {
        let fixture = try Fixture()
        try fixture.set("plain")
        try fixture.tie()
        let before = try fixture.copy()
        try fixture.approve(measuring: 4, update)
        try fixture.reopen()
        #expect(try fixture.vault.boots.inForce.count == 2)
        let between = try fixture.copy()
        // The machine runs with it.
        try fixture.tpm.measure(4, update)
        try fixture.reopen()
        #expect(try fixture.value("plain", fixture.keys()) == "value of plain")
        try fixture.pruneBoot()
        try fixture.reopen()
        #expect(try fixture.vault.boots.inForce.count == 1)
        // Somebody starts it with the old kernel, and puts back the files of that time.
        try fixture.tpm.powerCycle()
        #expect(refusal { try fixture.reopen() } == .bootNotApproved)
        for file in [before, between] {
            try fixture.restore(file)
            #expect(refusal { try fixture.reopen() } == .bootNotApproved)
        }
        // The objects sealed then are the same, and useless under that boot.
        try fixture.restore(between)
        let sealed = try fixture.storedObjects()
        for role in ObjectRole.tiedToBoot { #expect(sealed[role] == fixture.last[role]) }
        #expect(refusal { _ = try fixture.open(.unlockRoot, sealed) } == .bootNotApproved)
    }

    @Test func aRestoredFileOpensUnderTheBootThatIsApproved() throws {
        let fixture = try Fixture()
        try fixture.set("plain")
        try fixture.tie()
        let before = try fixture.copy()
        try fixture.approve(measuring: 4, update)
        try fixture.tpm.measure(4, update)
        try fixture.pruneBoot()
        // A backup from before the update is no reason to lock its owner out.
        try fixture.restore(before)
        try fixture.reopen()
        #expect(try fixture.value("plain", fixture.keys()) == "value of plain")
    }

    @Test func aRedefinedIndexOpensNothingAndIsNoDamage() throws {
        let fixture = try Fixture()
        try fixture.tie()
        let boot = try #require(fixture.record.boot)
        let list = try fixture.vault.boots
        try fixture.tpm.redefine(
            boot.index.handle, attributes: "policywrite|authread|no_da", size: 34, policy: boot.index.policy)
        #expect(refusal { try fixture.reopen() } == .bootIndexGone)
        #expect(refusal { _ = try fixture.sealer.standing(of: list, record: fixture.record) } == .bootIndexGone)
        #expect(vaultError { try fixture.reopen() } == .sealer)
        // With rights for the owner the attacker can write it, but it is then another index.
        try fixture.tpm.redefine(
            boot.index.handle, attributes: "ownerwrite|policywrite|authread|no_da", size: 34, policy: boot.index.policy)
        let content = fixture.tpm.folder.path + "/content"
        try Tool.output("sh", ["-c", "head -c 34 /dev/zero > \(content)"])
        try Tool.output(
            "tpm2_nvwrite",
            ["-T", fixture.tpm.tools, "-Q", "-C", "o", "-i", content, "0x" + String(boot.index.handle, radix: 16)])
        #expect(refusal { try fixture.reopen() } == .bootIndexGone)
        try Tool.output(
            "tpm2_nvundefine", ["-T", fixture.tpm.tools, "-Q", "-C", "o", "0x" + String(boot.index.handle, radix: 16)])
        #expect(refusal { try fixture.reopen() } == .bootIndexGone)
    }

    @Test func withoutTheAuthenticatorsSignatureNobodyApproves() throws {
        let fixture = try Fixture()
        try fixture.tie()
        let objects = fixture.vault.objects
        // A broker that was taken over has files, TPM and the approved boot, and can ask for signatures of other kinds.
        let stranger = try P256.PrivateKey.generate()
        #expect(
            refusal {
                _ = try fixture.sealer.open(.approvingKey, objects, record: fixture.record) {
                    (request) throws(SigningRefusal) in try fixture.sign(request, by: stranger)
                }
            } == .policyRefused)
        for kind in AuthorizationKind.allCases where kind != .boot {
            #expect(
                refusal {
                    _ = try fixture.sealer.open(.approvingKey, objects, record: fixture.record) {
                        (request) throws(SigningRefusal) in
                        let asked = SigningRequest(
                            nonce: request.nonce, parameterHash: request.parameterHash,
                            reference: fixture.record.policyReference(for: kind))
                        guard let asked else { throw SigningRefusal("no such request") }
                        return try fixture.sign(asked)
                    }
                } == .policyRefused, "\(kind)")
        }
        // A signature for the approving key opens nothing else.
        for role in [ObjectRole.unlockRoot, .recovery] {
            #expect(
                refusal {
                    _ = try fixture.sealer.open(role, objects, record: fixture.record) {
                        (request) throws(SigningRefusal) in
                        let asked = SigningRequest(
                            nonce: request.nonce, parameterHash: request.parameterHash,
                            reference: fixture.record.policyReference(for: .boot))
                        guard let asked else { throw SigningRefusal("no such request") }
                        return try fixture.sign(asked)
                    }
                } == .policyRefused)
        }
        // The attacker's own key does not write the index either, although the attacker can write the file that holds
        // it.
        let digest = [UInt8](repeating: 9, count: 32)
        let forged = [ApprovedBoot(digest: digest, approved: 1)]
        #expect(
            refusal { try fixture.sealer.approve(forged, by: stranger.rawRepresentation, record: fixture.record) }
                != nil)
        #expect(try fixture.sealer.standing(of: fixture.vault.boots, record: fixture.record).isApproved)
    }

    @Test func whatWasSealedForAnEarlierTieIsDead() throws {
        let fixture = try Fixture()
        try fixture.tie()
        let (objects, record) = (fixture.vault.objects, fixture.record)
        try fixture.release()
        try fixture.tie()
        for role in [ObjectRole.unlockRoot, .recovery, .approvingKey] {
            #expect(
                refusal {
                    _ = try fixture.sealer.open(role, objects, record: record) { (request) throws(SigningRefusal) in
                        try fixture.sign(request)
                    }
                } == .bootIndexGone)
        }
        // The file of that time does not match the present registry.
        #expect(throws: Never.self) { try fixture.reopen() }
    }

    @Test(arguments: [true, false])
    func aStopAtAnyStepLeavesAVaultThatOpens(ties: Bool) throws {
        let fixture = try Fixture()
        if !ties { try fixture.tie() }
        try fixture.set("plain")
        // 1. The file has both, and the registry names the old one. Everything is as before, again and again.
        for _ in 0..<2 {
            _ = try fixture.beginTie(ties)
            let useless = fixture.vault.uselessIndex
            #expect((useless != nil) == ties)
            if let useless { try fixture.sealer.remove(useless) }
            try fixture.reopen()
            #expect(!fixture.vault.isBindingUnfinished)
            #expect((fixture.vault.objects[.approvingKey] == nil) == ties)
            #expect(try fixture.value("plain", fixture.keys()) == "value of plain")
            _ = try fixture.vault.verify()
        }
        // 2. The registry names the new one. It opens the vault, and the old one is still to be removed.
        fixture.record = try fixture.beginTie(ties)
        try fixture.reopen()
        #expect(fixture.vault.isBindingUnfinished)
        // Another transition would take the place of roots that the registry names.
        let root = ResealedRoot(object: try #require(fixture.vault.objects[.unlockRoot]), name: [], index: nil)
        let secret = try SecretBytes.random(count: 32)
        #expect(vaultError { try fixture.vault.begin(from: secret, to: secret, root) } == .changed)
        #expect(try fixture.value("plain", fixture.keys()) == "value of plain")
        try fixture.set("later")
        _ = try fixture.vault.verify()
        // 3. The old one was removed.
        _ = try fixture.finishBinding()
        try fixture.reopen()
        #expect(!fixture.vault.isBindingUnfinished)
        #expect(try fixture.value("later", fixture.keys()) == "value of later")
        #expect(try fixture.indexes.count == (ties ? 1 : 0))
        _ = try fixture.vault.verify()
        #expect(try fixture.tpm.leftovers() == [])
    }

    @Test func aStopWhileABootIsApprovedLeavesAVaultThatOpens() throws {
        let fixture = try Fixture()
        try fixture.set("plain")
        try fixture.tie()
        let next = try fixture.predicted(4, update)
        let list = try fixture.vault.boots.inForce + [ApprovedBoot(digest: next, approved: 2)]
        // The file has both lists, and the TPM the old one.
        try fixture.vault.put(BootList(inForce: fixture.vault.boots.inForce, next: list))
        try fixture.reopen()
        #expect(try fixture.value("plain", fixture.keys()) == "value of plain")
        // The TPM has the new one.
        try fixture.sealer.approve(list, by: fixture.open(.approvingKey, fixture.vault.objects), record: fixture.record)
        try fixture.reopen()
        #expect(try fixture.sealer.standing(of: fixture.vault.boots, record: fixture.record).inForce == list)
        try fixture.tpm.measure(4, update)
        try fixture.reopen()
        #expect(try fixture.value("plain", fixture.keys()) == "value of plain")
        _ = try fixture.vault.verify()
    }

    /// The disk is full. The person who approves a boot hears of that, and the TPM approves nothing. Memory has the list
    /// that the file has: the new one only if the disk failed after the commit.
    @Test func aListIsTakenIfTheFileHasIt() throws {
        let fixture = try Fixture()
        try fixture.tie()
        let present = try fixture.vault.boots
        let list = try present.inForce + [ApprovedBoot(digest: fixture.predicted(4, update), approved: 2)]
        let both = BootList(inForce: present.inForce, next: list)
        try withoutWriting(fixture.path + "-wal") {
            #expect(vaultError { try fixture.vault.put(both) } == .storage)
        }
        #expect(try fixture.vault.boots == present)
        #expect(try fixture.vault.list().isEmpty)
        try withoutWriting(fixture.path) { #expect(vaultError { try fixture.vault.put(both) } == .storage) }
        #expect(try fixture.vault.boots == both)
        #expect(try fixture.vault.list().isEmpty)
        try fixture.reopen()
        #expect(try fixture.vault.boots == both)
    }

    @Test func aBoundVaultIsTiedToo() throws {
        let fixture = try Fixture()
        try fixture.bind(to: Fixture.pin)
        try fixture.set("bound", .passcodeSet)
        try fixture.tie()
        #expect(fixture.vault.isBound)
        #expect(refusal { _ = try fixture.root(Fixture.other) } == .wrongPIN)
        #expect(try fixture.value("bound", fixture.keys()) == "value of bound")
        // Another password: still tied.
        try fixture.bind(to: Fixture.other)
        try fixture.reopen()
        #expect(try fixture.value("bound", fixture.keys(Fixture.other)) == "value of bound")
        // Under another boot the password is not even tried.
        let objects = fixture.vault.objects
        try fixture.tpm.measure(7, other)
        let pin = try SecretBytes(copying: Fixture.other)
        #expect(
            refusal {
                _ = try fixture.sealer.openBound(objects, record: fixture.record) { (request) throws(SigningRefusal) in
                    BoundProof(signature: try fixture.sign(request), pin: pin)
                }
            } == .bootNotApproved)
        try fixture.tpm.powerCycle()
        try fixture.release(from: Fixture.other)
        #expect(try fixture.value("bound", fixture.keys(Fixture.other)) == "value of bound")
        try fixture.bind(to: nil, from: Fixture.other)
        #expect(try fixture.indexes == [])
    }

    @Test func theRecoveryCodeBringsItBackWithoutTheBoot() throws {
        let fixture = try Fixture()
        try fixture.set("plain")
        // An item that was made before, and one that is made while it is tied.
        let before = try RecoveryCode.random()
        try fixture.vault.confirm(try fixture.vault.wrap(fixture.open(.recovery, fixture.vault.objects), under: before))
        try fixture.tie()
        let folder = try TemporaryFolder()
        func recovered(_ code: RecoveryCode) throws -> [String] {
            let copy = folder.path + "/old.vault"
            try fixture.copy().write(to: URL(fileURLWithPath: copy))
            return try RecoverableVault(copying: copy, to: folder.path, code: code).items.map(
                \.summary.metadata.account)
        }
        #expect(try recovered(before) == ["plain"])
        let after = try RecoveryCode.random()
        try fixture.vault.confirm(try fixture.vault.wrap(fixture.open(.recovery, fixture.vault.objects), under: after))
        #expect(try recovered(after) == ["plain"])
        #expect(throws: VaultError.self) { try recovered(before) }
    }

    @Test func itTakesFewCommands() throws {
        let recorder = CommandRecorder()
        let fixture = try Fixture()
        let sealer = TPMSealer(TPMAccess.patient(fixture.tpm.configuration, observer: recorder))
        func count(_ body: () throws -> Void) rethrows -> Int {
            recorder.reset()
            try body()
            return recorder.count
        }
        let plain = fixture.vault.objects
        // The search for what an earlier process left behind happens once.
        _ = try sealer.openDeviceRoot(plain, record: fixture.record)
        #expect(try count { _ = try sealer.openDeviceRoot(plain, record: fixture.record) } == 2)
        try fixture.tie()
        let objects = fixture.vault.objects
        #expect(try count { _ = try sealer.openDeviceRoot(objects, record: fixture.record) } == 7)
        #expect(
            try count {
                _ = try sealer.open(.unlockRoot, objects, record: fixture.record) { (request) throws(SigningRefusal) in
                    try fixture.sign(request)
                }
            } == 11)
        #expect(try count { _ = try sealer.standing(of: fixture.vault.boots, record: fixture.record) } == 3)
        try fixture.release()
        let released = fixture.vault.objects
        #expect(try count { _ = try sealer.openDeviceRoot(released, record: fixture.record) } == 2)
    }

    @Test func theEpochsCounterIsReadOnTheSameWay() throws {
        let (tpm, recorder) = (try SWTPM(), CommandRecorder())
        let sealer = TPMSealer(TPMAccess.patient(tpm.configuration, observer: recorder))
        let (id, authenticator) = (try VaultID.random(), try P256.PrivateKey.generate())
        let keys = try sealer.makeKeys(vault: id, owner: .user(1000), authenticatorKey: authenticator.publicKey)
        let record = RegistryRecord(
            vault: id, owner: .user(1000), ownerName: "tester", created: 1, sealer: .tpm,
            authenticatorKey: authenticator.publicKey, storageKey: keys.storageKey, counter: keys.counter,
            objects: keys.names)
        let objects = SealedObjects(uniqueKeysWithValues: keys.objects.map { ($0.role, $0) })
        let before = try sealer.openCounted(objects, record: record)
        let roots = ReleasedRoots(unlockRoot: keys.unlockRoot, recovery: try SecretBytes.random(count: 32))
        let sealed = try sealer.tie(roots, to: [4, 7], objects, record: record, now: 1)
        let tied = SealedObjects(uniqueKeysWithValues: sealed.objects.map { ($0.role, $0) })
        recorder.reset()
        let after = try sealer.openCounted(tied, record: record.with(boot: sealed.boot, names: sealed.names))
        #expect(recorder.count == 9, "\(recorder.names)")
        #expect(after.deviceRoot == before.deviceRoot && after.epoch == before.epoch && after.epoch != nil)
        #expect(try tpm.leftovers() == [])
    }

    @Test func theListInTheFileIsTheVaultsOwn() throws {
        let fixture = try Fixture()
        try fixture.tie()
        // The boot is the approved one, so the vault opens. The header then shows that its list was changed.
        let second = [ApprovedBoot(digest: other, approved: 7)]
        let forged = try BootList(inForce: fixture.vault.boots.inForce, next: second).object
        let text = forged.public.map { String(format: "%02x", $0) }.joined()
        fixture.close()
        try Tool.output("sqlite3", [fixture.path, "UPDATE object SET public = x'\(text)' WHERE role = 5"])
        #expect(vaultError { try fixture.reopen() } == .damaged)
        for broken in ["DELETE FROM object WHERE role = 5", "DELETE FROM object WHERE role = 4"] {
            try Tool.output("sqlite3", [fixture.path, broken])
            #expect(vaultError { try fixture.reopen() } == .damaged)
        }
    }

    @Test func registersThatAnyProgramCanResetTellNoBoot() throws {
        let index = try #require(IndexPin(handle: 0x01B0_C000, policy: [UInt8](repeating: 0, count: 32)))
        for registers in [[], [16], [23], [4, 4], [24], [-1]] {
            #expect(BootPin(index: index, registers: registers) == nil, "\(registers)")
        }
        #expect(BootPin(index: index, registers: [7, 4])?.registers == [4, 7])
        let fixture = try VaultFixture()
        let pin = try #require(BootPin(index: index, registers: [7]))
        let name = [UInt8](repeating: 1, count: 34)
        let lying = fixture.record.with(boot: pin, names: [.approvingKey: name])
        let bytes = JSONWriter.bytes(of: lying)
        #expect(throws: JSONFailure.self) { try JSONReader.read(RegistryRecord.self, from: bytes) }
    }
}

extension BoundVaultTests.Fixture {
    /// The first step: the file.
    func beginTie(_ ties: Bool, from pin: [UInt8] = BoundVaultTests.Fixture.pin) throws -> RegistryRecord {
        let root = try root(pin)
        let recovery = try open(.recovery, vault.objects)
        let next = try SecretBytes.random(count: 32)
        let roots = ReleasedRoots(unlockRoot: next, recovery: recovery)
        let sealed =
            ties
            ? try sealer.tie(roots, to: [4, 7], vault.objects, record: record, now: 1)
            : try sealer.untie(roots, vault.objects, record: record)
        try vault.begin(from: root, to: next, sealed)
        return record.with(boot: sealed.boot, names: sealed.names)
    }

    func tie(from pin: [UInt8] = BoundVaultTests.Fixture.pin) throws {
        record = try beginTie(true, from: pin)
        try vault.take(record, sealer: sealer)
        _ = try finishBinding()
    }

    func release(from pin: [UInt8] = BoundVaultTests.Fixture.pin) throws {
        try reopen()
        record = try beginTie(false, from: pin)
        try vault.take(record, sealer: sealer)
        _ = try finishBinding()
    }

    func open(_ role: ObjectRole, _ objects: SealedObjects) throws -> SecretBytes {
        try sealer.open(role, objects, record: record) { (request) throws(SigningRefusal) in try sign(request) }
    }

    func sign(_ request: SigningRequest, by key: P256.PrivateKey) throws(SigningRefusal) -> [UInt8] {
        do { return try key.signature(for: request.message()) } catch { throw SigningRefusal("\(error)") }
    }

    /// The registers' values if this is measured as well.
    func predicted(_ register: Int, _ digest: [UInt8]) throws -> [UInt8] {
        var values = try sealer.standing(of: vault.boots, record: record).values
        values[register] = try SHA256.digest((values[register] ?? []) + digest)
        return try #require(record.boot).digest(of: values)
    }

    func approve(measuring register: Int, _ digest: [UInt8]) throws {
        try put(vault.boots.inForce + [ApprovedBoot(digest: predicted(register, digest), approved: 2)])
    }

    func pruneBoot() throws {
        let standing = try sealer.standing(of: vault.boots, record: record)
        try put(standing.inForce.filter { $0.digest == standing.now })
    }

    private func put(_ list: [ApprovedBoot]) throws {
        try vault.put(BootList(inForce: vault.boots.inForce, next: list))
        try sealer.approve(list, by: open(.approvingKey, vault.objects), record: record)
        try vault.put(BootList(inForce: list))
        last = vault.objects
    }

    /// The present file of the vault.
    func copy() throws -> Data {
        close()
        defer { try? reopen() }
        return try Data(contentsOf: URL(fileURLWithPath: path))
    }

    func restore(_ file: Data) throws {
        close()
        try file.write(to: URL(fileURLWithPath: path))
    }

    /// As the file has them, no matter who opens it.
    func storedObjects() throws -> SealedObjects {
        try VaultDatabase(path: path).read { (rows) throws(VaultError) in try rows.objects() }
    }
}
