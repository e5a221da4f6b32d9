import Authorization
import Circle
import Cryptography
import Item
import Testing

@testable import Vault

/// Members that do harm by what they change at the same time (attacker 13), and what a decision must not loosen.
struct CircleConflictAttackTests {
    private func pair() throws -> (group: CircleGroup, desk: CircleMachine, laptop: CircleMachine) {
        let group = try CircleGroup("desk", "laptop")
        try group.machines[0].set("github", "", "before")
        try group.settle()
        return (group, group.machines[0], group.machines[1])
    }

    private func conflicting() throws -> (group: CircleGroup, desk: CircleMachine, laptop: CircleMachine) {
        let (group, desk, laptop) = try pair()
        for machine in [desk, laptop] { try machine.set("github", "", "of \(machine.name.text)") }
        try group.settle()
        return (group, desk, laptop)
    }

    /// Labels that one machine writes as if it did not know of the others.
    private func labels(_ count: Int, of machine: CircleMachine) throws -> [CarriedChange] {
        let (writer, item, _) = try machine.writer()
        return try (0..<count).map { number in
            try CarriedChange(
                PartChange(
                    item: item.id, part: .label,
                    stamp: PartStamp(
                        at: 1_900_000_000_000 + UInt64(number), replacing: [], writer: writer.writer),
                    replacing: [], content: .text(Array("l\(number)".utf8))))
        }
    }

    /// More losers than are kept, and more than one change replaces.
    @Test(arguments: [12, 1_500]) func manyRevisionsEndTogether(_ count: Int) throws {
        let (group, desk, laptop) = try pair()
        try laptop.give([.changes(labels(count, of: laptop))])
        try laptop.put(group.store)
        try desk.sync(group.store)
        let conflict = try desk.conflict("github", .label)
        #expect(conflict.revisions.count == SharedItem.mostLosers + 1)
        #expect(conflict.beyond == count - SharedItem.mostLosers - 1)
        // A revision beyond those that all keep is none of the conflict.
        let item = try #require(try desk.view().state.items.first)
        let last = try #require(item.revisions(of: .label).last)
        #expect {
            try desk.vault.resolve(
                Resolution(item: conflict.item.id, part: .label, taken: last.name, keepsOthers: false), desk.classKeys)
        } throws: {
            ($0 as? VaultError)?.code == .outdated
        }
        let taken = conflict.revisions[8]
        _ = try desk.vault.resolve(
            Resolution(item: conflict.item.id, part: .label, taken: taken.name, keepsOthers: false), desk.classKeys)
        try group.settle()
        for machine in group.machines {
            #expect(try machine.find("github").metadata.label == "l\(count - 9)")
            #expect(try machine.view().state.items[0].revisions(of: .label).count == 1)
        }
        #expect(try group.counts() == [0])
    }

    /// A value with a large stamp that opens nowhere. It is shown by nobody, and decided away.
    @Test func aValueThatDoesNotOpenIsListedAndNotTaken() throws {
        let group = try CircleGroup("desk", "laptop", "phone")
        let (desk, laptop, phone) = (group.machines[0], group.machines[1], group.machines[2])
        try desk.set("github", "", "before")
        try group.settle()
        for machine in [desk, laptop] { try machine.set("github", "", "of \(machine.name.text)") }
        try group.settle()
        let (writer, item, view) = try laptop.writer()
        let shown = try #require(item.shown(.field(.secret)))
        let good = try #require(try view.value(of: shown)).value
        var junk = good.sealed
        junk[20] ^= 1
        let value = try CarriedValue(
            kind: .secret, item: good.item, commitment: good.commitment, slots: good.slots, sealed: junk)
        let field = try #require(
            SealedField(
                revision: [UInt8](repeating: 1, count: 16), digest: SHA256.digest(junk), access: .whenUnlocked))
        let change = try PartChange(
            item: item.id, part: .field(.secret),
            stamp: PartStamp(at: 1_900_000_000_000, replacing: [], writer: writer.writer), replacing: [],
            content: .value(field))
        try laptop.give([.changes([CarriedChange(change, value)])])
        try laptop.put(group.store)
        try desk.sync(group.store)
        #expect(try desk.get("github") == "of laptop")
        let conflict = try desk.conflict("github")
        #expect(conflict.revisions.map(\.isReadable) == [false, true, true])
        #expect(try desk.values("github") == ["of laptop", "of desk"])
        // It is neither taken nor given out, and what it stands beside is not lost by keeping all.
        let digest = try desk.digest()
        for (place, keeps) in [(0, false), (0, true), (1, true)] {
            #expect {
                try desk.vault.resolve(
                    Resolution(
                        item: conflict.item.id, part: .field(.secret), taken: conflict.revisions[place].name,
                        keepsOthers: keeps), desk.classKeys)
            } throws: {
                ($0 as? VaultError)?.code == .invalidArgument
            }
        }
        #expect {
            try desk.vault.value(of: change.name, in: .secret, of: conflict.item.id, desk.classKeys)
        } throws: {
            ($0 as? VaultError)?.code == .invalidArgument
        }
        #expect(try desk.digest() == digest)
        _ = try desk.vault.resolve(
            Resolution(
                item: conflict.item.id, part: .field(.secret), taken: conflict.revisions[2].name, keepsOthers: false),
            desk.classKeys)
        for machine in [desk, phone] {
            try machine.sync(group.store)
            #expect(try machine.get("github") == "of desk")
            #expect(try machine.conflicts().isEmpty)
            _ = try machine.vault.verify()
        }
    }

    /// A member that makes a new conflict again and again fills no memory.
    @Test func onlySoManyOutcomesAreKept() throws {
        func revisions(_ number: Int) throws -> [RevisionName] {
            let bytes = BigEndian.bytes(UInt64(number))
            return [try #require(RevisionName(digest: bytes + bytes + bytes + bytes))]
        }
        var known = KnownConflicts()
        for number in 0..<KnownConflicts.most { known.put(try revisions(number), isConflict: number % 2 == 0) }
        let (first, second, last) = (try revisions(0), try revisions(1), try revisions(KnownConflicts.most))
        #expect(known.isConflict(first) == true)
        #expect(known.isConflict(second) == false)
        known.put(last, isConflict: true)
        #expect(known.isConflict(first) == nil)
        #expect(known.isConflict(last) == true)
    }

    /// A member writes the same value again and again, so that a real conflict is beyond what is compared.
    @Test func equalValuesHideNoConflict() throws {
        let (group, desk, laptop) = try conflicting()
        for name in ["a", "b", "c"] {
            for machine in [desk, laptop] { try machine.set(name, "", "the same") }
        }
        try group.settle()
        for most in 0...4 {
            var known = KnownConflicts()
            let counts = try desk.vault.read { (snapshot) throws(VaultError) in
                let (material, view) = try desk.vault.view(snapshot, desk.classKeys)
                let search = try ConflictSearch(view, material.shared, in: snapshot)
                // Items that both have made have equal names, which are not compared.
                #expect(search.places.count == 4)
                return (
                    try search.count(lookingAt: most, &known), try search.count(lookingAt: 4, &known),
                    try search.count(lookingAt: 0, &known)
                )
            }
            #expect(counts.0 >= 1 && counts.1 == 1, "\(most)")
            #expect(most < 4 || counts.0 == 1)
            // What was compared is known.
            #expect(counts.2 == 1)
        }
        #expect(try group.counts() == [1])
    }

    /// A page begins where the one before has ended.
    @Test func aLongListComesInPages() throws {
        let (group, desk, laptop) = try conflicting()
        for name in ["a", "b", "c"] {
            for machine in [desk, laptop] {
                try machine.edit("github", MetadataChanges(attributes: [name: machine.name.text]))
            }
        }
        for machine in [desk, laptop] { try machine.set("equal", "", "the same") }
        try group.settle()
        let whole = try desk.conflicts()
        #expect(whole.count == 4)
        for (most, room) in [(1, 1 << 20), (2, 1 << 20), (100, 1), (100, 0)] {
            var (found, place): ([PartConflict], [UInt8]?) = ([], [])
            var turns = 0
            while let after = place, turns < 10 {
                let page = try desk.vault.conflicts(after: after, upTo: most, room: room, desk.classKeys)
                #expect(page.conflicts.count <= most)
                found += page.conflicts
                place = page.next
                turns += 1
            }
            #expect(found.map(\.part) == whole.map(\.part), "\(most) \(room)")
        }
        // Text that fits to the byte is in the page. One conflict is in it in any case.
        var sums: [Int] = []
        for conflict in whole { sums.append((sums.last ?? 0) + conflict.revisions.reduce(0) { $0 + $1.size }) }
        for room in sums.flatMap({ [max($0, 1) - 1, $0] }) {
            let page = try desk.vault.conflicts(room: room, desk.classKeys)
            #expect(page.conflicts.count == max(sums.count { $0 <= room }, 1), "\(room)")
        }
        // Of one item.
        let item = try desk.find("github").id
        #expect(try desk.vault.conflicts(of: item, desk.classKeys).conflicts.count == 4)
        let other = try desk.find("equal").id
        #expect(try desk.vault.conflicts(of: other, desk.classKeys).conflicts.isEmpty)
        // A place that nobody gave is a place, too.
        #expect(try desk.vault.conflicts(after: [255], desk.classKeys).conflicts.isEmpty)
    }

    // MARK: What is asked for

    /// A member says of its value that it asks for a person, and gives all members its key. It is no more readable for that.
    @Test func aGuardedValueWithAKeyForAllIsNotReadable() throws {
        let (group, desk, laptop) = try conflicting()
        let (writer, item, view) = try laptop.writer()
        let shown = try #require(item.shown(.field(.secret)))
        let good = try #require(try view.value(of: shown)).value
        let (present, access) = (try #require(view.present), AccessControl.whenUnlocked.requiring(.userPresence))
        let revision = try #require(RevisionID(bytes: [UInt8](repeating: 1, count: 16)))
        let context = FieldContext(
            vault: laptop.fixture.record.vault, item: try #require(ItemID(bytes: good.item.bytes)), field: .secret,
            access: access, seal: .third(revision), name: ItemName(service: "github", account: ""))
        let key = try SecretBytes.random(count: 32)
        let sealed = try context.seal(SecretBytes(copying: Array("forged".utf8)), key: key)
        let slot = try MembersSlot(
            circle: view.device.circle, generation: present.name, value: context, revision: revision
        ).wrap(key, present)
        let value = try CarriedValue(
            kind: .secret, item: good.item, commitment: context.commitment(to: key), slots: [slot], sealed: sealed)
        let field = try #require(SealedField(revision: revision.bytes, digest: SHA256.digest(sealed), access: access))
        // Older than the others, so it is one that is not shown.
        let change = try PartChange(
            item: item.id, part: .field(.secret), stamp: PartStamp(at: 1, replacing: [], writer: writer.writer),
            replacing: [], content: .value(field))
        try laptop.give([.changes([CarriedChange(change, value)])])
        try laptop.put(group.store)
        try desk.sync(group.store)
        let conflict = try desk.conflict("github")
        #expect(conflict.revisions.map(\.isReadable) == [true, true, false])
        #expect(throws: VaultError.self) {
            try desk.vault.value(of: change.name, in: .secret, of: conflict.item.id, desk.classKeys)
        }
        #expect(try desk.values("github") == ["of laptop", "of desk"])
    }

    /// A machine tightens the item, while others have set values without that. From then on none of them is shown, given out
    /// or taken.
    @Test func whatAsksForAPersonIsNotDecidedHere() throws {
        let (group, desk, laptop) = try conflicting()
        for machine in [desk, laptop] { try machine.edit("github", MetadataChanges(label: machine.name.text)) }
        try group.settle()
        #expect(try group.counts() == [2])
        let conflict = try laptop.conflict("github")
        let item = try desk.find("github")
        desk.fixture.advance(milliseconds: 1000)
        try desk.vault.reseal(
            item, desk.vault.values(of: item, classKeys: desk.classKeys),
            access: .whenUnlocked.requiring(.userPresence))
        // Also before it is given out.
        #expect(try desk.conflicts().isEmpty)
        try group.settle()
        for machine in group.machines {
            #expect(try machine.conflicts().isEmpty)
            for revision in conflict.revisions {
                let id = try machine.find("github").id
                #expect(throws: VaultError.self) {
                    try machine.vault.value(of: revision.name, in: .secret, of: id, machine.classKeys)
                }
                for keeps in [false, true] {
                    #expect {
                        try machine.vault.resolve(
                            Resolution(
                                item: id, part: .field(.secret), taken: revision.name, keepsOthers: keeps),
                            machine.classKeys)
                    } throws: {
                        ($0 as? VaultError)?.code == .outdated
                    }
                }
            }
            #expect(try machine.find("github").access == .whenUnlocked.requiring(.userPresence))
        }
    }

    /// The floor asks for something that this machine cannot ask for, so the item here is as it was. A decision would make
    /// another value readable without it.
    @Test func whatTheFloorAsksForHolds() throws {
        let (group, desk, laptop) = try conflicting()
        let conflict = try desk.conflict("github")
        let (writer, item, _) = try laptop.writer()
        try laptop.give([
            .changes(
                try writer.guardItem(item, by: .whenUnlocked.requiring(.applicationPassword)).map {
                    try CarriedChange($0)
                })
        ])
        try laptop.put(group.store)
        try desk.sync(group.store)
        #expect(try desk.find("github").access == .whenUnlocked)
        #expect(try desk.conflicts().isEmpty)
        #expect {
            try desk.vault.resolve(
                Resolution(
                    item: conflict.item.id, part: .field(.secret), taken: conflict.revisions[1].name, keepsOthers: false
                ),
                desk.classKeys)
        } throws: {
            ($0 as? VaultError)?.code == .outdated
        }
        #expect(try desk.get("github") == "of laptop")
    }

    /// A value that was set while the item could be read sooner is sealed anew, not looser.
    @Test func aLooserClassIsNotBroughtBack() throws {
        let group = try CircleGroup("desk", "laptop")
        let (desk, laptop) = (group.machines[0], group.machines[1])
        try desk.set("github", "", "before", .afterFirstUnlock)
        try group.settle()
        try desk.set("github", "", "of desk", .afterFirstUnlock)
        try laptop.set("github", "", "of laptop", .whenUnlocked)
        try group.settle()
        for machine in group.machines { #expect(try machine.find("github").access == .whenUnlocked) }
        let made = try laptop.resolve("github", as: "desk", keepingOthers: true)
        try group.settle()
        #expect(try group.get("github") == ["of desk"])
        #expect(try group.get("github", made[0]) == ["of laptop"])
        for machine in group.machines {
            #expect(try machine.find("github").access == .whenUnlocked)
            let values = try machine.vault.read { (snapshot) throws(VaultError) in
                try snapshot.values(of: snapshot.items(service: "github")[0])
            }
            #expect(values.allSatisfy { $0.field.access == .whenUnlocked })
        }
    }

    // MARK: Who may

    @Test func aLockedVaultTellsNothingAndDecidesNothing() throws {
        let (_, desk, _) = try conflicting()
        let conflict = try desk.conflict("github")
        let locked = desk.vault.alwaysKeys
        for body in [
            { _ = try desk.vault.conflicts(locked) },
            { _ = try desk.vault.value(of: conflict.revisions[0].name, in: .secret, of: conflict.item.id, locked) },
            {
                _ = try desk.vault.resolve(
                    Resolution(
                        item: conflict.item.id, part: .field(.secret), taken: conflict.revisions[1].name,
                        keepsOthers: false), locked)
            },
        ] as [() throws -> Void] {
            #expect { try body() } throws: { ($0 as? VaultError)?.code == .locked }
        }
        // How many there are is known from before the lock. A vault that was just opened has compared nothing.
        #expect(try desk.vault.circleState(locked)?.conflicts == 1)
        try desk.reopen()
        #expect(try desk.vault.circleState(desk.vault.alwaysKeys)?.conflicts == nil)
        #expect(try desk.vault.circleState(desk.classKeys)?.conflicts == 1)
        #expect(try desk.vault.circleState(desk.vault.alwaysKeys)?.conflicts == 1)
    }

    /// Only a lock is a reason not to count. A changed file is noticed here, too (attacker 5).
    @Test func damageIsNoUnknownCount() throws {
        let (_, desk, _) = try conflicting()
        #expect(try desk.vault.circleState(desk.classKeys)?.conflicts == 1)
        try desk.vault.close()
        try desk.fixture.flip(20, of: "record", in: "item", path: desk.fixture.path)
        try desk.reopen()
        #expect(vaultError { _ = try desk.vault.circleState(desk.classKeys) } == .damaged)
    }

    @Test func aRemovedMachineDecidesNothing() throws {
        let (group, desk, laptop) = try conflicting()
        let conflict = try laptop.conflict("github")
        try desk.remove(laptop)
        try desk.put(group.store)
        try laptop.takeIn(group.store)
        #expect(throws: VaultError.self) { try laptop.conflicts() }
        #expect(try laptop.vault.circleState(laptop.classKeys)?.conflicts == nil)
        #expect(throws: VaultError.self) {
            try laptop.vault.resolve(
                Resolution(
                    item: conflict.item.id, part: .field(.secret), taken: conflict.revisions[1].name, keepsOthers: false
                ),
                laptop.classKeys)
        }
        #expect(try laptop.get("github") == "of laptop")
        // The others still know each value, and the machine that has set it.
        #expect(try desk.values("github") == ["of laptop", "of desk"])
        #expect(try desk.conflict("github").revisions[0].machine?.text == "laptop")
    }

    /// A decision by one that only reads has no effect at the others, so it is refused.
    @Test func aReaderDecidesNothing() throws {
        let (group, desk, _) = try conflicting()
        let server = try CircleMachine("server")
        try server.vault.enter(desk.add(server.request(), as: .reader), server.profile, server.classKeys)
        try desk.put(group.store)
        try server.sync(group.store)
        #expect(try server.values("github") == ["of laptop", "of desk"])
        #expect(throws: VaultError.self) { try server.resolve("github", as: "desk") }
        #expect(try server.get("github") == "of laptop")
    }

    /// What is in the bin, or belongs to this machine by now, is in no conflict.
    @Test func whatIsNotSharedIsInNoConflict() throws {
        let (group, desk, laptop) = try conflicting()
        try laptop.vault.putAside(service: "github", account: "")
        #expect(try laptop.conflicts().isEmpty)
        try group.settle()
        #expect(try group.counts() == [0])
        try desk.vault.putBack(service: "github", account: "")
        try group.settle()
        #expect(try group.counts() == [1])
        try desk.set("github", "", "mine", .whenUnlocked.thisDeviceOnly)
        #expect(try desk.conflicts().isEmpty)
    }

    /// A stop in between leaves the vault as it was, or decided.
    @Test func aDecisionSurvivesAStop() throws {
        let (group, desk, _) = try conflicting()
        try desk.resolve("github", as: "desk")
        try desk.reopen()
        #expect(try desk.get("github") == "of desk")
        #expect(try desk.conflicts().isEmpty)
        try group.settle()
        #expect(try group.get("github") == ["of desk"])
    }

    /// Keys are changed between the decision and its way to the others.
    @Test func aDecisionIsGivenOutUnderTheKeysOfThen() throws {
        let group = try CircleGroup("desk", "laptop", "phone")
        let (desk, laptop, phone) = (group.machines[0], group.machines[1], group.machines[2])
        try desk.set("github", "", "before")
        try group.settle()
        for machine in [desk, laptop] { try machine.set("github", "", "of \(machine.name.text)") }
        try group.settle()
        let made = try laptop.resolve("github", as: "desk", keepingOthers: true)
        try desk.remove(phone)
        try desk.put(group.store)
        for machine in [laptop, desk, laptop, desk] { try machine.sync(group.store) }
        for machine in [desk, laptop] {
            #expect(try machine.get("github") == "of desk")
            #expect(try machine.get("github", "", made[0]) == "of laptop")
            #expect(try machine.conflicts().isEmpty)
            _ = try machine.vault.verify()
        }
        _ = try phone.takeIn(group.store)
        #expect(try phone.get("github") == "of laptop")
    }
}
