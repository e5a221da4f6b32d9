import Authorization
import Circle
import Cryptography
import Item
import SQLite
import Testing

@testable import Vault

/// Somebody who can write the file damages what belongs to a shared item, where nobody looks before the circle changes
/// the item. The exchange must say so, and nothing of it is stored.
struct SharedItemDamageTests {
    private let group: CircleGroup
    private var desk: CircleMachine { group.machines[0] }
    private var laptop: CircleMachine { group.machines[1] }

    init() throws {
        group = try CircleGroup("desk", "laptop")
        try group.machines[0].set("github", "", "1")
        try group.settle()
    }

    /// The desk's index entries of its item, if this were the item's metadata.
    private func terms(_ metadata: Metadata) throws -> [[UInt8]] {
        try desk.vault.keys.terms(of: metadata, desk.find("github").id)
    }

    /// The desk's index entry of an attribute that the laptop adds.
    private func entryOfSite() throws -> [UInt8] {
        var metadata = try desk.find("github").metadata
        let before = try terms(metadata)
        metadata.attributes["site"] = "x"
        let after = try terms(metadata)
        return try #require(after.first { !before.contains($0) })
    }

    /// What the desk's exchange ends with, once the place of this key is damaged there.
    private func outcome(of key: [UInt8]) throws -> VaultError.Code? {
        try desk.damage(key)
        return vaultError { try desk.takeIn(group.store) }
    }

    @Test func whatOthersDeleteForGood() throws {
        let former = try TreeEntry.key(former: desk.find("github").id)
        try laptop.vault.delete(service: "github", account: "")
        try laptop.sync(group.store)
        #expect(try outcome(of: former) == .damaged)
    }

    @Test func whatOthersPutIntoTheBin() throws {
        let service = try #require(terms(desk.find("github").metadata).last)
        try laptop.vault.putAside(service: "github", account: "")
        try laptop.sync(group.store)
        #expect(try outcome(of: service) == .damaged)
    }

    @Test func whatOthersAddToAnItem() throws {
        try laptop.edit("github", MetadataChanges(attributes: ["site": "x"]))
        try laptop.sync(group.store)
        #expect(try outcome(of: entryOfSite()) == .damaged)
    }

    /// The value before becomes a former one.
    @Test func whatOthersReplace() throws {
        let former = try TreeEntry.key(former: desk.find("github").id)
        try laptop.set("github", "", "2")
        try laptop.sync(group.store)
        #expect(try outcome(of: former) == .damaged)
    }

    /// A member names another kind, so the item keeps its own. The rest of what it has said is taken in.
    @Test func whatIsTakenInOfAnItemThatStaysWhatItIs() throws {
        let (writer, item, _) = try laptop.writer()
        let kind = try PartChange(
            item: item.id, part: .name,
            stamp: PartStamp(at: 1_900_000_000_000, replacing: [], writer: writer.writer), replacing: [],
            content: .name(ItemName(service: "github", account: "", itemClass: .setting)))
        let site = try writer.set(.attribute(Array("site".utf8)), of: item, to: .text(Array("x".utf8)))
        try laptop.give([.changes([CarriedChange(kind), CarriedChange(site)])])
        try laptop.put(group.store)
        #expect(try outcome(of: entryOfSite()) == .damaged)
    }

    /// The laptop has given the names of two items to each other. So each waits for the other one.
    private func exchangeNames() throws {
        try desk.set("gitlab", "", "2")
        try group.settle()
        for (from, to) in [("github", "other"), ("gitlab", "github"), ("other", "gitlab")] {
            laptop.fixture.advance(milliseconds: 1000)
            try laptop.vault.rename(laptop.find(from), service: to, account: "")
        }
    }

    @Test func whatIsTakenInOfAnItemThatWaitsForItsName() throws {
        try exchangeNames()
        try laptop.edit("github", MetadataChanges(attributes: ["site": "x"]))
        try laptop.sync(group.store)
        #expect(try outcome(of: entryOfSite()) == .damaged)
    }

    /// For a moment, each item has a name that nobody has.
    @Test func whatIsSetAside() throws {
        try exchangeNames()
        try laptop.sync(group.store)
        let aside = SharedApplication.asideName(of: try #require(laptop.view().state.items.first))
        let metadata = try desk.find("github").metadata.renamed(aside.service, aside.account, at: 0)
        let name = try #require(terms(metadata).first)
        #expect(try outcome(of: name) == .damaged)
    }

    /// Two items have become one, so one of them goes.
    @Test func whatIsOneWithAnother() throws {
        try desk.vault.putAside(service: "github", account: "")
        try group.settle()
        try desk.set("github", "", "new")
        try laptop.vault.putBack(service: "github", account: "")
        for machine in [desk, laptop] { try machine.sync(group.store) }
        let ids = try #require(laptop.view().state.items.first).ids
        try #require(ids.count == 2)
        let second = try #require(ItemID(bytes: ids[1].bytes))
        #expect(try outcome(of: TreeEntry.key(former: second)) == .damaged)
    }

    /// What a device that only reads had under the name of a shared item goes into its bin.
    @Test func whatGivesWayToWhatIsShared() throws {
        let server = try CircleMachine("server")
        try server.set("github", "", "own")
        try server.vault.enter(desk.add(server.request(), as: .reader), server.profile, server.classKeys)
        try desk.put(group.store)
        try server.vault.close()
        try server.fixture.tamper { try $0.run("UPDATE field SET content = x'07'") }
        try server.reopen()
        #expect(vaultError { try server.takeIn(group.store) } == .damaged)
    }
}
