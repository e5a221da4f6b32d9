import Item
import Testing

@testable import Vault

/// A field that is too long to travel stays on its machine, in an item that others fill meanwhile.
struct CircleUnsaidRoomTests {
    /// It keeps its room. With one field more than it may have, the item would be damage, and stop each exchange
    /// (attacker 13).
    @Test func aFieldThatStaysKeepsItsRoom() throws {
        let group = try CircleGroup("desk", "laptop")
        let (desk, laptop) = (group.machines[0], group.machines[1])
        try desk.set("github", "", "1")
        try group.settle()
        try desk.set(field: .notes, of: "github", String(repeating: "x", count: 900_000))
        for number in 0..<ItemLimits.fields - 1 {
            try laptop.set(field: #require(FieldName("shared\(number)")), of: "github", "s")
        }
        for _ in 0..<3 { for machine in group.machines { try machine.sync(group.store) } }
        let fields = try desk.find("github").metadata.fields.map(\.name)
        #expect(fields.count == ItemLimits.fields && fields.contains(.notes) && fields.contains(.secret))
        #expect(try desk.get("github") == "1" && desk.get("github", "", .notes).utf8.count == 900_000)
        _ = try desk.vault.verify()
        // What has no room here was not removed by anybody.
        #expect(try laptop.find("github").metadata.fields.count == ItemLimits.fields)
    }
}
