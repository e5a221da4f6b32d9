import Authorization
import Cryptography
import Item
import TestSupport
import Testing

@testable import Vault

@Suite("What a change waits for if no step of the TPM's counter is free")
struct CounterWaitTests {
    private let fixture: EpochTests.Fixture

    init() throws {
        fixture = try EpochTests.Fixture()
        for account in ["a", "b", "c"] { try fixture.set(account) }
        try fixture.vault.begin()
        try fixture.count()
    }

    /// - Returns: nil if the change has left no step.
    private func wait(of change: (OpenVault) throws -> Void) throws -> CounterWait? {
        fixture.vault.leaveSteps(true)
        try change(fixture.vault)
        return fixture.vault.leftStep
    }

    private func item(_ account: String) throws -> ItemSummary {
        try fixture.vault.find(service: "s", account: account)
    }

    /// All of these change how the vault opens, or end a key. Nobody may believe that they are done before the TPM has
    /// counted them.
    private func countedChanges() throws -> [(String, (Change) throws(VaultError) -> Void)] {
        let digest = [UInt8](repeating: 1, count: SHA256.count)
        let object = SealedObject(role: .biometryCurrentSet, public: [1], private: [2])
        let root = SealedObject(role: .unlockRoot, public: [1], private: [2])
        let transition = Transition(objects: [root], keybag: [3], index: nil, formerIndex: nil)
        let wrap = try RecoveryWrap(
            decoding: fixture.record.vault.bytes
                + [UInt8](repeating: 4, count: 8 + RecoveryWrap.saltCount + RecoveryWrap.sealedCount))
        return [
            (
                "set key or approved boots",
                { (change) throws(VaultError) in try change.put(object, objectsDigest: digest) }
            ),
            ("binding or tie", { (change) throws(VaultError) in try change.put(transition, objectsDigest: digest) }),
            (
                "its end",
                { (change) throws(VaultError) in
                    try change.finish(transition, [:], [:], objectsDigest: digest, keybagDigest: digest)
                }
            ),
            ("recovery code", { (change) throws(VaultError) in try change.put(wrap) }),
            ("successor", { (change) throws(VaultError) in try change.moveEpoch() }),
        ]
    }

    @Test func theseAlwaysWait() throws {
        let key = try item("a")
        #expect(
            try wait { try $0.rotate(key, value: SecretBytes(copying: Array("value of a".utf8))) } == .always,
            "rotation")
        for (name, change) in try countedChanges() {
            #expect(
                try wait { vault in try vault.write { (one) throws(VaultError) in try change(one) } } == .always,
                "\(name)")
            // Whoever asks for less does not get it here.
            let isLess = try wait { vault in
                try vault.write(protection: .later) { (one) throws(VaultError) in try change(one) }
            }
            #expect(isLess == .always, "\(name)")
            // A deletion in the same change does not make it wait less.
            let both = try wait { vault in
                try vault.write { (one) throws(VaultError) in
                    try change(one)
                    try one.moveEpoch(.forFreeStep)
                }
            }
            #expect(both == .always, "\(name)")
        }
    }

    /// Where a change may leave no step, it is refused whole.
    @Test func theseAreRefusedWhileTheCounterIsBehind() throws {
        try fixture.delete("b")
        let header = fixture.vault.epoch
        for (name, change) in try countedChanges() {
            let refusal = vaultError { try fixture.vault.write { (one) throws(VaultError) in try change(one) } }
            #expect(refusal == .uncounted, "\(name)")
        }
        #expect(fixture.vault.epoch == header && fixture.vault.leftStep == nil)
    }

    /// Roots for another binding or boot tie, and the end of those before them.
    @Test func rootsAreExchangedWithAStepEach() throws {
        let (vault, sealer) = (fixture.vault, fixture.sealer)
        let (root, next) = (fixture.keys.unlockRoot, try SecretBytes.random(count: 32))
        let sealed = try sealer.sealUnbound(next, record: fixture.record)
        let tie = ResealedVault(objects: [sealed.object], names: [.unlockRoot: sealed.name], boot: nil)
        try fixture.delete("b")
        for roots in [sealed, tie] as [any Resealed] {
            #expect(vaultError { try roots.begin(in: vault, from: root, to: next) } == .uncounted)
        }
        try fixture.count()
        try sealed.begin(in: vault, from: root, to: next)
        try vault.take(fixture.record.with(binding: nil, unlockRoot: sealed.name), sealer: sealer)
        #expect(vaultError { _ = try vault.finishBinding() } == .uncounted)
        #expect(vault.isBindingUnfinished)
        try fixture.count()
        #expect(try vault.finishBinding() == 0)
        #expect(!vault.isBindingUnfinished)
    }

    /// It would come back with an older file. So it stays until a step is free.
    @Test func whatASettingDropsStaysWhileTheCounterIsBehind() throws {
        let vault = fixture.vault
        try fixture.set("a")
        _ = try vault.putAside(service: "s", account: "c")
        try fixture.count()
        try fixture.delete("b")
        #expect(vaultError { try vault.put(HistorySetting(count: 0, days: 0)) } == .uncounted)
        #expect(vaultError { try vault.put(vault.history, BinSetting(days: 0)) } == .uncounted)
        #expect(try vault.history(service: "s", account: "a").versions.count == 1)
        try fixture.count()
        try vault.put(HistorySetting(count: 0, days: 0), BinSetting(days: 0))
        #expect(try vault.history(service: "s", account: "a").versions.isEmpty)
    }

    /// Who sets another application password wants the values under the former one gone.
    @Test func anotherApplicationPasswordWaitsForWhatItDrops() throws {
        let guarded = try AccessControl(requirements: [.applicationPassword])
        let (one, other) = (try StretchedPassword(secret("one")), try StretchedPassword(secret("other")))
        for value in ["1", "2"] {
            var draft = try ItemDraft.make("s", "d", value, guarded)
            draft.applicationPassword = one
            try fixture.vault.set(draft)
        }
        let item = try item("d")
        try fixture.delete("b")
        func resealing() -> VaultError.Code? {
            vaultError {
                try fixture.vault.reseal(item, value: secret("2"), access: guarded, applicationPassword: other)
            }
        }
        #expect(resealing() == .uncounted)
        try fixture.count()
        #expect(resealing() == nil)
        #expect(try fixture.vault.history(service: "s", account: "d").versions.isEmpty)
    }

    @Test func theseDoNot() throws {
        let gated = try AccessControl(requirements: [.userPresence])
        func secret() throws -> SecretBytes { try SecretBytes(copying: Array("value".utf8)) }
        let item = try item("a")
        #expect(try wait { try $0.reseal(item, value: secret(), access: gated) } == .forFreeStep)
        #expect(try wait { try $0.set(.make("s", "b", "value", gated)) } == .forFreeStep)
        #expect(try wait { try $0.set(.make("s", "b", "value", .whenUnlocked)) } == .forFreeStep)
        #expect(try wait { try $0.delete(service: "s", account: "b") } == .forFreeStep)
        #expect(try wait { try $0.apply([.deleteService("s", kind: nil)]) } == .forFreeStep)
        // A replaced value, a name and a look leave no step at all.
        #expect(try wait { try $0.set(.make("s", "d", "value")) } == nil)
        #expect(try wait { try $0.set(.make("s", "d", "other")) } == nil)
        #expect(try wait { try $0.put(HistorySetting(count: 0, days: 0)) } == .forFreeStep)
        #expect(try wait { _ = try $0.list() } == nil)
    }
}
