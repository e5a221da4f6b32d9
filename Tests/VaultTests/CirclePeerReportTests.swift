import Authorization
import Circle
import Cryptography
import Item
import Testing

@testable import Vault

/// What users of other password stores have reported to be lost, played step by step. Here, both values are found
/// afterwards.
struct CirclePeerReportTests {
    private func pair() throws -> (group: CircleGroup, one: CircleMachine, other: CircleMachine) {
        let group = try CircleGroup("one", "other")
        return (group, group.machines[0], group.machines[1])
    }

    /// keepassxc#822: two computers without a network each added entries. The provider kept the file that was saved last,
    /// and all that the other computer had added was gone.
    @Test func whatTwoMachinesAddWhileApartIsTogether() throws {
        let (group, one, other) = try pair()
        try one.set("common", "", "before")
        try group.settle()
        for number in 0..<3 { try one.set("one", "\(number)", "1") }
        for number in 0..<3 { try other.set("other", "\(number)", "2") }
        try one.set("common", "", "changed by one")
        try group.settle()
        for machine in group.machines {
            #expect(try machine.names == ["common", "one/0", "one/1", "one/2", "other/0", "other/1", "other/2"])
            #expect(try machine.get("common") == "changed by one")
        }
        #expect(try group.counts() == [0])
    }

    /// keepassxc#939: an entry was changed in two places between two merges. The merge kept the entry with the later time as
    /// a whole, so what the other place had changed in other fields was lost without a word.
    @Test func changesOfSeveralFieldsAreMergedOneByOne() throws {
        let (group, one, other) = try pair()
        try one.set("github", "", "password")
        try group.settle()
        try one.set(field: .otp, of: "github", "seed")
        try one.edit("github", MetadataChanges(comment: "of one"))
        try other.set("github", "", "new password")
        try other.edit("github", MetadataChanges(label: "of other"))
        try group.settle()
        #expect(try group.get("github") == ["new password"])
        #expect(try group.get("github", .otp) == ["seed"])
        for machine in group.machines {
            let metadata = try machine.find("github").metadata
            #expect(metadata.comment == "of one" && metadata.label == "of other")
        }
        #expect(try group.counts() == [0])
        // The same field, too: the one that lost is kept, and named.
        for machine in group.machines { try machine.set(field: .otp, of: "github", machine.name.text) }
        try group.settle()
        #expect(try group.values("github", .otp) == [["other", "one"], ["other", "one"]])
    }

    /// keepassxc#5290: a computer could not reload the synced file, kept its older copy as an unsaved change, and wrote it
    /// over the changes of the other one at the next save.
    @Test func aMachineThatWasBehindOverwritesNothing() throws {
        let (group, one, other) = try pair()
        try one.set("github", "", "before")
        try one.set("gitlab", "", "before")
        try group.settle()
        try one.set("github", "", "of one")
        try one.sync(group.store)
        // The other one does not take it in, because it is locked. Its person sets something else, which is given out.
        let keys = other.classKeys
        other.classKeys = other.vault.alwaysKeys
        #expect(throws: VaultError.self) { try other.takeIn(group.store) }
        try other.set("gitlab", "", "of other")
        other.classKeys = keys
        try group.settle()
        #expect(try group.get("github") == ["of one"])
        #expect(try group.get("gitlab") == ["of other"])
        #expect(try group.counts() == [0])
    }

    /// keepassxc#10225: the notes of an entry were open in the editor of one computer while the change of another one came
    /// in through Syncthing. Saving wrote the notes as they had been opened over that change.
    @Test func aNoteThatWasBeingEditedOverwritesNothing() throws {
        let (group, one, other) = try pair()
        try one.set("github", "", "password")
        try one.set(field: .notes, of: "github", "123")
        try group.settle()
        // The other person begins to edit.
        let seen = try other.find("github")
        try one.set(field: .notes, of: "github", "123\n456")
        try one.sync(group.store)
        var draft = ItemDraft(
            service: "github", account: "", value: try SecretBytes(copying: Array("123\n789".utf8)),
            access: .whenUnlocked)
        draft.field = .notes
        // If the change has come in meanwhile, the editor's save is refused.
        try other.takeIn(group.store)
        #expect { try other.vault.set(draft, ifRevision: seen.revision) } throws: {
            ($0 as? VaultError)?.code == .outdated
        }
        #expect(try other.get("github", "", .notes) == "123\n456")
        // If it has not, both are kept.
        let again = try other.find("github")
        try one.set(field: .notes, of: "github", "123\n456\nmore")
        try one.sync(group.store)
        other.fixture.advance(milliseconds: 1000)
        try other.vault.set(draft, ifRevision: again.revision)
        try group.settle()
        #expect(try group.values("github", .notes).allSatisfy { Set($0) == ["123\n456\nmore", "123\n789"] })
    }

    /// KeePassDX#1516: somebody merged a database into an identical copy of it. Many entries, all of one group among them,
    /// were missing afterwards.
    @Test func mergingTheSameTwiceLosesNothing() throws {
        let (one, other) = (try CircleMachine("one"), try CircleMachine("other", clock: 1_800_000_500_000))
        let store = CircleStore()
        for machine in [one, other] {
            for number in 0..<40 { try machine.set("service \(number % 4)", "\(number)", "value \(number)") }
        }
        let names = try one.names
        #expect(names.count == 40)
        try one.found()
        try one.sync(store)
        try other.join(one)
        for machine in [one, other, one, other, one] { try machine.sync(store) }
        for machine in [one, other] {
            #expect(try machine.names == names)
            for number in 0..<40 { #expect(try machine.get("service \(number % 4)", "\(number)") == "value \(number)") }
            // All are equal, so there is nothing to decide.
            #expect(try machine.conflicts().isEmpty)
        }
    }

    /// authpass#80: entries were deleted on one device, and its bin was emptied. After the merge, the other device still had
    /// them.
    @Test func whatIsDeletedStaysDeleted() throws {
        let (group, one, other) = try pair()
        for name in ["a", "b", "c"] { try one.set(name, "", name) }
        try group.settle()
        try one.vault.putAside(service: "a", account: "")
        try one.vault.delete(service: "b", account: "")
        // The other one touches what is not a value meanwhile.
        for name in ["a", "b"] { try other.edit(name, MetadataChanges(comment: "still here")) }
        for _ in 0..<3 { try group.settle() }
        for machine in group.machines {
            #expect(try machine.names == ["c"])
            #expect(try machine.vault.deletedItems().map(\.metadata.service) == ["a"])
        }
        #expect(try group.counts() == [0])
        // A new value that somebody sets at the same time is no deleted one, and is not lost.
        try one.vault.delete(service: "c", account: "")
        try other.set("c", "", "new")
        try group.settle()
        #expect(try group.get("c") == ["new"])
    }

    /// passforios#638: the app merged what the computer had added. Its own next addition then deleted these files again, and
    /// said nothing of it.
    @Test func anAdditionTakesNothingAlong() throws {
        let (group, one, other) = try pair()
        try one.set("first", "", "1")
        try group.settle()
        try one.set("test-2", "", "2")
        try one.sync(group.store)
        try other.set("test-3", "", "3")
        try other.sync(group.store)
        try other.set("test-4", "", "4")
        try other.vault.delete(service: "first", account: "")
        try group.settle()
        for machine in group.machines { #expect(try machine.names == ["test-2", "test-3", "test-4"]) }
        #expect(try group.get("test-2") == ["2"])
    }

    /// pass and git (passforios#131, git-crypt#20): two machines changed one encrypted file. git could not merge it, showed
    /// nothing that a person can read, and no other change came through until somebody had mended it by hand.
    @Test func aConflictHoldsUpNothingAndCanBeRead() throws {
        let (group, one, other) = try pair()
        try one.set("github", "", "before")
        try group.settle()
        for machine in group.machines { try machine.set("github", "", "of \(machine.name.text)") }
        try group.settle()
        // Nobody decides. Everything else goes on.
        try one.set("gitlab", "", "1")
        try other.edit("github", MetadataChanges(comment: "goes on"))
        try group.settle()
        #expect(try group.get("gitlab") == ["1"])
        #expect(try one.find("github").metadata.comment == "goes on")
        #expect(try group.values("github") == [["of other", "of one"], ["of other", "of one"]])
        let kept = try one.resolve("github", as: "other", keepingOthers: true)
        try group.settle()
        #expect(try group.get("github") == ["of other"])
        #expect(try group.get("github", try #require(kept.first)) == ["of one"])
        #expect(try group.counts() == [0])
    }
}
