import Authorization
import Circle
import Item
import Testing

@testable import Vault

/// A secret that goes from one machine because it has expired there stays with the others. The clock of that machine may
/// be wrong.
struct CircleExpiryTests {
    private static let expiry: UInt64 = 1_900_000_000_000
    private static let wrong: UInt64 = 2_000_000_000_000

    private let group: CircleGroup
    private let desk: CircleMachine
    private let laptop: CircleMachine

    init() throws {
        group = try CircleGroup("desk", "laptop")
        (desk, laptop) = (group.machines[0], group.machines[1])
        try desk.set("token", "", "valid")
        try desk.edit("token", MetadataChanges(expires: Self.expiry))
        try laptop.set("other", "", "without an end")
        try group.settle()
    }

    private func exchange(_ machines: CircleMachine...) throws {
        for _ in 0..<3 { for machine in machines { try machine.sync(group.store) } }
    }

    /// Nothing is deleted at anybody, whether the machine exchanges with its wrong clock or with the right one.
    @Test(arguments: [false, true]) func whatAWrongClockHasSweptComesBack(_ exchangesBefore: Bool) throws {
        let right = desk.fixture.clock.withLock { $0 }
        desk.fixture.clock.withLock { $0 = Self.wrong }
        #expect(try desk.vault.sweep(expiredBy: Self.wrong, limit: 10).map(\.metadata.service) == ["token"])
        if exchangesBefore {
            try exchange(desk, laptop)
            #expect(try desk.vault.list().map(\.metadata.service) == ["other"])
        }
        desk.fixture.clock.withLock { $0 = right }
        try exchange(desk, laptop)
        for machine in group.machines {
            #expect(try machine.get("token") == "valid")
            #expect(try machine.vault.deletedItems().isEmpty)
        }
        try group.settle()
    }

    /// What has expired by all clocks is gone, does not come back, and nobody writes for it.
    @Test func whatHasExpiredStaysAway() throws {
        for machine in group.machines {
            machine.fixture.clock.withLock { $0 = Self.wrong }
            #expect(try machine.vault.sweep(expiredBy: Self.wrong, limit: 10).count == 1)
        }
        try exchange(desk, laptop)
        let files = group.store.files
        for machine in group.machines {
            for _ in 0..<2 {
                let taken = try machine.sync(group.store)
                #expect(taken.added == 0 && taken.updated == 0 && taken.deleted == 0)
            }
            #expect(try machine.names == ["other"])
            #expect(try machine.vault.sweep(expiredBy: Self.wrong, limit: 10).isEmpty)
        }
        let isSame = group.store.files == files
        #expect(isSame, "without input there are no records")
    }

    /// A person who deletes a secret deletes it everywhere, also one that has expired by a clock that is wrong.
    @Test(arguments: [false, true]) func whatAPersonDeletesIsDeleted(hasExpired: Bool) throws {
        let right = desk.fixture.clock.withLock { $0 }
        if hasExpired { desk.fixture.clock.withLock { $0 = Self.wrong } }
        try desk.vault.delete(service: "token", account: "")
        try desk.sync(group.store)
        desk.fixture.clock.withLock { $0 = right }
        try group.settle()
        for machine in group.machines { #expect(try machine.names == ["other"]) }
    }

    @Test func whatARenewalLeavesOutComesBack() throws {
        let right = desk.fixture.clock.withLock { $0 }
        desk.fixture.clock.withLock { $0 = Self.wrong }
        let renewed = try desk.renewed()
        #expect(try renewed.names == ["other"])
        renewed.fixture.clock.withLock { $0 = right }
        try exchange(renewed, laptop)
        for machine in [renewed, laptop] {
            #expect(try machine.get("token") == "valid")
            #expect(try machine.vault.deletedItems().isEmpty)
            _ = try machine.vault.verify()
        }
    }
}
