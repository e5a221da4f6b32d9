import Authorization
import Circle
import Item
import Testing

@testable import Vault

/// Circles that have more than one vault, or one item, may have. What others write fills no vault, holds up nothing, and
/// is never taken for a person's own change (attackers 11 and 13).
struct CircleRoomTests {
    /// Opens a machine's vault with less room than usual, for as long as the body runs.
    private func take(_ machine: CircleMachine, _ store: CircleStore, room: Room) throws -> OpenVault.Taken {
        let fixture = machine.fixture
        try machine.vault.close()
        let small = try OpenVault(
            directory: machine.fixture.folder.path, record: machine.fixture.record, sealer: machine.fixture.sealer,
            now: { fixture.clock.withLock { $0 } }, logLimit: AccessLogLimits.size, room: room)
        defer { do { try machine.reopen() } catch {} }
        let taken = try small.takeIn(
            heads: store.heads, segments: Array(store.files.values), machine.classKeys)
        _ = try small.verify()
        try small.close()
        return taken
    }

    /// M9-23: together they have more items than a vault has room for.
    @Test func moreItemsThanAVaultHasRoomForAreLeftOut() throws {
        let group = try CircleGroup("desk", "laptop")
        let (desk, laptop) = (group.machines[0], group.machines[1])
        for number in 0..<4 { try desk.set("desk", "\(number)", "1") }
        for number in 0..<4 { try laptop.set("laptop", "\(number)", "1") }
        try desk.sync(group.store)
        let taken = try take(laptop, group.store, room: Room(items: 6))
        #expect(taken.added == 2 && taken.obstacles == ["no-room": 2])
        #expect(try laptop.names.count == 6)
        // What is left out was not deleted here, and what is deleted here makes room.
        try laptop.vault.delete(service: "laptop", account: "0")
        #expect(try take(laptop, group.store, room: Room(items: 6)).obstacles == ["no-room": 1])
        try laptop.sync(group.store)
        try group.settle()
        for machine in group.machines { #expect(try machine.names.count == 7) }
    }

    /// What fits to the byte is taken in, and what is one byte too long is not. The length of a record is foretold.
    @Test func namesAreMeasuredToTheByte() throws {
        let group = try CircleGroup("desk", "laptop")
        let (desk, laptop) = (group.machines[0], group.machines[1])
        for account in ["1", "2"] { try desk.set("desk", account, "1") }
        try desk.sync(group.store)
        var room = Room()
        room.records = try desk.vault.read { (snapshot) throws(VaultError) in
            for item in try snapshot.allItems() {
                #expect(ItemRecord.length(of: item.summary.metadata) == item.record.encoded.count)
            }
            return try snapshot.rows.recordBytes()
        }
        let whole = room
        room.records -= 1
        #expect(try take(laptop, group.store, room: room).obstacles == ["no-room": 1])
        #expect(try laptop.names.count == 1)
        #expect(try take(laptop, group.store, room: whole).obstacles.isEmpty)
        #expect(try laptop.names.count == 2)
    }

    /// The limit of a circle is met to the byte. A file that is full takes in nothing more of a circle, either.
    @Test func whatIsKeptOfACircleIsMeasuredToTheByte() throws {
        let group = try CircleGroup("desk", "laptop")
        let laptop = group.machines[1]
        try group.machines[0].set("github", "", "1")
        try group.settle()
        /// - Returns: how much the vault keeps after it has taken in nothing new with this room.
        func kept(_ room: Room) throws -> (circle: Int64, file: Int64) {
            laptop.fixture.room.withLock { $0 = room }
            try laptop.reopen()
            _ = try laptop.vault.takeIn(heads: [], segments: [], laptop.classKeys)
            return try laptop.vault.read { (snapshot) throws(VaultError) in
                (circle: try snapshot.rows.circleBytes(), file: try snapshot.rows.fileBytes())
            }
        }
        let (circle, file) = try kept(Room())
        #expect(try kept(Room(circle: circle)).circle == circle)
        #expect(vaultError { _ = try kept(Room(circle: circle - 1)) } == .limitExceeded)
        #expect(try kept(Room()).circle == circle)
        #expect(vaultError { _ = try kept(Room(file: file / 2)) } == .limitExceeded)
    }

    /// Opens a machine's vault with room for so much of a circle from now on.
    private func reopen(_ machine: CircleMachine, circle: Int64) throws {
        machine.fixture.room.withLock { $0.circle = circle }
        try machine.reopen()
    }

    @Test func aVaultWithoutRoomTellsItsLimitAndGivesNothingOut() throws {
        let desk = try CircleMachine("desk")
        try desk.found()
        for number in 0..<3 { try desk.set("big", "\(number)", String(repeating: "x", count: 400_000)) }
        try reopen(desk, circle: 1 << 20)
        let error = #expect(throws: VaultError.self) {
            try desk.vault.takeIn(heads: [], segments: [], desk.classKeys)
        }
        #expect(error?.code == .limitExceeded && error?.reason.hasSuffix(": 1 MiB") == true)
        try reopen(desk, circle: Room().circle)
        _ = try desk.vault.takeIn(heads: [], segments: [], desk.classKeys)
        let prepared = try #require(try desk.vault.giveOut(heads: [], desk.classKeys))
        try reopen(desk, circle: 1 << 20)
        #expect(vaultError { try desk.commit(prepared) } == .limitExceeded)
    }

    @Test func aVaultWithoutRoomEntersNoCircle() throws {
        let (desk, laptop) = (try CircleMachine("desk"), try CircleMachine("laptop"))
        try desk.found()
        let answer = try desk.add(laptop.request())
        try reopen(laptop, circle: 100)
        #expect(vaultError { try laptop.vault.enter(answer, laptop.profile, laptop.classKeys) } == .limitExceeded)
        #expect(try !laptop.vault.hasCircle)
    }

    /// Its person has agreed, and must hear that there are no slots for the other machine.
    @Test func aFullVaultReleasesNothing() throws {
        let group = try CircleGroup("desk", "laptop")
        let desk = group.machines[0]
        try desk.set("bank", "", "1", AccessControl(requirements: [.userPresence]))
        try group.settle()
        let spare = try CircleMachine("spare", clock: 1_800_001_000_000)
        try spare.join(desk)
        try desk.put(group.store)
        for machine in [spare, desk] { try machine.sync(group.store) }
        #expect(try desk.vault.unreleased(desk.classKeys).count == 1)
        let file = try desk.vault.read { (snapshot) throws(VaultError) in try snapshot.rows.fileBytes() }
        desk.fixture.room.withLock { $0.file = file / 2 }
        try desk.reopen()
        #expect(vaultError { try desk.release() } == .limitExceeded)
    }

    /// Two items exchange their names. For that, each needs a longer name for a moment, which has no room here. They
    /// keep what they have, and nothing else is held up.
    @Test func namesAreExchangedWhereThereIsRoom() throws {
        let group = try CircleGroup("desk", "laptop")
        let (desk, laptop) = (group.machines[0], group.machines[1])
        for (account, value) in [("1", "one"), ("2", "two")] { try desk.set("desk", account, value) }
        try group.settle()
        // Records have size classes. With so long a comment, the longer name is in the next one.
        let metadata = try ["1", "2"].map { try laptop.vault.find(service: "desk", account: $0).metadata }
        let fitting = (0..<4096).first { count in metadata.allSatisfy { Self.grows($0, comment: count) } }
        let count = try #require(fitting)
        for account in ["1", "2"] {
            desk.fixture.advance(milliseconds: 1000)
            try desk.vault.edit(
                desk.vault.find(service: "desk", account: account),
                changes: MetadataChanges(comment: String(repeating: "x", count: count)))
        }
        try group.settle()
        for (from, to) in [("1", "3"), ("2", "1"), ("3", "2")] {
            desk.fixture.advance(milliseconds: 1000)
            try desk.vault.rename(
                desk.vault.find(service: "desk", account: from), service: "desk", account: to)
        }
        try desk.sync(group.store)
        var room = Room()
        room.records = try laptop.vault.read { (snapshot) throws(VaultError) in try snapshot.rows.recordBytes() }
        _ = try take(laptop, group.store, room: room)
        #expect(try laptop.get("desk", "1") == "one" && laptop.get("desk", "2") == "two")
        try group.settle()
        for machine in group.machines {
            #expect(try machine.get("desk", "1") == "two" && machine.get("desk", "2") == "one")
        }
    }

    /// Two items that exchange their names, and their accounts in the order in which machines take them in.
    private func exchangedNames(_ group: CircleGroup) throws -> (first: String, last: String) {
        let desk = group.machines[0]
        for (account, value) in [("1", "one"), ("2", "two")] { try desk.set("desk", account, value) }
        try group.settle()
        let accounts = try desk.view().state.items.map(\.name.account)
        for (from, to) in [(accounts[0], "3"), (accounts[1], accounts[0]), ("3", accounts[1])] {
            desk.fixture.advance(milliseconds: 1000)
            try desk.vault.rename(
                desk.vault.find(service: "desk", account: from), service: "desk", account: to)
        }
        return (accounts[0], accounts[1])
    }

    /// The second machine takes in what it has room for, twice. It has nothing to say then.
    private func takeWithoutRoom(_ group: CircleGroup, grown accounts: [String]) throws {
        let (desk, laptop) = (group.machines[0], group.machines[1])
        for account in accounts {
            desk.fixture.advance(milliseconds: 1000)
            try desk.vault.edit(
                desk.vault.find(service: "desk", account: account),
                changes: MetadataChanges(comment: String(repeating: "x", count: 900)))
        }
        try desk.sync(group.store)
        // The names that items get for a moment have room. What else has changed of them has none.
        for account in ["1", "2"] {
            let metadata = try laptop.vault.find(service: "desk", account: account).metadata
            #expect(!Self.grows(metadata, comment: 1))
        }
        var room = Room()
        room.records = try laptop.vault.read { (snapshot) throws(VaultError) in try snapshot.rows.recordBytes() }
        for _ in 0..<2 {
            #expect(try take(laptop, group.store, room: room).obstacles == ["no-room": accounts.count])
        }
        let isSilent = try laptop.view().pending.isEmpty
        #expect(isSilent, "a name that is here for want of room is nobody's edit")
    }

    /// The items were set aside to exchange their names, and then have no room. They get the names back that they had.
    @Test func anExchangeOfNamesWithoutRoomRenamesNothing() throws {
        let group = try CircleGroup("desk", "laptop")
        let laptop = group.machines[1]
        _ = try exchangedNames(group)
        try takeWithoutRoom(group, grown: ["1", "2"])
        #expect(try laptop.names == ["desk/1", "desk/2"])
        #expect(try laptop.get("desk", "1") == "one" && laptop.get("desk", "2") == "two")
        try group.settle()
        for machine in group.machines {
            #expect(try machine.names == ["desk/1", "desk/2"])
            #expect(try machine.get("desk", "1") == "two" && machine.get("desk", "2") == "one")
        }
    }

    /// The first item has the other one's name by now, so that one keeps the name that it has for a moment, and tells
    /// nobody.
    @Test func aNameThatIsTakenDoesNotComeBackForWantOfRoom() throws {
        let group = try CircleGroup("desk", "laptop")
        let laptop = group.machines[1]
        let (first, last) = try exchangedNames(group)
        // The second item has the first account now.
        try takeWithoutRoom(group, grown: [first])
        let names = try laptop.names
        #expect(Set(names).count == 2 && names.contains("desk/\(last)") && !names.contains("desk/\(first)"))
        try group.settle()
        for machine in group.machines {
            #expect(try machine.names == ["desk/1", "desk/2"])
            #expect(try machine.get("desk", "1") == "two" && machine.get("desk", "2") == "one")
        }
    }

    /// A field that another machine has removed leaves a former value here. It is measured like every other one.
    @Test func aFieldThatAnotherMachineRemovedIsMeasured() throws {
        let group = try CircleGroup("desk", "laptop")
        let (desk, laptop) = (group.machines[0], group.machines[1])
        try desk.set("github", "", "1")
        try desk.set(field: "pin", of: "github", "1234")
        try group.settle()
        desk.fixture.advance(milliseconds: 1000)
        try desk.vault.edit(desk.find("github"), removing: ["pin"])
        try desk.sync(group.store)
        #expect(try desk.vault.verify().formerValues == 1)
        _ = try take(laptop, group.store, room: Room(former: 0))
        #expect(try laptop.find("github").metadata.fields.map(\.name) == [.secret])
        #expect(try laptop.vault.verify().formerValues == 0)
    }

    /// Whether an item's record is longer under a name of 32 digits.
    private static func grows(_ metadata: Metadata, comment count: Int) -> Bool {
        var metadata = metadata
        metadata.comment = String(repeating: "x", count: count)
        let longer = metadata.renamed(
            metadata.service, String(repeating: "0", count: 32), at: metadata.modified)
        return ItemRecord.length(of: longer) > ItemRecord.length(of: metadata)
    }

    /// A member fills everybody's vault with names. The others go on.
    @Test func aMemberFillsNoVault() throws {
        let group = try CircleGroup("desk", "laptop")
        let (desk, laptop) = (group.machines[0], group.machines[1])
        try desk.set("mine", "", "1")
        try desk.set("ours", "", "2")
        try desk.edit("mine", MetadataChanges(comment: "short"))
        try group.settle()
        for number in 0..<40 { try laptop.set("junk", "\(number)", "1") }
        try laptop.edit("mine", MetadataChanges(comment: String(repeating: "x", count: 900)))
        try laptop.sync(group.store)
        var room = Room()
        (room.items, room.records) = (4, 100)
        let taken = try take(desk, group.store, room: room)
        #expect(taken.obstacles == ["no-room": 41] && taken.added == 0)
        #expect(try desk.get("mine") == "1")
        // What has no room here is not undone at the others.
        #expect(try take(desk, group.store, room: room).obstacles == ["no-room": 41])
        #expect(try desk.find("mine").metadata.comment == "short")
        let isSilent = try desk.view().pending.isEmpty
        #expect(isSilent)
        // A deletion by the others makes room, and is taken in.
        try laptop.vault.delete(service: "ours", account: "")
        try laptop.sync(group.store)
        _ = try take(desk, group.store, room: room)
        #expect(try desk.names == ["mine"])
        try group.settle()
        #expect(try desk.find("mine").metadata.comment?.count == 900 && desk.names.count == 41)
    }

    /// A vault that is too full still takes in what needs no more room than before, and drops nothing for it.
    @Test func whatNeedsNoRoomIsTakenIn() throws {
        let group = try CircleGroup("desk", "laptop")
        let (desk, laptop) = (group.machines[0], group.machines[1])
        for service in ["mine", "old"] { try desk.set(service, "", "1") }
        try desk.edit("mine", MetadataChanges(comment: String(repeating: "x", count: 900)))
        try desk.vault.putAside(service: "old", account: "")
        try group.settle()
        try laptop.edit("mine", MetadataChanges(comment: "short"))
        try laptop.sync(group.store)
        var room = Room()
        room.records = 100
        #expect(try take(desk, group.store, room: room).obstacles.isEmpty)
        #expect(try desk.find("mine").metadata.comment == "short")
        #expect(try desk.vault.deletedItems().count == 1)
    }

    /// What was deleted here makes room first, as for what is stored here.
    @Test func theBinMakesRoom() throws {
        let group = try CircleGroup("desk", "laptop")
        let (desk, laptop) = (group.machines[0], group.machines[1])
        for number in 0..<3 { try desk.set("old", "\(number)", "1") }
        try group.settle()
        for number in 0..<3 { try desk.vault.putAside(service: "old", account: "\(number)") }
        try group.settle()
        // It comes out of the bin with more than it had, and must not be dropped to make room for itself.
        try laptop.vault.putBack(service: "old", account: "2")
        laptop.fixture.advance(milliseconds: 1000)
        try laptop.vault.edit(
            laptop.vault.find(service: "old", account: "2"),
            changes: MetadataChanges(comment: String(repeating: "x", count: 900)))
        try laptop.sync(group.store)
        #expect(try take(desk, group.store, room: Room(items: 2)).obstacles.isEmpty)
        #expect(try desk.names == ["old/2"])
        try laptop.set("new", "", "1")
        try laptop.sync(group.store)
        let taken = try take(desk, group.store, room: Room(items: 2))
        #expect(taken.obstacles.isEmpty)
        #expect(try desk.names == ["new", "old/2"])
        try group.settle()
        #expect(try laptop.names == ["new", "old/2"])
        #expect(try laptop.vault.deletedItems().count == 2, "making room is no deletion")
    }

    /// M9-22: two machines add a field each, and the item has more than it may have. A person can still change it.
    @Test func anItemWithTooManyPartsIsStillChanged() throws {
        let group = try CircleGroup("desk", "laptop")
        let (desk, laptop) = (group.machines[0], group.machines[1])
        try desk.set("github", "", "1")
        for number in 0..<ItemLimits.fields - 2 {
            try desk.set(field: #require(FieldName("shared\(number)")), of: "github", "s")
        }
        try group.settle()
        try desk.set(field: "desk", of: "github", "d")
        try laptop.set(field: "laptop", of: "github", "l")
        try laptop.edit(
            "github",
            MetadataChanges(
                attributes: Dictionary(uniqueKeysWithValues: (0..<ItemLimits.attributes).map { ("a\($0)", "1") })))
        try group.settle()
        let item = try #require(try desk.view().state.items.first)
        #expect(item.parts.count(where: \.isField) == ItemLimits.fields + 1)
        // Each has one that it can replace.
        for (place, machine) in group.machines.enumerated() {
            let fields = try machine.find("github").metadata.fields.map(\.name)
            #expect(fields.count == ItemLimits.fields)
            machine.fixture.advance(milliseconds: 1000)
            try machine.vault.edit(
                machine.find("github"), removing: [#require(FieldName("shared\(place)"))],
                changes: MetadataChanges(attributes: ["a\(place)": "", "b\(place)": "2"]))
            try machine.set(field: #require(FieldName("other\(place)")), of: "github", "o")
        }
        try group.settle()
        let merged = try #require(try desk.view().state.items.first).parts
        #expect(merged.contains(.field("other0")) && merged.contains(.field("other1")))
        #expect(!merged.contains(.field("shared0")) && !merged.contains(.field("shared1")))
        #expect(merged.contains(.attribute(Array("b0".utf8))) && merged.contains(.attribute(Array("b1".utf8))))
    }
}
