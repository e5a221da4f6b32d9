import Authorization
import Circle
import Cryptography
import Item
import Testing

@testable import Vault

/// What machines have changed at the same time is listed by all of them, read, and decided once.
struct CircleConflictTests {
    /// An item with one value of each machine: that of the last one is shown.
    private func group(_ names: String..., values: [String]) throws -> CircleGroup {
        let group =
            switch names.count {
            case 2: try CircleGroup(names[0], names[1])
            default: try CircleGroup(names[0], names[1], names[2])
            }
        try group.machines[0].set("github", "", "before")
        try group.settle()
        for (machine, value) in zip(group.machines, values) { try machine.set("github", "", value) }
        try group.settle()
        return group
    }

    private func pair() throws -> CircleGroup { try group("desk", "laptop", values: ["of desk", "of laptop"]) }

    @Test func bothValuesAreListedAndReadEverywhere() throws {
        let group = try pair()
        #expect(try group.get("github") == ["of laptop"])
        #expect(try group.values("github") == [["of laptop", "of desk"], ["of laptop", "of desk"]])
        for machine in group.machines {
            let conflict = try machine.conflict("github")
            #expect(conflict.item.id == (try machine.find("github")).id && conflict.beyond == 0)
            #expect(conflict.revisions.map { $0.machine?.text } == ["laptop", "desk"])
            #expect(conflict.revisions[0].clock > conflict.revisions[1].clock)
            #expect(conflict.revisions.allSatisfy { $0.isReadable && $0.same == nil })
        }
        #expect(try group.counts() == [1])
        #expect(try group.machines[0].takeIn(group.store).conflicts == 1)
    }

    @Test func whatIsTakenIsShownByAllAndTheConflictIsGone() throws {
        let group = try pair()
        let laptop = group.machines[1]
        try laptop.resolve("github", as: "desk")
        // The vault's own item is changed at once, and what was shown is a former value.
        #expect(try laptop.get("github") == "of desk")
        #expect(try laptop.conflicts().isEmpty)
        let former = try laptop.vault.history(service: "github", account: "", kind: .genericPassword).versions
        #expect(former.first.map { $0.field } == .secret)
        try group.settle()
        #expect(try group.get("github") == ["of desk"])
        #expect(try group.counts() == [0])
        // A value that was not shown is not worn out: it can be set anew.
        try group.machines[0].set("github", "", "next")
        try group.settle()
        #expect(try group.get("github") == ["next"])
        #expect(try group.counts() == [0])
    }

    @Test func theShownOneCanBeTakenToo() throws {
        let group = try pair()
        let version = try group.machines[0].find("github").version
        try group.machines[0].resolve("github", as: "laptop")
        try group.settle()
        #expect(try group.get("github") == ["of laptop"])
        #expect(try group.counts() == [0])
        // Nothing was sealed anew for it.
        #expect(try group.machines[0].find("github").version == version)
    }

    @Test func equalValuesAreNoConflict() throws {
        let group = try group("desk", "laptop", values: ["the same", "the same"])
        #expect(try group.counts() == [0])
        #expect(try group.get("github") == ["the same"])
    }

    @Test func threeWritersAndTwoOfThemAgree() throws {
        let group = try group("desk", "laptop", "phone", values: ["one", "two", "one"])
        for machine in group.machines {
            let revisions = try machine.conflict("github").revisions
            #expect(revisions.map { $0.machine?.text } == ["phone", "laptop", "desk"])
            #expect(revisions.map(\.same) == [nil, nil, revisions[0].name])
        }
        try group.machines[2].resolve("github", as: "laptop")
        try group.settle()
        #expect(try group.get("github") == ["two"])
        #expect(try group.counts() == [0])
    }

    /// What a secret is used for is part of it.
    @Test func theSameBytesOfAnotherKindAreAConflict() throws {
        let group = try CircleGroup("desk", "laptop")
        try group.machines[0].set("github", "", "x")
        try group.settle()
        for (machine, kind) in zip(group.machines, [FieldKind.text, .secret]) {
            machine.fixture.advance(milliseconds: 1000)
            var draft = ItemDraft(
                service: "github", account: "", value: try SecretBytes(copying: Array("y".utf8)),
                access: .whenUnlocked)
            draft.field = "extra"
            draft.fieldKind = kind
            try machine.vault.set(draft)
        }
        try group.settle()
        #expect(try group.counts() == [1])
    }

    // MARK: Several decisions

    @Test func twoDecisionsForTheSameAreOne() throws {
        let group = try pair()
        for machine in group.machines { try machine.resolve("github", as: "desk") }
        try group.settle()
        #expect(try group.get("github") == ["of desk"])
        #expect(try group.counts() == [0])
    }

    @Test func twoDecisionsThatDifferAreAConflict() throws {
        let group = try group("desk", "laptop", "phone", values: ["one", "two", "three"])
        try group.machines[0].resolve("github", as: "desk")
        try group.machines[1].resolve("github", as: "laptop")
        try group.settle()
        // The third value is gone by both decisions.
        #expect(try group.values("github").allSatisfy { Set($0) == ["one", "two"] })
        try group.machines[2].resolve("github", as: "desk")
        try group.settle()
        #expect(try group.get("github") == ["one"])
        #expect(try group.counts() == [0])
    }

    @Test func aDecisionBesideANewValueLosesNeither() throws {
        let group = try pair()
        try group.machines[0].resolve("github", as: "desk")
        try group.machines[1].set("github", "", "new")
        try group.settle()
        #expect(try group.values("github").allSatisfy { Set($0) == ["of desk", "new"] })
        try group.machines[0].resolve("github", as: "laptop")
        try group.settle()
        #expect(try group.get("github") == ["new"])
        #expect(try group.counts() == [0])
    }

    /// Somebody has decided, or set the value anew, since it was listed.
    @Test func whatIsNoLongerThereIsNotTaken() throws {
        let group = try pair()
        let (desk, laptop) = (group.machines[0], group.machines[1])
        let conflict = try desk.conflict("github")
        let item = conflict.item.id
        try laptop.resolve("github", as: "laptop")
        try group.settle()
        let digest = try desk.digest()
        for revision in conflict.revisions {
            for keeps in [false, true] {
                #expect {
                    try desk.vault.resolve(
                        Resolution(
                            item: item, part: .field(.secret), taken: revision.name, keepsOthers: keeps),
                        desk.classKeys)
                } throws: {
                    ($0 as? VaultError)?.code == .outdated
                }
            }
            #expect { try desk.vault.value(of: revision.name, in: .secret, of: item, desk.classKeys) } throws: {
                ($0 as? VaultError)?.code == .outdated
            }
        }
        #expect(try desk.digest() == digest)
        #expect(try desk.find("github").metadata.fields.count == 1)
    }

    /// A value that was set here ends the conflict, also before it is given out.
    @Test func aLaterChangeEndsIt() throws {
        let group = try pair()
        let desk = group.machines[0]
        let conflict = try desk.conflict("github")
        try desk.set("github", "", "later")
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
        #expect(try desk.get("github") == "later")
        try group.settle()
        #expect(try group.get("github") == ["later"])
        #expect(try group.counts() == [0])
    }

    @Test func whatWasChangedElsewhereInTheItemStays() throws {
        let group = try pair()
        let desk = group.machines[0]
        try desk.edit("github", MetadataChanges(comment: "not given out yet"))
        try desk.resolve("github", as: "desk")
        #expect(try desk.find("github").metadata.comment == "not given out yet")
        try group.settle()
        #expect(try group.machines[1].find("github").metadata.comment == "not given out yet")
        #expect(try group.get("github") == ["of desk"])
    }

    // MARK: Other parts

    @Test func textsAreListedWithWhatTheySay() throws {
        let group = try CircleGroup("desk", "laptop")
        try group.machines[0].set("github", "", "1")
        try group.settle()
        let expiries: [UInt64] = [1_900_000_000_000, 1_910_000_000_000]
        for (machine, expiry) in zip(group.machines, expiries) {
            let name = machine.name.text
            try machine.edit(
                "github",
                MetadataChanges(
                    label: "label \(name)", comment: "comment \(name)", attributes: ["host": name], expires: expiry))
        }
        try group.settle()
        let host = SharedPart.attribute(Array("host".utf8))
        for machine in group.machines {
            #expect(try machine.conflicts().map(\.part) == [.label, .comment, .expiry, host])
            #expect(
                try machine.conflict("github", .label).revisions.map(\.content) == [
                    .text(Array("label laptop".utf8)), .text(Array("label desk".utf8)),
                ])
            #expect(
                try machine.conflict("github", .expiry).revisions.map(\.content)
                    == expiries.reversed().map { .expiry($0) })
        }
        for part in [SharedPart.label, .comment, .expiry, host] {
            try group.machines[1].resolve("github", part, as: "desk")
        }
        try group.settle()
        #expect(try group.counts() == [0])
        for machine in group.machines {
            let metadata = try machine.find("github").metadata
            #expect(metadata.label == "label desk" && metadata.comment == "comment desk")
            #expect(metadata.attributes == ["host": "desk"] && metadata.expires == expiries[0])
        }
    }

    @Test func aNameIsDecided() throws {
        let group = try CircleGroup("desk", "laptop")
        try group.machines[0].set("github", "", "1")
        try group.settle()
        for machine in group.machines {
            machine.fixture.advance(milliseconds: 1000)
            try machine.vault.rename(machine.find("github"), service: "of-\(machine.name.text)", account: "")
        }
        try group.settle()
        let conflict = try group.machines[0].conflict("of-laptop", .name)
        #expect(
            conflict.revisions.map(\.content)
                == ["of-laptop", "of-desk"].map { .name(ItemName(service: $0, account: "")) })
        // A name that another item has here is not taken.
        try group.machines[0].set("of-desk", "", "2")
        #expect { try group.machines[0].resolve("of-laptop", .name, as: "desk") } throws: {
            ($0 as? VaultError)?.code == .alreadyExists
        }
        try group.machines[0].vault.delete(service: "of-desk", account: "")
        try group.machines[0].resolve("of-laptop", .name, as: "desk")
        try group.settle()
        for machine in group.machines { #expect(try machine.names == ["of-desk"]) }
        #expect(try group.get("of-desk") == ["1"])
        #expect(try group.counts() == [0])
    }

    /// Two machines make the same item without hearing of each other.
    @Test func anItemThatWasMadeTwiceIsInConflict() throws {
        let group = try CircleGroup("desk", "laptop")
        for machine in group.machines { try machine.set("github", "", machine.name.text) }
        try group.settle()
        #expect(try group.values("github") == [["laptop", "desk"], ["laptop", "desk"]])
        try group.machines[1].resolve("github", as: "desk")
        try group.settle()
        #expect(try group.get("github") == ["desk"])
        #expect(try group.counts() == [0])
    }

    /// One machine makes an item, while another one takes back what had the same name from its bin. They are one item
    /// from then on, also on a machine that has both.
    @Test func whatComesBackBesideANewItemIsOneWithIt() throws {
        let group = try CircleGroup("desk", "laptop")
        let (desk, laptop) = (group.machines[0], group.machines[1])
        try desk.set("github", "", "old")
        try group.settle()
        try desk.vault.putAside(service: "github", account: "")
        try group.settle()
        try desk.set("github", "", "new")
        try laptop.vault.putBack(service: "github", account: "")
        try group.settle()
        for machine in group.machines {
            #expect(try machine.names == ["github"])
            #expect(try machine.vault.deletedItems().isEmpty)
        }
        #expect(try group.values("github") == [["new", "old"], ["new", "old"]])
    }

    // MARK: Keeping both

    @Test func theOthersBecomeFields() throws {
        let group = try group("desk", "laptop", "phone", values: ["one", "two", "three"])
        // A field that has the name already, and one that was not given out yet.
        let taken: FieldName = "secret-desk"
        try group.machines[1].set(field: taken, of: "github", "taken")
        let fields = try group.machines[1].resolve("github", as: "laptop", keepingOthers: true)
        #expect(Set(fields.map(\.text)) == ["secret-phone", "secret-desk-2"])
        #expect(try group.machines[1].get("github", "", "secret-phone") == "three")
        try group.settle()
        #expect(try group.get("github") == ["two"])
        #expect(try group.get("github", "secret-phone") == ["three"])
        #expect(try group.get("github", "secret-desk-2") == ["one"])
        #expect(try group.get("github", taken) == ["taken"])
        #expect(try group.counts() == [0])
    }

    /// The store withholds what a machine calls itself. Its field has the first eight digits of its id.
    @Test func aMachineWithoutANameIsKnownByItsID() throws {
        let (desk, laptop, store) = (try CircleMachine("desk"), try CircleMachine("laptop"), CircleStore())
        try desk.found()
        try desk.set("github", "", "before")
        try desk.sync(store)
        try laptop.join(desk)
        try desk.put(store)
        let known = Set(store.names)
        try laptop.sync(store)
        let withheld = Set(store.names).subtracting(known)
        try #require(!withheld.isEmpty)
        for machine in [desk, laptop] { try machine.set("github", "", "of \(machine.name.text)") }
        try laptop.sync(store)
        for path in withheld { store.files[path] = nil }
        try desk.sync(store)
        let device = try laptop.view().device.id
        #expect(try desk.view().profiles[device] == nil)
        let fields = try desk.resolve("github", as: "desk", keepingOthers: true)
        #expect(fields.map(\.text) == ["secret-\(Hex.encode(device.bytes).prefix(8))"])
        #expect(try desk.get("github", "", fields[0]) == "of laptop")
    }

    /// No character is cut in two, and every byte is of use.
    @Test(arguments: [("é", 127), ("e", 128)]) func aNameIsCutToItsLength(letter: String, count: Int) throws {
        let group = try CircleGroup("desk", "laptop")
        let long = try #require(FieldName(String(repeating: letter, count: ItemLimits.fieldName / letter.utf8.count)))
        try group.machines[0].set("github", "", "1")
        try group.settle()
        for machine in group.machines { try machine.set(field: long, of: "github", machine.name.text) }
        try group.settle()
        let made = try group.machines[0].resolve("github", .field(long), as: "laptop", keepingOthers: true)
        #expect(made.count == 1 && made[0].text.hasSuffix("-desk") && made[0].bytes.count == count)
        try group.settle()
        #expect(try group.get("github", made[0]) == ["desk"])
    }

    @Test func withoutRoomNothingIsLost() throws {
        let group = try pair()
        for number in 1..<ItemLimits.fields {
            try group.machines[0].set(field: try #require(FieldName("f\(number)")), of: "github", "\(number)")
        }
        try group.settle()
        let digest = try group.machines[0].digest()
        #expect { try group.machines[0].resolve("github", as: "desk", keepingOthers: true) } throws: {
            let error = $0 as? VaultError
            return error?.code == .limitExceeded
                && error?.reason == "the item has room for 0 more fields, and 1 more values would be kept"
        }
        #expect(try group.machines[0].digest() == digest)
        #expect(try group.values("github").allSatisfy { $0 == ["of laptop", "of desk"] })
        try group.machines[0].resolve("github", as: "desk")
        try group.settle()
        #expect(try group.get("github") == ["of desk"])
    }

    @Test func theLastRoomIsOfUse() throws {
        let group = try pair()
        for number in 1..<ItemLimits.fields - 1 {
            try group.machines[0].set(field: try #require(FieldName("f\(number)")), of: "github", "\(number)")
        }
        try group.settle()
        let fields = try group.machines[0].resolve("github", as: "desk", keepingOthers: true)
        #expect(fields == ["secret-laptop"])
        try group.settle()
        #expect(try group.get("github") == ["of desk"])
        #expect(try group.get("github", "secret-laptop") == ["of laptop"])
    }

    @Test func onlyValuesAreBothKept() throws {
        let group = try CircleGroup("desk", "laptop")
        try group.machines[0].set("github", "", "1")
        try group.settle()
        for machine in group.machines { try machine.edit("github", MetadataChanges(label: machine.name.text)) }
        try group.settle()
        #expect { try group.machines[0].resolve("github", .label, as: "desk", keepingOthers: true) } throws: {
            ($0 as? VaultError)?.code == .invalidArgument
        }
        #expect(try group.counts() == [1])
    }
}
