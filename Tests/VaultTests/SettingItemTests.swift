import Authorization
import Cryptography
import Item
import TestSupport
import Testing

@testable import Vault

/// Items of kind setting in one vault: who finds them, what they never require, and how many there are.
struct SettingItemTests {
    let fixture: VaultFixture
    let vault: OpenVault

    init() throws {
        fixture = try VaultFixture()
        vault = try fixture.open()
    }

    private func draft(
        _ account: String, _ value: String = "v", _ access: PartialAccess = PartialAccess(), service: String = "app"
    ) throws -> ItemDraft {
        ItemDraft(
            service: service, account: account, kind: .setting, value: try SecretBytes(copying: Array(value.utf8)),
            access: access)
    }

    private func code(_ body: () throws -> Void) -> VaultError.Code? { vaultError(body) }

    // MARK: Finding

    @Test func onlyWhoAsksForSettingsFindsThem() throws {
        var setting = try draft("a")
        setting.attributes = ["x": "y"]
        try vault.set(setting)
        var secret = try ItemDraft.make("app", "a", "secret")
        secret.attributes = ["x": "y"]
        try vault.set(secret)
        for found in [
            try vault.list(), try vault.list(service: "app"), try vault.list(service: "app", accounts: ["a"]),
            try vault.search(text: "app"), try vault.search(attributes: ["x": "y"]), try vault.search(),
        ] {
            #expect(found.map(\.metadata.kind) == [.genericPassword])
        }
        for found in [
            try vault.list(kind: .setting), try vault.list(service: "app", kind: .setting),
            try vault.list(service: "app", accounts: ["a"], kind: .setting),
            try vault.search(attributes: ["x": "y"], kind: .setting),
        ] {
            #expect(found.map(\.metadata.kind) == [.setting])
        }
        // A name without a kind is a secret's.
        #expect(try vault.find(service: "app", account: nil).metadata.kind == .genericPassword)
        // So is the end of a service: an application that logs out keeps its settings.
        try vault.apply([.deleteService("app", kind: nil)])
        #expect(try vault.list(service: "app", kind: .setting).count == 1)
        try vault.apply([.deleteService("app", kind: .setting)])
        #expect(try vault.count == 0)
        _ = try vault.verify()
    }

    // MARK: Access

    /// Every way to another access control, and to another kind (attacker: a program of the user).
    @Test func aSettingNeverAsks() throws {
        let item = try vault.set(draft("a")).item
        #expect(item.access == .afterFirstUnlock)
        let others: [AccessControl] = [
            .whenUnlocked, .always, .afterFirstUnlock.thisDeviceOnly, .afterFirstUnlock.requiring(.userPresence),
        ]
        let keys = try fixture.unlock(vault)
        for access in others {
            #expect(code { try vault.set(draft("a", "v", PartialAccess(access))) } == .invalidArgument)
            #expect(code { try vault.set(draft("new", "v", PartialAccess(access))) } == .invalidArgument)
            #expect(
                code {
                    try vault.apply([.set(draft("b", "v", PartialAccess(access)), mode: .replace, ifRevision: nil)])
                }
                    == .invalidArgument)
            #expect(code { _ = try vault.access(after: draft("a", "v", PartialAccess(access))) } == .invalidArgument)
            #expect(
                code { try vault.reseal(item, vault.values(of: item, classKeys: keys), access: access) }
                    == .invalidArgument)
        }
        #expect(try vault.find(service: "app", account: "a", kind: .setting).access == .afterFirstUnlock)
        #expect(try vault.set(draft("a", "v", PartialAccess(.afterFirstUnlock))).item.access == .afterFirstUnlock)
        #expect(try vault.count == 1)
    }

    @Test func aSettingHasOneFieldAndKeepsItsName() throws {
        var other = try draft("a")
        other.field = .notes
        #expect(code { try vault.set(other) } == .invalidArgument)
        let item = try vault.set(draft("a")).item
        #expect(code { try vault.set(other) } == .invalidArgument)
        #expect(code { try vault.rename(item, service: "app", account: "b") } == .invalidArgument)
        #expect(code { try vault.set(draft("a", String(repeating: "x", count: 65_537))) } == .limitExceeded)
        try vault.set(draft("a", String(repeating: "x", count: 65_536)))
        _ = try vault.verify()
    }

    /// Nobody goes back to a former value of a setting, and none waits in the bin.
    @Test func nothingOfASettingStays() throws {
        for number in 0..<5 { try vault.set(draft("a", "\(number)")) }
        #expect(try vault.history(service: "app", account: "a", kind: .setting).versions.isEmpty)
        let deletion = try vault.putAside(service: "app", account: "a", kind: .setting)
        #expect(deletion.until == nil)
        #expect(try vault.deletedItems(kind: .setting).isEmpty)
        #expect(try vault.count == 0)
        _ = try vault.verify()
    }

    // MARK: Room

    private func fill(_ service: String, _ count: Int, _ value: String = "v") throws {
        for start in stride(from: 0, to: count, by: 128) {
            try vault.apply(
                (start..<min(start + 128, count)).map { number in
                    .set(try draft("\(number)", value, service: service), mode: .replace, ifRevision: nil)
                })
        }
    }

    /// One application cannot take the room of all.
    @Test func aServiceHasItsShare() throws {
        try fill("app", 1_024)
        #expect(code { try vault.set(draft("one more")) } == .limitExceeded)
        #expect(code { try fill("app", 1_025) } == .limitExceeded)
        // What is there can be changed, and what goes makes room, also in one change.
        try vault.set(draft("7", "w"))
        try vault.apply([
            .delete(service: "app", account: "8", kind: .setting, ifRevision: nil),
            .set(draft("one more"), mode: .replace, ifRevision: nil),
        ])
        #expect(code { try vault.set(draft("8")) } == .limitExceeded)
        // Other services, and secrets, have room.
        try vault.set(draft("a", service: "other"))
        try vault.set(.make("app", "secret", "s"))
        // A secret that goes makes no room for a setting.
        #expect(
            code {
                try vault.apply([
                    .set(draft("7", "x"), mode: .replace, ifRevision: nil),
                    .delete(service: "app", account: "secret", kind: .genericPassword, ifRevision: nil),
                    .set(draft("8"), mode: .replace, ifRevision: nil),
                ])
            } == .limitExceeded)
        _ = try vault.verify()
    }

    /// A setting that goes makes room for one other in the same change, and the words say how many there may be.
    @Test func aSettingThatGoesMakesRoomForOne() throws {
        try fill("app", 1_024)
        func change(_ stored: String...) throws -> [PlannedChange] {
            let first: [PlannedChange] = [
                .set(try draft("7", "w"), mode: .replace, ifRevision: nil),
                .delete(service: "app", account: "8", kind: .setting, ifRevision: nil),
            ]
            let rest: [PlannedChange] = try stored.map { .set(try draft($0), mode: .replace, ifRevision: nil) }
            return first + rest
        }
        let error = #expect(throws: VaultError.self) { try vault.apply(change("one", "two")) }
        #expect(error?.code == .limitExceeded)
        #expect(error?.reason.contains("1024 at most, of 1024 KiB together, and a vault 4096") == true)
        try vault.apply(change("one"))
        #expect(try vault.count == 1_024)
    }

    @Test func theBytesOfAServiceHaveALimit() throws {
        let value = String(repeating: "x", count: 60_000)
        var count = 0
        while count < 64, code({ try vault.set(draft("\(count)", value)) }) == nil { count += 1 }
        #expect((15...17).contains(count))
        #expect(code { try vault.set(draft("more", value)) } == .limitExceeded)
        // What takes no more room than before always has it.
        try vault.set(draft("0", value))
        try vault.set(draft("0", "small"))
        try vault.set(draft("more", String(repeating: "x", count: 30_000)))
        try vault.set(draft("0", value, service: "other"))
    }

    /// A service that has more than it may, because the limits were others. What takes no more room than before has it.
    @Test func whatTakesNoMoreRoomIsNoMatterOfLimits() throws {
        let item = try vault.set(draft("a", "value")).item
        let many = SettingUse(count: 2 * ItemLimits.settings.ofService, bytes: 2 << 20)
        let service = Array("app".utf8)
        try vault.write { (change) throws(VaultError) in
            let old = try change.item(item.id)
            let bytes = try change.sealedValue(of: change.value(of: old)).count
            func hasRoom(_ values: Int) throws(VaultError) -> Bool {
                change.settingUse[service] = many
                return try change.takeSettingRoom(for: item.metadata, values: values, over: old)
            }
            let (same, more, less) = (try hasRoom(bytes), try hasRoom(bytes + 1), try hasRoom(bytes - 1))
            #expect(same && !more && less)
            // Nothing is stored but names: the value stays, and is counted as before.
            let named = try hasRoom(0)
            #expect(named && change.settingUse[service]?.bytes == many.bytes)
        }
    }

    /// What is stored of a value is longer than the value. That counts.
    @Test func aServiceIsFullToTheByte() throws {
        func text(sealedTo bytes: Int) -> String { String(repeating: "x", count: bytes - AESGCM.overhead - 4) }
        var sizes = [Int](repeating: 65_536, count: 15) + [63_488, 1_472, 72]
        sizes = sizes.map { $0 + AESGCM.overhead }
        #expect(sizes.reduce(0, +) == ItemLimits.settings.bytesOfService)
        for (number, size) in sizes.enumerated() { try vault.set(draft("\(number)", text(sealedTo: size))) }
        let last = sizes.count - 1
        #expect(code { try vault.set(draft("\(last)", text(sealedTo: sizes[last]) + "x")) } == .limitExceeded)
        try vault.set(draft("\(last)", text(sealedTo: sizes[last])))
        #expect(code { try vault.set(draft("more", "")) } == .limitExceeded)
    }

    @Test func aVaultHasAShareForAllSettings() throws {
        for service in ["a", "b", "c", "d"] { try fill(service, 1_024) }
        #expect(code { try vault.set(draft("one", service: "e")) } == .limitExceeded)
        try vault.delete(service: "a", account: "7", kind: .setting)
        try vault.set(draft("one", service: "e"))
        try vault.set(.make("e", "secret", "s"))
    }
}
