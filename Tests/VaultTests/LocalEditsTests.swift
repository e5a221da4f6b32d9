import Authorization
import Circle
import Cryptography
import Item
import SQLite
import Testing

@testable import Vault

/// What a vault says to its circle of what was changed here, and what it keeps for itself.
struct LocalEditsTests {
    private func pair() throws -> (group: CircleGroup, desk: CircleMachine, laptop: CircleMachine) {
        let group = try CircleGroup("desk", "laptop")
        try group.machines[0].set("github", "", "1")
        try group.settle()
        return (group, group.machines[0], group.machines[1])
    }

    private func exchange(_ group: CircleGroup) throws {
        for _ in 0..<3 { for machine in group.machines { try machine.sync(group.store) } }
    }

    /// What a machine had before it shares is no newer than it is.
    @Test func whatWasThereBeforeKeepsItsTime() throws {
        let desk = try CircleMachine("desk")
        var times: [String: UInt64] = [:]
        for name in ["a", "b", "c"] {
            try desk.set(name, "", "1")
            times[name] = desk.fixture.clock.withLock { $0 }
        }
        desk.fixture.advance(milliseconds: 1_000_000)
        try desk.found()
        try desk.takeIn(CircleStore())
        let items = try desk.view().state.items
        #expect(items.count == times.count)
        for item in items { #expect(item.shown(.field(.secret))?.stamp.clock == times[item.name.service]) }
    }

    /// What was thrown away, or has expired, before a machine shares is not shared.
    @Test func whatIsGoneBeforeIsNotShared() throws {
        let desk = try CircleMachine("desk")
        for name in ["binned", "expired", "kept"] { try desk.set(name, "", "1") }
        try desk.vault.putAside(service: "binned", account: "")
        let now = desk.fixture.clock.withLock { $0 }
        try desk.edit("expired", MetadataChanges(expires: now + 10_000))
        desk.fixture.advance(milliseconds: 20_000)
        try desk.found()
        try desk.takeIn(CircleStore())
        #expect(try desk.view().state.items.map(\.name.service) == ["kept"])
    }

    /// An item has expired at its very time, not only after it.
    @Test func anItemExpiresAtItsTime() throws {
        let (group, desk, _) = try pair()
        let time: UInt64 = 1_900_000_000_000
        try desk.edit("github", MetadataChanges(expires: time))
        try desk.takeIn(group.store)
        let item = try #require(desk.view().state.items.first)
        #expect(!item.isExpired(at: time - 1))
        #expect(item.isExpired(at: time))
    }

    /// It left this machine's bin by itself, and cannot come back, because its name is taken. That is no deletion.
    @Test func whatWasSweptAndHasNoPlaceHereStaysWithTheOthers() throws {
        let (group, desk, laptop) = try pair()
        try desk.vault.putAside(service: "github", account: "")
        try exchange(group)
        desk.fixture.advance(milliseconds: 400 * 86_400_000)
        #expect(try desk.vault.sweepBin(limit: 10).count == 1)
        try exchange(group)
        try desk.set("github", "", "mine", .whenUnlocked.thisDeviceOnly)
        try laptop.vault.putBack(service: "github", account: "")
        try exchange(group)
        #expect(try laptop.names == ["github"] && laptop.get("github") == "1")
        #expect(try desk.get("github") == "mine")
    }

    /// A machine keeps an item for itself. The others have it in their bins, and can take it back for good.
    @Test func whatAnotherOneKeepsForItselfCanBeTakenBack() throws {
        let (group, desk, laptop) = try pair()
        try desk.set("github", "", "mine", .whenUnlocked.thisDeviceOnly)
        try exchange(group)
        #expect(try laptop.names.isEmpty)
        try laptop.vault.putBack(service: "github", account: "")
        try exchange(group)
        #expect(try laptop.names == ["github"] && laptop.get("github") == "1")
        #expect(try desk.get("github") == "mine")
    }

    @Test func whatOthersCannotAskForStaysWithThemAsItWas() throws {
        let (group, desk, laptop) = try pair()
        desk.fixture.advance(milliseconds: 1000)
        try desk.vault.set(
            ItemDraft(
                service: "github", account: "", value: SecretBytes(copying: [50]),
                access: .whenUnlocked.requiring(.applicationPassword),
                applicationPassword: StretchedPassword(SecretBytes(copying: Array("password".utf8)))))
        try exchange(group)
        #expect(try laptop.names == ["github"] && laptop.get("github") == "1")
    }

    /// A value and its slots have just so much room in a record. One byte more stays here, and is named.
    @Test func theLongestValueTravels() throws {
        let (group, desk, _) = try pair()
        let presence = try AccessControl(requirements: [.userPresence])
        try desk.set("long", "", String(repeating: "x", count: 880_000), presence)
        func obstacles(_ more: Int) throws -> [String: Int] {
            try desk.vault.write { (change) throws(VaultError) in
                guard let revision = try CircleMaterial(change)?.offered.first,
                    let sealed = try change.rows.sealedValue(revision.bytes), let device = try change.circle(.device)
                else { throw .noCircle }
                // The list begins with four bytes, and so does each slot.
                var left = TravelRule.longestValue - sealed.count - 4 + more
                var slots: [ValueSlot] = []
                while left > 0 {
                    let count = min(left - 4, CircleLimits.slot)
                    slots.append(.unknown(kind: 200, content: [UInt8](repeating: 1, count: count - 1)))
                    left -= 4 + count
                }
                try change.put(.offered(revision), ReleasedSlots.bytes(of: slots))
                try change.put(device: CircleDevice(decoding: device))
            }
            return try desk.takeIn(group.store).obstacles
        }
        #expect(try obstacles(1) == ["too-long": 1])
        #expect(try obstacles(0).isEmpty)
        #expect(try desk.view().state.items.count == 2)
    }

    /// What is too long to travel stays on this machine, and so does a field that no other machine has. What the others
    /// have does not come back over it.
    @Test func whatIsTooLongToTravelStaysHere() throws {
        let (group, desk, laptop) = try pair()
        let long = String(repeating: "x", count: 900_000)
        try desk.set("github", "", long)
        try desk.set(field: .notes, of: "github", long)
        try exchange(group)
        #expect(try desk.takeIn(group.store).obstacles == ["too-long": 1])
        func stays() throws -> Bool {
            try desk.get("github").utf8.count == 900_000 && desk.get("github", "", .notes).utf8.count == 900_000
        }
        #expect(try stays())
        #expect(try laptop.get("github") == "1")
        #expect(try laptop.find("github").metadata.fields.map(\.name) == [.secret])
        // The rest of the item is shared as before.
        try laptop.edit("github", MetadataChanges(comment: "ours"))
        try exchange(group)
        #expect(try stays())
        #expect(try desk.find("github").metadata.comment == "ours")
        // What can travel by now does.
        try desk.set("github", "", "2")
        try desk.set(field: .notes, of: "github", "3")
        try group.settle()
        #expect(try group.get("github") == ["2"])
        #expect(try group.get("github", .notes) == ["3"])
    }

    /// A guarded value that was set while the circle had no room has no slots for others. It stays until it is
    /// released.
    @Test func aGuardedValueStaysUntilItIsReleased() throws {
        let (group, desk, laptop) = try pair()
        let presence = try AccessControl(requirements: [.userPresence])
        try desk.set("bank", "", "1", presence)
        try group.settle()
        let full = try desk.vault.read { (snapshot) throws(VaultError) in try snapshot.rows.circleBytes() }
        desk.fixture.room.withLock { $0.circle = full }
        try desk.reopen()
        try desk.set("bank", "", "2", presence)
        desk.fixture.room.withLock { $0.circle = Room().circle }
        try desk.reopen()
        try exchange(group)
        #expect(try desk.takeIn(group.store).obstacles == ["to-release": 1])
        #expect(try desk.guarded("bank", "") == "2" && laptop.guarded("bank", "") == "1")
        try desk.release()
        try group.settle()
        #expect(try desk.guarded("bank", "") == "2" && laptop.guarded("bank", "") == "2")
    }

    /// A person decides about a conflict. That does not touch what is too long.
    @Test func aDecisionLeavesWhatIsTooLong() throws {
        let (group, desk, laptop) = try pair()
        try desk.set("gitlab", "", "1")
        try group.settle()
        for service in ["github", "gitlab"] {
            try desk.set(service, "", "2")
            try laptop.set(service, "", "3")
        }
        try exchange(group)
        try desk.set("github", "", String(repeating: "x", count: 900_000))
        try desk.resolve("gitlab", as: "laptop")
        #expect(try desk.get("gitlab") == "3")
        #expect(try desk.get("github").utf8.count == 900_000)
    }

    /// Somebody has changed a sealed value in the file. It is neither given out nor left out without a word, whether
    /// its item is new to the circle or not (attacker 5).
    @Test(arguments: [false, true]) func aValueThatIsDamagedHereIsTold(isNew: Bool) throws {
        let (group, desk, laptop) = try pair()
        let before = try laptop.names
        try desk.set(isNew ? "new" : "github", "", "2")
        try desk.vault.close()
        try desk.fixture.tamper { try $0.run("UPDATE value SET sealed = zeroblob(length(sealed))") }
        try desk.reopen()
        #expect(try desk.takeIn(group.store).obstacles["unreadable"] == 1)
        for machine in [desk, laptop] { try machine.sync(group.store) }
        #expect(try laptop.names == before && laptop.get("github") != "2")
    }

    /// The same for the slots that wait for a guarded value.
    @Test func slotsThatAreDamagedHereAreAnError() throws {
        let (group, desk, _) = try pair()
        try desk.set("bank", "", "1", AccessControl(requirements: [.userPresence]))
        try exchange(group)
        let item = try desk.find("bank").id
        try desk.vault.write { (change) throws(VaultError) in
            let value = try change.value(of: change.item(item))
            guard let device = try change.circle(.device) else { throw .noCircle }
            try change.put(.offered(value.field.revision), [0])
            try change.put(device: CircleDevice(decoding: device))
        }
        #expect(vaultError { try desk.takeIn(group.store) } == .damaged)
    }

    /// The others keep what leaves them for at least a day, also where this machine has no bin.
    @Test(arguments: [0, 1, 2]) func whatLeavesTheOthersIsInTheirBinsForADay(days: Int) throws {
        let (group, desk, _) = try pair()
        try desk.vault.put(desk.vault.history, BinSetting(days: days))
        try desk.set("github", "", "mine", .whenUnlocked.thisDeviceOnly)
        try desk.takeIn(group.store)
        let found = try desk.view().pending.compactMap { one -> UInt16? in
            guard case .bin(let record)? = one.change.carried.change.content else { return nil }
            return record.days
        }
        #expect(found == [UInt16(max(days, 1))])
    }

    /// A guarded value from before the circle has to be released, once there is another machine.
    @Test func aloneThereIsNobodyToReleaseTo() throws {
        let desk = try CircleMachine("desk")
        try desk.set("bank", "", "1", AccessControl(requirements: [.userPresence]))
        try desk.found()
        let store = CircleStore()
        #expect(try desk.takeIn(store).obstacles.isEmpty)
        try CircleMachine("laptop").join(desk)
        #expect(try desk.takeIn(store).obstacles == ["to-release": 1])
    }

    /// What was set here counts once as waiting: before an exchange has found it, and then until it is given out.
    @Test func whatWasSetHereWaitsOnce() throws {
        let (group, desk, _) = try pair()
        func pending() throws -> Int? {
            try desk.vault.circleState(desk.classKeys, of: desk.find("github").id)?.pending
        }
        #expect(try pending() == 0)
        try desk.set("github", "", "2")
        #expect(try pending() == 1)
        try desk.takeIn(group.store)
        #expect(try pending() == 1)
        try desk.sync(group.store)
        #expect(try pending() == 0)
    }

    /// A value of an earlier format is bound to its vault. It is sealed anew before it travels, so that others open it.
    @Test func whatAnEarlierVaultHasTravels() throws {
        let earlier = try EarlierVault(format: 2)
        let desk = try CircleMachine("desk", of: earlier)
        let laptop = try CircleMachine("laptop", clock: earlier.now + 500_000)
        let store = CircleStore()
        func format() throws -> UInt16 {
            try desk.vault.read { (snapshot) throws(VaultError) in
                try snapshot.value(of: snapshot.items(service: "mail")[0]).field.format
            }
        }
        #expect(try format() == 1)
        try desk.found()
        try desk.sync(store)
        #expect(try format() == 3)
        try laptop.join(desk)
        try desk.put(store)
        for machine in [laptop, desk, laptop] { try machine.sync(store) }
        for machine in [desk, laptop] { #expect(try machine.get("mail", "me") == "two") }
        _ = try desk.vault.verify()
    }
}
