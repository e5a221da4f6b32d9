import Authorization
import Circle
import Item
import Testing

@testable import Vault

/// What an item says here, and what of the circle's it withholds.
struct SharedMetadataTests {
    /// An item without room stays as it is. It withholds what the circle says otherwise, and nothing else.
    @Test func onlyWhatDiffersIsWithheld() throws {
        let desk = try CircleMachine("desk")
        try desk.found()
        try desk.set("github", "", "1")
        try desk.edit(
            "github",
            MetadataChanges(
                label: "Git", comment: "mine", attributes: ["host": "github.com"], expires: 1_900_000_000_000))
        _ = try desk.vault.takeIn(heads: [], segments: [], desk.classKeys)
        let item = try desk.writer().1
        func withheld() throws -> Set<SharedPart> {
            let metadata = try desk.find("github").metadata
            var parts: SharedItems.Withheld = [:]
            _ = try metadata.kept(against: item, metadata.fields, &parts)
            return Set(parts.keys)
        }
        #expect(try withheld().isEmpty)
        try desk.edit("github", MetadataChanges(label: "Octo", attributes: ["user": "octo"]))
        #expect(try withheld() == [.label, .attribute(Array("user".utf8))])
    }

    /// Unicode calls two spellings of a text equal. They are different texts here, and the last one reaches all
    /// machines. Otherwise each would undo the other's, for ever.
    @Test func anotherSpellingTravels() throws {
        let (one, other) = ("caf\u{e9}", "cafe\u{301}")
        let group = try CircleGroup("desk", "laptop")
        let (desk, laptop) = (group.machines[0], group.machines[1])
        try desk.set("github", "", "1")
        try desk.edit("github", MetadataChanges(label: one, comment: one, attributes: ["place": one]))
        try group.settle()
        try laptop.edit("github", MetadataChanges(label: other, comment: other, attributes: ["place": other]))
        try group.settle()
        for machine in group.machines {
            let metadata = try machine.find("github").metadata
            for text in [metadata.label, metadata.comment, metadata.attributes["place"]] {
                #expect(text.map { Array($0.utf8) } == Array(other.utf8))
            }
        }
    }
}
