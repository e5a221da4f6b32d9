import Authorization
import Cryptography
import Foundation
import Item
import JSON
import TPM
import TestSupport
import Testing

@testable import Vault

/// A vault that is bound to a password, on a real TPM. The attacker has the broker's files, its uid, the TPM and even a
/// signature, but not the password.
struct BoundVaultTests {
    /// A vault in a folder, an authenticator that always agrees, and a registry that is a value.
    final class Fixture {
        let tpm: SWTPM
        let folder: TemporaryFolder
        let sealer: TPMSealer
        let authenticator: P256.PrivateKey
        var record: RegistryRecord
        /// The counter's index. It does not matter here, and is not in the record.
        private let counter: String
        private var held: OpenVault?
        /// The objects at the last change of the approved boots.
        var last: SealedObjects = [:]

        static let pin = [UInt8](repeating: 0x42, count: 32)
        static let other = [UInt8](repeating: 0x24, count: 32)

        init(tpm: SWTPM? = nil, owner: Owner = .user(1000)) throws {
            self.tpm = try tpm ?? SWTPM()
            folder = try TemporaryFolder()
            sealer = TPMSealer(TPMAccess.patient(self.tpm.configuration))
            authenticator = try P256.PrivateKey.generate()
            let id = try VaultID.random()
            let keys = try sealer.makeKeys(vault: id, owner: owner, authenticatorKey: authenticator.publicKey)
            counter = "0x" + String(keys.counter?.handle ?? 0, radix: 16, uppercase: true)
            record = RegistryRecord(
                vault: id, owner: owner, ownerName: "tester", created: 1, sealer: .tpm,
                authenticatorKey: authenticator.publicKey, storageKey: keys.storageKey, objects: keys.names,
                generation: keys.generation)
            try VaultFile.create(directory: folder.path, keys: keys, record: record)
            try reopen()
        }

        /// Open except between `close` and `reopen`.
        var vault: OpenVault { held! }

        /// The file can be open only once.
        func close() { held = nil }

        var path: String { VaultFile.path(of: record.owner, in: folder.path) }

        func reopen(_ record: RegistryRecord? = nil) throws {
            close()
            held = try OpenVault(directory: folder.path, record: record ?? self.record, sealer: sealer)
        }

        func root(_ pin: [UInt8] = Fixture.pin) throws -> SecretBytes {
            guard record.binding != nil else {
                return try sealer.open(.unlockRoot, vault.objects, record: record) {
                    (request) throws(SigningRefusal) in try sign(request)
                }
            }
            let secret = try SecretBytes(copying: pin)
            return try sealer.openBound(vault.objects, record: record) { (request) throws(SigningRefusal) in
                BoundProof(signature: try sign(request), pin: secret)
            }
        }

        func sign(_ request: SigningRequest) throws(SigningRefusal) -> [UInt8] {
            do { return try authenticator.signature(for: request.message()) } catch { throw SigningRefusal("\(error)") }
        }

        func keys(_ pin: [UInt8] = Fixture.pin) throws -> ClassKeys { try vault.classKeys(unlockRoot: root(pin)) }

        /// The first step: the file.
        func begin(to pin: [UInt8]?, from present: [UInt8] = Fixture.pin) throws -> (ResealedRoot, RegistryRecord) {
            let root = try root(present)
            let next = try SecretBytes.random(count: 32)
            let sealed =
                if let pin {
                    try sealer.bind(next, pin: SecretBytes(copying: pin), record: record)
                } else { try sealer.sealUnbound(next, record: record) }
            try vault.begin(from: root, to: next, sealed)
            let binding = sealed.index.flatMap { BindingPin(index: $0, salt: [UInt8](repeating: 1, count: 16)) }
            return (sealed, record.with(binding: binding, unlockRoot: sealed.name))
        }

        /// All three steps: the file, the registry, and the removal of the old root.
        @discardableResult
        func bind(to pin: [UInt8]?, from present: [UInt8] = Fixture.pin) throws -> Int {
            record = try begin(to: pin, from: present).1
            try vault.take(record, sealer: sealer)
            return try finishBinding()
        }

        func finishBinding() throws -> Int {
            if let index = vault.uselessIndex { try sealer.remove(index) }
            return try vault.finishBinding()
        }

        func set(_ account: String, _ accessibility: AccessControl.Accessibility = .whenUnlocked) throws {
            try vault.set(.make("s", account, "value of \(account)", AccessControl(accessibility)))
        }

        func value(_ account: String, _ keys: ClassKeys) throws -> String {
            let item = try vault.find(service: "s", account: account)
            return String(
                decoding: revealed(try vault.value(of: item, classKeys: keys, agreements: [:])), as: UTF8.self)
        }

        /// The indexes that count tries. The vault's generation and its counter have indexes too.
        var indexes: [String] {
            get throws {
                let generation = record.generation.map { String($0.handle, radix: 16) } ?? "none"
                return try Tool.output("tpm2_getcap", ["-T", tpm.tools, "handles-nv-index"]).split(separator: "\n")
                    .map { $0.lowercased() }.filter { !$0.contains(generation) && !$0.contains(counter.lowercased()) }
            }
        }
    }

    private func code(_ body: () throws -> Void) -> SealerError.Code? {
        do {
            try body()
            return nil
        } catch { return (error as? SealerError)?.code }
    }

    @Test func bindingUnbindingAndBindingAnewKeepWhatIsToBeKept() throws {
        let fixture = try Fixture()
        try fixture.set("plain")
        #expect(vaultError { try fixture.set("bound", .passcodeSet) } == .invalidArgument)
        try fixture.bind(to: Fixture.pin)
        #expect(fixture.vault.isBound)
        try fixture.set("bound", .passcodeSet)
        try fixture.reopen()
        #expect(try fixture.value("plain", fixture.keys()) == "value of plain")
        #expect(try fixture.value("bound", fixture.keys()) == "value of bound")
        // A lock removes the class key.
        #expect(vaultError { _ = try fixture.value("bound", fixture.keys().locked()) } == .locked)

        // Another password: everything stays, and the one index is a new one.
        let first = try fixture.indexes
        try fixture.bind(to: Fixture.other)
        #expect(try fixture.indexes.count == 1)
        #expect(first.count == 1)
        #expect(code { _ = try fixture.root(Fixture.pin) } == .wrongPIN)
        #expect(try fixture.value("bound", fixture.keys(Fixture.other)) == "value of bound")

        // The end of the binding: the class goes with its items.
        #expect(try fixture.vault.passcodeSetCount == 1)
        #expect(try fixture.bind(to: nil, from: Fixture.other) == 1)
        #expect(try fixture.indexes == [])
        try fixture.reopen()
        #expect(try fixture.value("plain", fixture.keys()) == "value of plain")
        #expect(vaultError { _ = try fixture.vault.find(service: "s", account: "bound") } == .notFound)
        #expect(vaultError { try fixture.set("bound", .passcodeSet) } == .invalidArgument)
        _ = try fixture.vault.verify()
        #expect(try fixture.tpm.leftovers() == [])
    }

    @Test func theSignatureAloneOpensNothing() throws {
        let fixture = try Fixture()
        try fixture.bind(to: Fixture.pin)
        // The attacker can sign, and has file and TPM, but not the password. The TPM refuses, and counts guesses.
        #expect(
            code {
                _ = try fixture.sealer.begin(
                    .open(.unlockRoot), fixture.vault.objects, record: fixture.record, index: nil
                )
                .finish { (request) throws(SigningRefusal) in
                    BoundProof(signature: try fixture.sign(request), pin: nil)
                }
            } == .policyRefused)
        // A registry without the password does not help, because the object's policy needs it.
        let lying = fixture.record.with(binding: nil, unlockRoot: fixture.record.objects[.unlockRoot] ?? [])
        #expect(
            code {
                _ = try fixture.sealer.open(.unlockRoot, fixture.vault.objects, record: lying) {
                    (request) throws(SigningRefusal) in try fixture.sign(request)
                }
            } == .damaged)
        for left in (0..<TPMSealer.tries).reversed() {
            do {
                _ = try fixture.root(Fixture.other)
                Issue.record("a guess opened it")
            } catch let error as SealerError {
                #expect(error.code == .wrongPIN)
                #expect(error.triesLeft == left)
            }
        }
        #expect(code { _ = try fixture.root(Fixture.other) } == .triesUsedUp)
        #expect(code { _ = try fixture.root() } == .triesUsedUp)
        #expect(try fixture.tpm.leftovers() == [])
    }

    @Test func noProofNoTry() throws {
        let fixture = try Fixture()
        try fixture.bind(to: Fixture.pin)
        #expect(
            code {
                _ = try fixture.sealer.openBound(fixture.vault.objects, record: fixture.record) {
                    (request) throws(SigningRefusal) in BoundProof(signature: try fixture.sign(request), pin: nil)
                }
            } == .signingRefused)
        // Without a valid signature the password is not even tried.
        let pin = try SecretBytes(copying: Fixture.other)
        #expect(
            code {
                _ = try fixture.sealer.openBound(fixture.vault.objects, record: fixture.record) { _ in
                    BoundProof(signature: [UInt8](repeating: 7, count: 64), pin: pin)
                }
            } == .policyRefused)
        do {
            _ = try fixture.root(Fixture.other)
        } catch let error as SealerError { #expect(error.triesLeft == TPMSealer.tries - 1) }
    }

    @Test func onesGuessesLockOutNobodyElse() throws {
        let mine = try Fixture()
        let yours = try Fixture(tpm: mine.tpm, owner: .user(1001))
        try mine.bind(to: Fixture.pin)
        try yours.bind(to: Fixture.other)
        for _ in 0...TPMSealer.tries { _ = code { _ = try mine.root(Fixture.other) } }
        #expect(code { _ = try mine.root() } == .triesUsedUp)
        #expect(throws: Never.self) { _ = try yours.keys(Fixture.other) }
        // It does not lock the TPM's other uses out either, this user's gated items included.
        #expect(throws: Never.self) { try mine.reopen() }
        let variables = try Tool.output("tpm2_getcap", ["-T", mine.tpm.tools, "properties-variable"])
        #expect(variables.contains("TPM2_PT_LOCKOUT_COUNTER: 0x0"))
    }

    @Test func aRedefinedIndexOpensNothing() throws {
        let fixture = try Fixture()
        try fixture.bind(to: Fixture.pin)
        let index = try #require(fixture.record.binding?.index)
        // Owner authorization is empty. Anybody who reaches the TPM can remove the index and make their own there.
        try fixture.sealer.remove(.password(index))
        #expect(code { _ = try fixture.root() } == .pinIndexGone)
        let forged = try fixture.sealer.bind(
            SecretBytes.random(count: 32), pin: SecretBytes(copying: Fixture.other), record: fixture.record)
        #expect(forged.index?.handle == index.handle)
        #expect(forged.index != index)
        #expect(code { _ = try fixture.root(Fixture.other) } == .pinIndexGone)
        // If the registry names the forged index too, the object is not the required one.
        let forgedIndex = try #require(forged.index)
        let binding = try #require(BindingPin(index: forgedIndex, salt: [UInt8](repeating: 1, count: 16)))
        fixture.record = fixture.record.with(binding: binding, unlockRoot: fixture.record.objects[.unlockRoot] ?? [])
        #expect(code { _ = try fixture.root(Fixture.other) } == .damaged)
    }

    @Test func theFileFromBeforeIsRefused() throws {
        let fixture = try Fixture()
        try fixture.set("plain")
        fixture.close()
        let before = try Data(contentsOf: URL(fileURLWithPath: fixture.path))
        try fixture.reopen()
        let unbound = fixture.record
        try fixture.bind(to: Fixture.pin)
        try fixture.set("bound", .passcodeSet)
        fixture.close()
        let bound = try Data(contentsOf: URL(fileURLWithPath: fixture.path))
        try before.write(to: URL(fileURLWithPath: fixture.path))
        #expect(vaultError { try fixture.reopen() } == .damaged)
        // With the registry of that time it is the vault of that time. Later changes were never under its keys.
        try fixture.reopen(unbound)
        let old = try fixture.sealer.open(.unlockRoot, fixture.vault.objects, record: unbound) {
            (request) throws(SigningRefusal) in try fixture.sign(request)
        }
        fixture.close()
        try bound.write(to: URL(fileURLWithPath: fixture.path))
        try fixture.reopen()
        #expect(vaultError { _ = try fixture.vault.classKeys(unlockRoot: old) } == .damaged)

        // A file from before a change of the password opens with neither.
        fixture.close()
        let first = try Data(contentsOf: URL(fileURLWithPath: fixture.path))
        try fixture.reopen()
        try fixture.bind(to: Fixture.other)
        fixture.close()
        let second = try Data(contentsOf: URL(fileURLWithPath: fixture.path))
        try first.write(to: URL(fileURLWithPath: fixture.path))
        #expect(vaultError { try fixture.reopen() } == .damaged)
        try second.write(to: URL(fileURLWithPath: fixture.path))
        try fixture.reopen()

        // The reverse: a file from the binding, after its end.
        try fixture.bind(to: nil, from: Fixture.other)
        fixture.close()
        try second.write(to: URL(fileURLWithPath: fixture.path))
        #expect(vaultError { try fixture.reopen() } == .damaged)
    }

    @Test(arguments: [true, false])
    func aStopAtAnyStepLeavesAVaultThatOpens(binds: Bool) throws {
        let fixture = try Fixture()
        if !binds { try fixture.bind(to: Fixture.pin) }
        try fixture.set("plain")
        if !binds { try fixture.set("bound", .passcodeSet) }
        // 1. The file has both, and the registry names the old one. Everything is as before, again and again.
        for _ in 0..<2 {
            _ = try fixture.begin(to: binds ? Fixture.pin : nil)
            let useless = fixture.vault.uselessIndex
            #expect((useless != nil) == binds)
            if let useless { try fixture.sealer.remove(useless) }
            try fixture.reopen()
            #expect(fixture.vault.isBound == !binds)
            #expect(!fixture.vault.isBindingUnfinished)
            #expect(try fixture.value("plain", fixture.keys()) == "value of plain")
            _ = try fixture.vault.verify()
        }
        if !binds { #expect(try fixture.value("bound", fixture.keys()) == "value of bound") }
        // 2. The registry names the new one. It opens the vault, and the old one is still to be removed.
        fixture.record = try fixture.begin(to: binds ? Fixture.pin : nil).1
        try fixture.reopen()
        #expect(fixture.vault.isBindingUnfinished)
        #expect(fixture.vault.isBound == binds)
        #expect(try fixture.value("plain", fixture.keys()) == "value of plain")
        try fixture.set("later")
        _ = try fixture.vault.verify()
        // 3. The old one was removed.
        #expect(try fixture.finishBinding() == (binds ? 0 : 1))
        try fixture.reopen()
        #expect(!fixture.vault.isBindingUnfinished)
        #expect(try fixture.value("plain", fixture.keys()) == "value of plain")
        #expect(try fixture.value("later", fixture.keys()) == "value of later")
        #expect(try fixture.indexes.count == (binds ? 1 : 0))
        _ = try fixture.vault.verify()
    }

    /// Attacker 5 has changed what goes with the binding, or what is looked at then. The binding does not end by half.
    @Test(arguments: ["posting", "former"]) func aBindingDoesNotEndOverDamage(table: String) throws {
        let fixture = try Fixture()
        try fixture.bind(to: Fixture.pin)
        try fixture.set("plain")
        try fixture.set("bound", .passcodeSet)
        let plain = try fixture.vault.find(service: "s", account: "plain").id
        let term = try fixture.vault.keys.term(service: "s", account: "bound", kind: .genericPassword)
        fixture.record = try fixture.begin(to: nil).1
        try fixture.vault.take(fixture.record, sealer: fixture.sealer)
        try fixture.vault.database.write { (rows) throws(VaultError) in
            if table == "posting" {
                try rows.put(posting: term, items: [])
            } else {
                try rows.put(former: [1], of: plain)
            }
        }
        #expect(vaultError { _ = try fixture.vault.finishBinding() } == .damaged)
        #expect(fixture.vault.isBindingUnfinished)
    }

    /// The disk fails after the commit that drops the old root. The vault goes on with what the file has.
    @Test func anEndThatWasNotWrittenBackIsTheEnd() throws {
        let fixture = try Fixture()
        try fixture.set("plain")
        fixture.record = try fixture.begin(to: Fixture.pin).1
        try fixture.vault.take(fixture.record, sealer: fixture.sealer)
        try withoutWriting(fixture.path) { #expect(vaultError { _ = try fixture.finishBinding() } == .storage) }
        #expect(!fixture.vault.isBindingUnfinished && fixture.vault.uselessIndex == nil)
        #expect(try fixture.value("plain", fixture.keys()) == "value of plain")
        // Another password takes the same steps from there.
        try fixture.bind(to: Fixture.other)
        _ = try fixture.vault.verify()
        try fixture.reopen()
        #expect(try fixture.value("plain", fixture.keys(Fixture.other)) == "value of plain")
    }

    @Test func nothingOfTheOldRootStaysInTheFile() throws {
        let fixture = try Fixture()
        let old = try #require(fixture.vault.objects[.unlockRoot]?.private)
        try fixture.bind(to: Fixture.pin)
        let new = try #require(fixture.vault.objects[.unlockRoot]?.private)
        fixture.close()
        let bytes = try Data(contentsOf: URL(fileURLWithPath: fixture.path))
        #expect(bytes.range(of: Data(old.dropFirst(8))) == nil)
        #expect(bytes.range(of: Data(new.dropFirst(8))) != nil)
    }

    @Test func aTransitionOfSomebodyElsesIsDamage() throws {
        let fixture = try Fixture()
        let (_, next) = try fixture.begin(to: Fixture.pin)
        let path = fixture.path
        for statement in ["DELETE FROM transition", "UPDATE transition SET content = zeroblob(40)"] {
            fixture.close()
            let copy = try Data(contentsOf: URL(fileURLWithPath: path))
            try Tool.output("sqlite3", [path, statement])
            #expect(vaultError { try fixture.reopen() } == .damaged)
            #expect(vaultError { try fixture.reopen(next) } == .damaged)
            try copy.write(to: URL(fileURLWithPath: path))
        }
        #expect(throws: Never.self) { try fixture.reopen() }
    }

    @Test func softwareBindsNothing() throws {
        let fixture = try VaultFixture()
        let secret = try SecretBytes.random(count: 32)
        #expect(
            code { _ = try fixture.sealer.requireBinding().bind(secret, pin: secret, record: fixture.record) }
                == .unsupported)
        #expect(!fixture.record.canBeBound)
        let index = try #require(IndexPin(handle: 0x01B0_C000, policy: [UInt8](repeating: 0, count: 32)))
        let binding = BindingPin(index: index, salt: [UInt8](repeating: 0, count: 16))
        let lying = fixture.record.with(binding: binding, unlockRoot: fixture.record.objects[.unlockRoot] ?? [])
        let bytes = JSONWriter.bytes(of: lying)
        #expect(throws: JSONFailure.self) { try JSONReader.read(RegistryRecord.self, from: bytes) }
    }
}
