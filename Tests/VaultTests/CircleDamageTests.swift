import Authorization
import Circle
import Cryptography
import Item
import Testing

@testable import Vault

/// Somebody who can write the file damages the tree where a row of the circle belongs. What writes the row is the
/// first to look there. It must say so, and nothing of its change is stored.
struct CircleDamageTests {
    private func founder() throws -> CircleMachine {
        let desk = try CircleMachine("desk")
        try desk.found()
        return desk
    }

    /// Two machines whose item has two values.
    private func conflicting() throws -> (group: CircleGroup, desk: CircleMachine) {
        let group = try CircleGroup("desk", "laptop")
        for machine in group.machines { try machine.set("github", "", machine.name.text) }
        try group.settle()
        return (group, group.machines[0])
    }

    /// What is given out goes into several rows, and takes the place of others.
    @Test func recordsAreStoredWholeOrNotAtAll() throws {
        let rows: [(PreparedRecords) throws -> CircleRow] = [
            { prepared in try .pending(#require(prepared.given.first)) },
            { prepared in try .segment(#require(prepared.segments.first)) },
            { prepared in .head(prepared.after.id, prepared.head.end.run, prepared.head.end.chain) },
            // The head before, of the same run.
            { prepared in
                let end = try #require(prepared.before?.end)
                #expect(end.run == prepared.head.end.run)
                return .head(prepared.after.id, end.run, end.chain)
            },
        ]
        for (place, row) in rows.enumerated() {
            let desk = try founder()
            try desk.set("github", "", "1")
            _ = try desk.vault.takeIn(heads: [], segments: [], desk.classKeys)
            let prepared = try #require(try desk.vault.giveOut(heads: [], desk.classKeys))
            try desk.damage(row(prepared))
            #expect(vaultError { try desk.commit(prepared) } == .damaged, "\(place)")
        }
    }

    /// Somebody who can write the file removes an item's row. Else all machines would delete the item.
    @Test func anItemThatIsMissingIsNotTakenForDeleted() throws {
        let group = try CircleGroup("desk", "laptop")
        let (desk, laptop) = (group.machines[0], group.machines[1])
        try desk.set("github", "", "1")
        try group.settle()
        let id = try desk.vault.find(service: "github", account: "").id
        try desk.vault.close()
        try desk.fixture.tamper { try $0.run("DELETE FROM item WHERE id = ?", [.blob(id.bytes)]) }
        try desk.reopen()
        #expect(vaultError { try desk.takeIn(group.store) } == .damaged)
        try laptop.sync(group.store)
        #expect(try laptop.get("github") == "1")
    }

    @Test func whoIsAddedIsRemembered() throws {
        let desk = try founder()
        let request = try CircleMachine("laptop").request()
        let statement = try #require(try desk.vault.addition(of: request, desk.classKeys))
        let prepared = try desk.vault.add(desk.signed(statement), of: request, desk.classKeys)
        try desk.damage(.answered(request.keys.device))
        #expect(vaultError { try desk.commit(prepared) } == .damaged)
    }

    /// The rows that the first exchange of a new circle writes.
    @Test func whatIsSharedIsRemembered() throws {
        for row in [CircleRow.pending(1), .shared, .receivers] {
            let desk = try founder()
            try desk.set("github", "", "1")
            try desk.damage(row)
            #expect(
                vaultError { _ = try desk.vault.takeIn(heads: [], segments: [], desk.classKeys) } == .damaged, "\(row)")
        }
    }

    @Test func whatComesInIsStoredWholeOrNotAtAll() throws {
        let group = try CircleGroup("desk", "laptop")
        let (desk, laptop, store) = (group.machines[0], group.machines[1], group.store)
        let before = Set(store.names)
        try desk.set("github", "", "1")
        try desk.sync(store)
        let name = try #require(store.names.first { !before.contains($0) })
        let segment = try RecordSegment(decoding: #require(store.files[name]))
        let device = try desk.view().device
        let end = try #require(device.end)
        let copy = try laptop.copy()
        for row in [try CircleRow.segment(segment), .head(device.id, end.run, end.chain)] {
            try laptop.vault.close()
            try laptop.put(copy)
            try laptop.damage(row)
            #expect(vaultError { try laptop.takeIn(store) } == .damaged, "\(row)")
        }
    }

    /// Not all records of a machine that has left are kept, but what it has said of members is.
    @Test func whatWasSaidOfMembersIsKept() throws {
        let group = try CircleGroup("desk", "laptop")
        let (desk, laptop) = (group.machines[0], group.machines[1])
        let statement = try laptop.vault.removal(of: [laptop.view().device.id], laptop.classKeys)
        try laptop.commit(laptop.vault.remove(laptop.signed(statement), laptop.classKeys))
        try laptop.put(group.store)
        try desk.damage(.statement(statement.name))
        #expect(vaultError { try desk.takeIn(group.store) } == .damaged)
    }

    /// The slots of a release wait until they are given out. The next step can be an exchange or a decision.
    @Test func slotsThatWereAddedAreKept() throws {
        let (group, desk) = try conflicting()
        let (laptop, store) = (group.machines[1], group.store)
        try desk.set("bank", "", "1", AccessControl(requirements: [.userPresence]))
        try group.settle()
        let spare = try CircleMachine("spare", clock: 1_800_001_000_000)
        try spare.join(desk)
        try desk.put(store)
        for _ in 0..<2 { for machine in [spare, desk, laptop] { try machine.sync(store) } }
        let bank = try #require(try desk.view().state.items.first { $0.name.service == "bank" })
        let row = CircleRow.released(try #require(bank.shown(.field(.secret))).name)
        try desk.release()
        let copy = try desk.copy()
        try desk.damage(row)
        #expect(vaultError { try desk.resolve("github", as: "laptop") } == .damaged)
        #expect(vaultError { try desk.takeIn(store) } == .damaged)
        try desk.vault.close()
        try desk.put(copy)
        try desk.reopen()
        try desk.takeIn(store)
        let prepared = try #require(try desk.vault.giveOut(heads: store.heads, desk.classKeys))
        #expect(prepared.givenSlots.map { CircleRow.released($0) } == [row])
        try desk.damage(row)
        #expect(vaultError { try desk.commit(prepared) } == .damaged)
    }

    @Test func aDecisionIsStoredWholeOrNotAtAll() throws {
        let (_, desk) = try conflicting()
        try desk.damage(.pending(1))
        #expect(vaultError { try desk.resolve("github", as: "laptop") } == .damaged)
    }

    @Test func whoCannotKeepItsRequestMakesNone() throws {
        let laptop = try CircleMachine("laptop")
        try laptop.damage(.joining)
        #expect(vaultError { _ = try laptop.request() } == .damaged)
    }

    @Test func aCircleIsEnteredWithAllThatTheAnswerBrings() throws {
        let (desk, laptop) = (try founder(), try CircleMachine("laptop"))
        let answer = try desk.add(laptop.request())
        try laptop.damage(.receivers)
        #expect(vaultError { try laptop.vault.enter(answer, laptop.profile, laptop.classKeys) } == .damaged)
        #expect(try !laptop.vault.hasCircle)
    }

    /// It keeps its keys until it takes the former vault's place, and then what that has of the circle, and who it is.
    @Test func aSuccessorTakesItsPlaceWholeOrNotAtAll() throws {
        for row in [CircleRow.succession, .receivers, .device] {
            let desk = try founder()
            let (folder, renewal) = (desk.fixture.folder.path, try desk.beginRenewal())
            let farewell = try desk.farewell(renewal)
            try renewal.successor.close()
            try desk.fixture.change(VaultFile.successorPath(of: desk.fixture.record.owner, in: folder)) { database in
                try database.damage(TreeEntry.key(circle: row.id))
            }
            let again = try SuccessorVault(
                in: folder, record: renewal.successor.vault.record, sealer: desk.fixture.sealer,
                now: { 1_800_000_100_000 })
            let code = vaultError {
                if row == .succession {
                    try again.note(renewal.succession)
                } else {
                    try again.enterCircle(of: desk.vault, farewell, desk.classKeys)
                }
            }
            #expect(code == .damaged, "\(row)")
            try again.close()
        }
    }

    /// Damage of one item at one machine keeps no other item from being shared.
    ///
    /// - Parameter table: the item's fields, or its value.
    @Test(arguments: [
        "UPDATE field SET content = x'00' WHERE item = ?", "UPDATE value SET sealed = x'00' WHERE id = ?",
    ])
    func oneDamagedItemStopsNoOther(statement: String) throws {
        let group = try CircleGroup("desk", "laptop")
        let (desk, laptop) = (group.machines[0], group.machines[1])
        for name in ["whole", "broken"] { try desk.set(name, "", "1") }
        try group.settle()
        let item = try desk.find("broken")
        let key = try desk.vault.read { (snapshot) throws(VaultError) in
            try snapshot.value(of: snapshot.present(item, now: 0)).field.valueKey
        }
        try desk.vault.close()
        try desk.fixture.tamper { database in
            try database.run(statement, [.blob(statement.contains("field") ? item.id.bytes : key)])
        }
        try desk.openAgain()
        try desk.set("whole", "", "2")
        try desk.set("new", "", "3")
        try laptop.set("broken", "", "4")
        try laptop.edit("broken", MetadataChanges(label: "of the laptop"))
        for _ in 0..<3 { for machine in [desk, laptop] { try machine.sync(group.store) } }
        #expect(try laptop.get("whole") == "2" && laptop.get("new") == "3" && laptop.get("broken") == "4")
        #expect(try desk.get("whole") == "2" && desk.get("new") == "3")
    }

    /// The others can be released. Once nothing else is left, the damaged one is named.
    @Test func aDamagedItemKeepsNoOtherFromBeingReleased() throws {
        let group = try CircleGroup("desk", "laptop")
        let (desk, store) = (group.machines[0], group.store)
        for name in ["bank", "broken"] { try desk.set(name, "", "1", AccessControl(requirements: [.userPresence])) }
        try group.settle()
        let spare = try CircleMachine("spare", clock: 1_800_001_000_000)
        try spare.join(desk)
        try desk.put(store)
        for _ in 0..<2 { for machine in [spare] + group.machines { try machine.sync(store) } }
        let id = try desk.find("broken").id
        try desk.vault.close()
        try desk.fixture.tamper { try $0.run("UPDATE field SET content = x'00' WHERE item = ?", [.blob(id.bytes)]) }
        try desk.openAgain()
        #expect(try desk.vault.unreleased(desk.classKeys).map(\.item.metadata.service) == ["bank"])
        try desk.release()
        do throws(VaultError) {
            _ = try desk.vault.unreleased(desk.classKeys)
            Issue.record("it is not named")
        } catch { #expect(error.damagedItem?.service == "broken") }
    }
}
