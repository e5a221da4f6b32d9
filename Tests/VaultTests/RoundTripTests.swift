import Authorization
import Cryptography
import Item
import Testing

@testable import Vault

/// A stored value comes back, in every class and size, and only with everything that its class needs.
struct RoundTripTests {
    @Test(arguments: [0, 1, 59, 60, 61, 64, 255, 256, 1000, 4096, 65535, 65536, ItemLimits.value - 1, ItemLimits.value])
    func sizes(count: Int) throws {
        let fixture = try VaultFixture()
        let vault = try fixture.open()
        let value = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ $0 >> 8) }
        try vault.set(ItemDraft(service: "s", account: "a", value: secret(value)))
        #expect(try fixture.value(vault, "s", "a") == value)
    }

    @Test func bytesOfEveryKind() throws {
        let fixture = try VaultFixture()
        let vault = try fixture.open()
        for (account, value) in [
            ("all", (0...255).map(UInt8.init)), ("newlines", Array("two\n\n".utf8)),
            ("no text", [0xFF, 0xFE, 0x00, 0xC3]),
        ] as [(String, [UInt8])] {
            try vault.set(ItemDraft(service: "s", account: account, value: secret(value)))
            #expect(try fixture.value(vault, "s", account) == value)
        }
        _ = try vault.verify()
    }

    @Test func whatLimitsSay() throws {
        let fixture = try VaultFixture()
        let vault = try fixture.open()
        let name = String(repeating: "é", count: 512)
        func code(_ change: (inout ItemDraft) throws -> Void) throws -> VaultError.Code? {
            var draft = try ItemDraft.make(name, name, "v")
            try change(&draft)
            return vaultError { try vault.set(draft) }
        }
        #expect(try code { _ in } == nil)
        #expect(try code { $0.value = try .zeros(count: ItemLimits.value + 1) } == .limitExceeded)
        #expect(try code { $0.service += "x" } == .limitExceeded)
        #expect(try code { $0.account += "x" } == .limitExceeded)
        #expect(try code { $0.service = "" } == .invalidArgument)
        #expect(try code { $0.label = String(repeating: "l", count: 1024) } == nil)
        #expect(try code { $0.label = String(repeating: "l", count: 1025) } == .limitExceeded)
        #expect(try code { $0.comment = String(repeating: "c", count: 4097) } == .limitExceeded)
        let many = Dictionary(uniqueKeysWithValues: (0..<64).map { ("\($0)", String(repeating: "v", count: 4000)) })
        #expect(try code { $0.attributes = many } == nil)
        #expect(try code { $0.attributes = many.merging(["more": ""]) { $1 } } == .limitExceeded)
        #expect(try code { $0.attributes = ["n": String(repeating: "v", count: 4096)] } == .limitExceeded)
        #expect(try code { $0.attributes = ["": "v"] } == .invalidArgument)
        _ = try vault.verify()
        do {
            try vault.set(ItemDraft(service: "s", account: "a", value: .zeros(count: ItemLimits.value + 1)))
            Issue.record("1 MiB + 1 was stored")
        } catch let error as VaultError {
            #expect(error.reason.contains("1 MiB"))
        }
    }

    @Test(arguments: [AccessControl.Accessibility.whenUnlocked, .afterFirstUnlock, .always], [false, true])
    func classes(accessibility: AccessControl.Accessibility, thisDeviceOnly: Bool) throws {
        let fixture = try VaultFixture()
        let vault = try fixture.open()
        let access = AccessControl(accessibility, isThisDeviceOnly: thisDeviceOnly)
        let item = try vault.set(.make("s", "a", "value", access)).item
        let keys = try fixture.unlock(vault)
        #expect(revealed(try vault.value(of: item, classKeys: keys)) == Array("value".utf8))

        let whileLocked = vaultError { _ = try vault.value(of: item, classKeys: keys.locked()) }
        #expect(whileLocked == (accessibility == .whenUnlocked ? .locked : nil))
        let neverUnlocked = vaultError { _ = try vault.value(of: item, classKeys: vault.alwaysKeys) }
        #expect(neverUnlocked == (accessibility == .always ? nil : .locked))
    }

    @Test func presence() throws {
        let fixture = try VaultFixture()
        let vault = try fixture.open()
        let gated = try AccessControl(requirements: [.userPresence])
        let item = try vault.set(.make("s", "gated", "value", gated)).item
        let other = try vault.set(.make("s", "other", "value", gated)).item
        let plan = try vault.readPlan(for: item)
        let agreements = plan.alternatives[0].agreements
        #expect(agreements.map(\.role) == [.presence])
        #expect(agreements[0].point != (try vault.readPlan(for: other)).alternatives[0].agreements[0].point)
        let plain = try vault.set(.make("s", "plain", "v")).item
        #expect(try vault.readPlan(for: plain).alternatives.map(\.agreements) == [[]])

        let keys = try fixture.unlock(vault)
        let agreement = try fixture.agreements(vault, item)
        #expect(revealed(try vault.value(of: item, classKeys: keys, agreements: agreement)) == Array("value".utf8))
        #expect(vaultError { _ = try vault.value(of: item, classKeys: keys) } == .invalidArgument)
        let anothers = try fixture.agreements(vault, other)
        #expect(vaultError { _ = try vault.value(of: item, classKeys: keys, agreements: anothers) } == .invalidArgument)
        let made: Agreements = [agreements[0].point: try .random(count: 32)]
        #expect(vaultError { _ = try vault.value(of: item, classKeys: keys, agreements: made) } == .damaged)
    }

    /// Both ways of “or”, and neither. “and” needs both.
    @Test func applicationPassword() throws {
        let fixture = try VaultFixture()
        let vault = try fixture.open()
        let keys = try fixture.unlock(vault)
        let both: Set<AccessControl.Requirement> = [.userPresence, .applicationPassword]
        var either = try ItemDraft.make("s", "either", "value", AccessControl(requirements: both, anyIsEnough: true))
        #expect(vaultError { try vault.set(either) } == .invalidArgument)
        either.applicationPassword = try StretchedPassword(secret("open"))
        let item = try vault.set(either).item
        #expect(try vault.readPlan(for: item).alternatives.map(\.needsApplicationPassword) == [false, true])
        let agreement = try fixture.agreements(vault, item)
        let expected = Array("value".utf8)
        func stretched(_ text: String, _ item: ItemSummary) throws -> StretchedPassword {
            let salt = try vault.readPlan(for: item).alternatives.compactMap(\.passwordSalt).first
            return try StretchedPassword(secret(text), salt: #require(salt))
        }
        #expect(revealed(try vault.value(of: item, classKeys: keys, agreements: agreement)) == expected)
        #expect(
            revealed(try vault.value(of: item, classKeys: keys, applicationPassword: stretched("open", item)))
                == expected)
        #expect(
            vaultError { _ = try vault.value(of: item, classKeys: keys, applicationPassword: stretched("wrong", item)) }
                == .authenticationFailed)
        #expect(vaultError { _ = try vault.value(of: item, classKeys: keys) } == .invalidArgument)
        // The right password, stretched with a salt that the item does not have by now.
        let earlier = try StretchedPassword(secret("open"))
        #expect(
            vaultError { _ = try vault.value(of: item, classKeys: keys, applicationPassword: earlier) } == .changed)

        var together = try ItemDraft.make("s", "both", "value", AccessControl(requirements: both))
        together.applicationPassword = try StretchedPassword(secret("open"))
        let joint = try vault.set(together).item
        let agreed = try fixture.agreements(vault, joint)
        #expect(vaultError { _ = try vault.value(of: joint, classKeys: keys, agreements: agreed) } == .invalidArgument)
        #expect(
            revealed(
                try vault.value(
                    of: joint, classKeys: keys, agreements: agreed, applicationPassword: stretched("open", joint)))
                == expected)
        _ = try vault.verify()
    }

    @Test func anApplicationPasswordHasALength() throws {
        let most = ItemLimits.applicationPassword
        for (count, code) in [(0, .invalidArgument), (most, nil), (most + 1, .limitExceeded)]
            as [(Int, VaultError.Code?)]
        {
            #expect(vaultError { _ = try StretchedPassword(.zeros(count: count)) } == code, "\(count) bytes")
        }
    }

    /// The lengths are part of the format (docs/vault-format.md, "slot").
    @Test func aStretchedPasswordHasItsLengths() throws {
        let stretched = try StretchedPassword(secret("open"))
        #expect(stretched.key.count == 32 && StretchedPassword.keyCount == 32)
        #expect(stretched.salt.count == 16 && Slot.saltCount == 16)
    }

    /// Every way to seal a value anew, with a password that no reader would be asked for.
    @Test func aPasswordForWhatNeedsNoneIsRefused() throws {
        let vault = try VaultFixture().open()
        let value = try secret("v")
        let item = try vault.set(.make("s", "plain", "v")).item
        let gated = try vault.set(.make("s", "gated", "v", AccessControl(requirements: [.userPresence]))).item
        let password = try StretchedPassword(secret("open"))
        var other = try ItemDraft.make("s", "other", "v")
        other.applicationPassword = password
        let draft = other
        let ways: [() throws -> Void] = [
            { try vault.set(draft) },
            { try vault.rotate(item, value: value, applicationPassword: password) },
            { try vault.reseal(item, value: value, access: .whenUnlocked, applicationPassword: password) },
            { try vault.rename(gated, service: "t", account: "g", value: value, applicationPassword: password) },
        ]
        for (number, way) in ways.enumerated() { #expect(vaultError(way) == .invalidArgument, "\(number)") }
        #expect(try vault.list() == [gated, item])
    }

    /// Requirements that are joined in two ways. The values of an item are never sealed under such a mixture.
    @Test func anAccessControlThatContradictsItselfIsRefused() throws {
        let vault = try VaultFixture().open()
        let item = try vault.set(.make("s", "a", "v")).item
        let mixed = AccessControl.whenUnlocked.requiring(.userPresence).requiringAny(of: .userPresence, .devicePasscode)
        #expect(vaultError { try vault.reseal(item, value: secret("v"), access: mixed) } == .invalidArgument)
        #expect(try vault.find(service: "s", account: "a") == item)
    }

    @Test func whatTheVaultHasNoKeyForIsRefused() throws {
        let vault = try VaultFixture().open()
        for requirements in [
            Set<AccessControl.Requirement>([.biometryCurrentSet]), [.userPresence, .biometryCurrentSet],
        ] {
            let draft = try ItemDraft.make("s", "a", "v", AccessControl(requirements: requirements))
            #expect(vaultError { try vault.set(draft) } == .invalidArgument)
        }
        let bound = try ItemDraft.make("s", "a", "v", AccessControl(.passcodeSet))
        #expect(vaultError { try vault.set(bound) } == .invalidArgument)
        #expect(try vault.count == 0)
        #expect(vaultError { _ = try vault.find(service: "s", account: "a") } == .notFound)
    }
}
