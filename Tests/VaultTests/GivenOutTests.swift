import Authorization
import Circle
import Cryptography
import Item
import Testing

@testable import Vault

/// Which of the values that were given out can be the ones before, only sealed anew.
struct GivenOutTests {
    /// Sealed anew, a value keeps its time, but is later than what it replaces. One that is later by more is another
    /// value.
    @Test(arguments: [(1, true), (2, false)] as [(UInt64, Bool)])
    func aValueKeepsItsTimeIfItIsSealedAnew(later: UInt64, canBeOld: Bool) throws {
        let group = try CircleGroup("desk", "laptop")
        let laptop = group.machines[1]
        try group.machines[0].set("github", "", "1")
        try group.settle()
        let (writer, item, view) = try laptop.writer()
        let shown = try #require(item.shown(.field(.secret)))
        let present = try #require(view.present)
        // A name from before the value, in a record of its own.
        let name = try PartChange(
            item: item.id, part: .name, stamp: PartStamp(at: 1, replacing: [], writer: writer.writer), replacing: [],
            content: .name(item.name))
        let (content, value) = try FreshValue.given(
            SecretBytes(copying: [50]), .secret, of: laptop.find("github").id, .whenUnlocked,
            vault: laptop.vault.format.vault, in: present)
        let change = try PartChange(
            item: item.id, part: .field(.secret),
            stamp: PartStamp(at: shown.stamp.clock + later, replacing: [], writer: writer.writer),
            replacing: [shown.name], content: .value(content))
        try laptop.give([.changes([CarriedChange(name)]), .changes([CarriedChange(change, value)])])
        let after = try laptop.view()
        let given = try GivenOut.all(in: after, to: after.device.id)[item.id] ?? []
        let one = try #require(given.first { $0.change.name == change.name })
        let former = given.filter { $0.change.name == shown.name }
        try #require(former.count == 1)
        #expect(one.canBeOld(after: former) == canBeOld)
    }
}
