import Circle
import Item
import Testing

@testable import Vault

/// Which parts with several revisions are in conflict here, and which of their revisions are the same.
struct ConflictSearchTests {
    /// A change that waits to be given out ends a conflict. It does so too if the part had no place here before.
    @Test func aChangeThatWaitsEndsAConflict() throws {
        let group = try CircleGroup("desk", "laptop")
        let desk = group.machines[0]
        try desk.set("github", "", "1")
        try group.settle()
        for machine in group.machines { try machine.edit("github", MetadataChanges(label: machine.name.text)) }
        try group.settle()
        let id = try desk.find("github").id
        /// The parts in conflict if the label had no place here.
        func parts() throws -> [SharedPart] {
            try desk.vault.read { (snapshot) throws(VaultError) in
                let (material, view) = try desk.vault.view(snapshot, desk.classKeys)
                var shared = material.shared
                shared.put(id, withheld: [.label: try SharedItems.digest([])])
                return try ConflictSearch(view, shared, in: snapshot).places.map(\.part)
            }
        }
        #expect(try parts() == [.label])
        try desk.edit("github", MetadataChanges(label: ""))
        #expect(try parts() == [.label])
        try desk.edit("github", MetadataChanges(label: "of a person"))
        #expect(try parts().isEmpty)
    }

    /// Two of three machines write the same text.
    @Test func equalTextsAreTheSame() throws {
        let group = try CircleGroup("desk", "laptop", "phone")
        try group.machines[0].set("github", "", "1")
        try group.settle()
        for (machine, label) in zip(group.machines, ["one", "another", "one"]) {
            try machine.edit("github", MetadataChanges(label: label))
        }
        try group.settle()
        for machine in group.machines {
            let revisions = try machine.conflict("github", .label).revisions
            #expect(revisions.count == 3)
            #expect(revisions.filter { $0.same == nil }.count == 2)
        }
    }
}
