import Circle
import Testing

@testable import Vault

/// What a vault tells of its circle. Programs act on it, so an exchange that changes nothing must tell nothing.
struct CircleEventTests {
    private func told(_ machine: CircleMachine, _ body: () throws -> Void) throws -> Int {
        machine.fixture.told.withLock { $0 = [] }
        try body()
        return machine.fixture.told.withLock { $0.count { $0 == .sharing } }
    }

    @Test func onlyAnExchangeThatChangesSomethingIsTold() throws {
        let group = try CircleGroup("desk", "laptop")
        let (desk, laptop) = (group.machines[0], group.machines[1])
        try desk.set("github", "me", "1")
        #expect(try told(desk) { try desk.sync(group.store) } > 0)
        #expect(try told(laptop) { try laptop.sync(group.store) } > 0)
        try group.settle()
        for machine in group.machines {
            #expect(try told(machine) { for _ in 0..<3 { try machine.sync(group.store) } } == 0)
        }
        // A change that waits is told once, and not at each look.
        try laptop.set("github", "me", "2")
        #expect(try told(laptop) { try laptop.takeIn(group.store) } == 1)
        #expect(try told(laptop) { try laptop.takeIn(group.store) } == 0)
    }

    /// An item gets a name that another one has just left. It is told once, and under no name in between.
    @Test func anItemThatIsRenamedIsToldOnce() throws {
        let group = try CircleGroup("desk", "laptop")
        let (desk, laptop) = (group.machines[0], group.machines[1])
        for name in ["a", "b"] { try desk.set(name, "", "1") }
        try group.settle()
        // The laptop comes to the first one while the second still has the name.
        let names = try laptop.view().state.items.map(\.name.service)
        for (from, to) in [(names[1], "c"), (names[0], names[1])] {
            desk.fixture.advance(milliseconds: 1000)
            try desk.vault.rename(desk.find(from), service: to, account: "")
        }
        try desk.sync(group.store)
        laptop.fixture.told.withLock { $0 = [] }
        try laptop.takeIn(group.store)
        let updates = laptop.fixture.told.withLock { told in
            told.count { if case .updated = $0 { true } else { false } }
        }
        #expect(updates == 2)
        #expect(try laptop.names == [names[1], "c"].sorted())
    }
}
