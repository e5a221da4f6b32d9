import Authorization
import Cryptography
import Foundation
import Item
import Synchronization
import TestSupport
import Testing

@testable import Vault

/// The bin: what is deleted by mistake comes back, and nothing finds it or loosens it meanwhile (attackers 4 and 9).
struct BinTests {
    private let fixture: VaultFixture
    private let vault: OpenVault
    private let gated: AccessControl
    private static let day: UInt64 = 86_400_000

    init() throws {
        gated = try AccessControl(isThisDeviceOnly: true, requirements: [.userPresence])
        fixture = try VaultFixture()
        vault = try fixture.open()
    }

    @discardableResult
    private func set(
        _ value: String, _ access: AccessControl = .whenUnlocked, _ account: String = "a"
    ) throws -> ItemSummary {
        var draft = try ItemDraft.make("s", account, value, access)
        draft.attributes = ["url": "example.org"]
        return try vault.set(draft).item
    }

    @discardableResult
    private func putAside(_ account: String = "a") throws -> Deletion {
        try vault.putAside(service: "s", account: account)
    }

    private var now: UInt64 { fixture.clock.withLock { $0 } }

    private func deleted() throws -> [String] { try vault.deletedItems().map(\.metadata.account) }

    @Test func nothingFindsWhatIsInTheBin() throws {
        let item = try set("one", gated)
        try set("two", gated)
        _ = try vault.list()
        let deletion = try putAside()
        #expect(deletion.item.id == item.id && deletion.until == now + 30 * Self.day)
        let ways: [(OpenVault) throws -> Void] = [
            { _ = try $0.find(service: "s", account: "a") },
            { _ = try $0.find(service: "s", account: nil, includingExpired: true) },
            { _ = try $0.look(service: "s", account: "a") { $0.item } },
            { _ = try $0.look(service: "s", account: "a", includingExpired: true, version: 1) { $0.item } },
            { _ = try $0.history(service: "s", account: "a") },
            { try $0.delete(service: "s", account: "a") },
            { _ = try $0.putAside(service: "s", account: "a") },
            { _ = try $0.set(.make("s", "a", "x"), mode: .existing) },
        ]
        for (number, way) in ways.enumerated() {
            #expect(vaultError { try way(vault) } == .notFound, "\(number)")
        }
        let lists = try [
            vault.list(), vault.list(service: "s"), vault.list(service: "s", accounts: ["a"]), vault.search(text: "s"),
            vault.search(attributes: ["url": "example.org"]),
        ]
        #expect(lists.map(\.count) == [0, 0, 0, 0, 0])
        #expect(try vault.count == 0 && deleted() == ["a"])
        // Nor does a run that has nothing in memory.
        try vault.close()
        let again = try fixture.open()
        #expect(try again.list().isEmpty && again.count == 0)
        #expect(try again.deletedItems().map(\.id) == [item.id])
        _ = try again.verify()
    }

    @Test func whoLookedBeforeIsToldThatItChanged() throws {
        try set("one")
        let item = try set("two")
        let former = try vault.look(service: "s", account: "a", version: 1) { $0.item }
        let keys = try fixture.unlock(vault)
        try putAside()
        let ways: [(OpenVault) throws -> Void] = [
            { _ = try $0.value(of: item, classKeys: keys) }, { _ = try $0.readPlan(for: item) },
            { _ = try $0.edit(item, changes: MetadataChanges(label: "l")) }, { try $0.delete(item) },
            { _ = try $0.rename(item, service: "s", account: "b") },
            { _ = try $0.rotate(item, value: secret("two")) },
            { _ = try $0.reseal(item, value: secret("two"), access: .whenUnlocked) },
            { _ = try $0.restore(former, value: secret("one")) },
        ]
        for (number, way) in ways.enumerated() {
            #expect(vaultError { try way(vault) } == .changed, "\(number)")
        }
        #expect(try deleted() == ["a"])
    }

    @Test func itComesBackAsItWas() throws {
        let first = try set("one", gated)
        let item = try set("two", gated)
        fixture.advance(milliseconds: 1000)
        try putAside()
        fixture.advance(milliseconds: 30 * Self.day - 1)
        let back = try vault.putBack(service: "s", account: "a")
        #expect(back.isSame(as: item) && back.revision != item.revision)
        #expect(back.id == first.id)
        #expect(try deleted().isEmpty && vault.list().map(\.id) == [item.id])
        // What guarded it guards it still, also the value before.
        let keys = try fixture.unlock(vault)
        #expect(vaultError { _ = try vault.value(of: back, classKeys: keys) } == .invalidArgument)
        #expect(try fixture.value(vault, "s", "a") == Array("two".utf8))
        #expect(try vault.verify().formerValues == 1)
        let stamps = try vault.read { (snapshot) throws(VaultError) in
            let stored = try snapshot.item(item.id)
            return try snapshot.stamps(of: item.id, in: snapshot.fields(of: stored))
        }
        // Two changes, each with a stamp of its own.
        #expect(stamps.own[.bin]?.clock == now && stamps.own.count == 2)
        #expect(vaultError { _ = try vault.putBack(service: "s", account: "a") } == .notFound)
    }

    @Test func theNameIsFree() throws {
        let item = try set("one", gated)
        try putAside()
        let other = try set("other")
        #expect(other.id != item.id && other.access == .whenUnlocked && other.version == 1)
        // The other one stays, and so does the one in the bin.
        #expect(vaultError { _ = try vault.putBack(service: "s", account: "a") } == .alreadyExists)
        try vault.rename(other, service: "s", account: "b")
        #expect(try vault.putBack(service: "s", account: "a").id == item.id)
        #expect(try vault.list().map(\.metadata.account) == ["a", "b"])
        _ = try vault.verify()
    }

    @Test func ofSeveralTheLatestComesBack() throws {
        var ids: [ItemID] = []
        for value in ["one", "two", "three"] {
            ids.append(try set(value).id)
            try putAside()
            fixture.advance(milliseconds: 5)
        }
        #expect(try vault.deletedItems().map(\.id) == ids.reversed())
        #expect(try vault.putBack(service: "s", account: "a").id == ids[2])
        #expect(try vault.deletedItems(service: "s").map(\.id) == [ids[1], ids[0]])
        #expect(try vault.deletedItems(service: "t").isEmpty && vault.deletedItems(kind: .key).isEmpty)
        #expect(try vault.deleteFromBin(service: "s", account: "a").map(\.id) == [ids[1], ids[0]])
        #expect(vaultError { try vault.deleteFromBin(service: "s", account: "a") } == .notFound)
        #expect(try vault.list().map(\.id) == [ids[2]])
        #expect(try vault.verify().items == 1)
    }

    @Test func afterItsTimeItIsGone() throws {
        let epoch = vault.epoch
        for account in ["a", "b", "c"] {
            try set("v", .whenUnlocked, account)
            try putAside(account)
            fixture.advance(milliseconds: 10)
        }
        fixture.advance(milliseconds: 30 * Self.day - 20)
        // Nobody has written, but nobody gets them either.
        #expect(try deleted() == ["c"])
        #expect(vaultError { _ = try vault.putBack(service: "s", account: "a") } == .notFound)
        #expect(vaultError { try vault.deleteFromBin(service: "s", account: "a") } == .notFound)
        #expect(try vault.verify().items == 3)
        let revision = vault.lastHeader.revision
        #expect(try vault.sweepBin(limit: 1).map(\.metadata.account) == ["a"])
        #expect(try vault.sweepBin(limit: 9).map(\.metadata.account) == ["b"])
        #expect(try vault.sweepBin(limit: 9).isEmpty)
        // Each is one write, which takes no step: what has expired may come back for some minutes.
        #expect(vault.lastHeader.revision == revision + 2 && vault.epoch == epoch)
        #expect(try vault.verify().items == 1 && deleted() == ["c"])
        fixture.advance(milliseconds: 10)
        #expect(try vault.sweepBin(limit: 9).map(\.metadata.account) == ["c"])
        #expect(vault.lastHeader.oldestDeletion == Header.noDeletion)
    }

    /// A vault is swept often. As long as nothing of the bin is due, the header tells, and nothing else is read.
    @Test func aSweepLooksAtTheBinOnlyIfSomethingIsDue() throws {
        try set("v")
        try putAside()
        try vault.close()
        let again = try fixture.open()
        #expect(try again.sweepBin(limit: 9).isEmpty && again.treeReadCount == 0)
        fixture.advance(milliseconds: 30 * Self.day)
        #expect(try again.sweepBin(limit: 9).count == 1 && again.treeReadCount > 0)
    }

    /// Somebody looked at the item, and it was changed since.
    @Test func onlyTheStateThatWasSeenIsPutAside() throws {
        let first = try set("one")
        let second = try set("two")
        func putAside(_ account: String, _ revision: ItemRevision) -> VaultError.Code? {
            vaultError { try vault.putAside(service: "s", account: account, ifRevision: revision) }
        }
        #expect(putAside("a", first.revision) == .outdated)
        #expect(putAside("none", first.revision) == .outdated)
        #expect(try deleted().isEmpty)
        #expect(putAside("a", second.revision) == nil)
        #expect(try deleted() == ["a"])
    }

    @Test func whatExpiredInTheBinGoesWithTheRest() throws {
        var draft = try ItemDraft.make("s", "a", "v")
        draft.expires = now + 1
        try vault.set(draft)
        try putAside()
        fixture.advance(milliseconds: 2)
        #expect(try vault.sweep(expiredBy: now, limit: 9).map(\.metadata.account) == ["a"])
        #expect(try deleted().isEmpty && vault.verify().items == 0)
    }

    @Test func puttingAsideTakesNoStepAndDeletingDoes() throws {
        try set("one")
        try set("two", .whenUnlocked, "b")
        let epoch = vault.epoch
        try putAside()
        try vault.putBack(service: "s", account: "a")
        try putAside()
        #expect(vault.epoch == epoch)
        // Attacker 5 must not bring this back with an older file.
        try vault.deleteFromBin(service: "s", account: "a")
        #expect(vault.epoch == epoch + 1)
        try vault.delete(service: "s", account: "b")
        #expect(vault.epoch == epoch + 2)
    }

    @Test func theSettingOfTheVault() throws {
        #expect(try vault.bin.days == 30)
        for account in ["a", "b"] {
            try set("v", .whenUnlocked, account)
            try putAside(account)
            fixture.advance(milliseconds: Self.day)
        }
        var epoch = vault.epoch
        // Nothing is destroyed, so no step is taken.
        try vault.put(vault.history, BinSetting(days: 3))
        #expect(try vault.epoch == epoch && deleted() == ["a", "b"])
        try vault.put(vault.history, BinSetting(days: 2))
        epoch += 1
        #expect(try vault.epoch == epoch && deleted() == ["b"] && vault.verify().items == 1)
        // What has had its time does not come back with a longer one.
        fixture.advance(milliseconds: Self.day)
        try vault.put(vault.history, BinSetting(days: 366))
        #expect(try vault.epoch == epoch && deleted().isEmpty && vault.verify().items == 0)
        try vault.put(vault.history, BinSetting(days: 0))
        try set("v")
        #expect(try putAside().until == nil)
        epoch += 1
        #expect(try vault.epoch == epoch && vault.verify().items == 0)
        for days in [-1, 367, 70_000] {
            #expect(vaultError { _ = try BinSetting(days: days) } == .invalidArgument)
        }
        try vault.close()
        #expect(try fixture.open().bin.days == 0)
    }

    @Test func noDaysEmptyTheBinEvenIfTheClockWentBack() throws {
        try set("v")
        try putAside()
        fixture.clock.withLock { $0 -= Self.day }
        try vault.put(vault.history, BinSetting(days: 0))
        #expect(try vault.verify().items == 0)
    }

    /// A file is deleted by its key.
    @Test func aFilesKeyIsGoneAtOnce() throws {
        var draft = try ItemDraft.make("s", "a", "v")
        draft.kind = .file
        try vault.set(draft)
        let epoch = vault.epoch
        #expect(try vault.putAside(service: "s", account: "a", kind: .file).until == nil)
        #expect(try vault.epoch == epoch + 1 && vault.verify().items == 0)
    }

    @Test func severalChangesAreMadeTogether() throws {
        let item = try set("one")
        func aside(_ account: String, _ revision: ItemRevision? = nil) -> PlannedChange {
            .putAside(service: "s", account: account, kind: .genericPassword, ifRevision: revision)
        }
        // A later change fails, so nothing was put aside.
        #expect(
            vaultError {
                try vault.apply([
                    aside("a"), .set(.make("s", "b", "v"), mode: .existing, ifRevision: nil),
                ])
            } == .notFound)
        #expect(try deleted().isEmpty && vault.list().map(\.id) == [item.id])
        #expect(
            vaultError { try vault.apply([aside("a", ItemRevision(digest: [UInt8](repeating: 1, count: 32)))]) }
                == .outdated)
        // A later change finds what an earlier one has done.
        let results = try vault.apply([
            aside("a", item.revision), aside("none"), .set(.make("s", "a", "two", gated), mode: .new, ifRevision: nil),
        ])
        guard case .putAside(let gone) = results[0], case .deleted(let none) = results[1] else {
            throw VaultError(.changed, "nothing was put aside")
        }
        #expect(gone.id == item.id && none.isEmpty)
        #expect(try vault.list().map(\.id) != [item.id] && deleted() == ["a"])
        #expect(
            try vault.accesses(after: [aside("a"), .set(.make("s", "a", "v"), mode: .replace, ifRevision: nil)])[1]
                == .whenUnlocked)
        _ = try vault.verify()
    }

    /// Renewed keys: nobody is asked for what they have deleted.
    @Test func aSuccessorHasWhatNobodyIsAskedFor() throws {
        let item = try set("one")
        try putAside()
        try set("two", gated, "b")
        try putAside("b")
        try set("three", .whenUnlocked, "c")
        let deletion = try putAside("c")
        try vault.put(vault.history, BinSetting(days: 7))
        let successor = try fixture.successor(of: vault)
        let missing = try vault.missing(in: successor)
        #expect(missing.map(\.metadata.account) == ["a", "c"] && missing.map(\.isDeleted) == [true, true])
        let classKeys = try fixture.unlock(vault)
        try successor.takeUp(missing.map { try vault.renewing($0, classKeys: classKeys) })
        #expect(try vault.missing(in: successor).isEmpty)
        // One comes back meanwhile.
        let back = try vault.putBack(service: "s", account: "a")
        #expect(try vault.missing(in: successor) == [back] && successor.followMetadata(of: back))
        try successor.complete(from: vault, recording: AccessRecord(.rotate))
        #expect(try successor.vault.deletedItems().map(\.id) == [deletion.item.id])
        #expect(try successor.vault.list().map(\.id) == [item.id] && successor.vault.bin.days == 7)
    }

    @Test func eachStepIsTold() throws {
        let told = Mutex<[CommittedChange]>([])
        try vault.close()
        let vault = try OpenVault(
            directory: fixture.folder.path, record: fixture.record, sealer: fixture.sealer,
            onChange: { changes in told.withLock { $0 += changes } })
        let item = try vault.set(.make("s", "a", "v")).item
        try vault.putAside(service: "s", account: "a")
        let back = try vault.putBack(service: "s", account: "a")
        let gone = try vault.putAside(service: "s", account: "a").item
        try vault.deleteFromBin(service: "s", account: "a")
        #expect(told.withLock { $0 } == [.added(item), .deleted(item), .added(back), .deleted(gone)])
    }

    @Test func theLongestSettingsAreReadAgain() throws {
        let history = try HistorySetting(count: ItemLimits.formerValues.most, days: ItemLimits.formerDays.most)
        let bin = try BinSetting(days: ItemLimits.binDays.most)
        try vault.put(history, bin)
        try vault.close()
        let again = try fixture.open()
        #expect(try again.history == history)
        #expect(try again.bin == bin)
    }
}
