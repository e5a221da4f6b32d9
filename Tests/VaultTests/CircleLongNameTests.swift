import Authorization
import Circle
import Item
import Testing

@testable import Vault

/// An item that ran into a taken name has a suffix. Also behind a long account it can be named.
struct CircleLongNameTests {
    private let group: CircleGroup
    private let desk: CircleMachine
    private let laptop: CircleMachine

    init() throws {
        group = try CircleGroup("desk", "laptop")
        (desk, laptop) = (group.machines[0], group.machines[1])
    }

    /// Two machines rename two items to one name at the same time.
    private func collide(_ account: String) throws {
        for name in ["one", "two"] { try desk.set(name, "", name) }
        try group.settle()
        for (machine, name) in [(desk, "one"), (laptop, "two")] {
            machine.fixture.advance(milliseconds: 1000)
            try machine.vault.rename(machine.find(name), service: "target", account: account)
        }
        try group.settle()
    }

    private func accounts(_ machine: CircleMachine) throws -> Set<String> {
        Set(try machine.vault.list().map(\.metadata.account))
    }

    /// The account of the one that has no plain name.
    private func account(beside plain: String) throws -> String {
        try #require(try accounts(desk).subtracting([plain]).first)
    }

    /// An account of 1,024 bytes, of characters of one, two and four bytes. 1,015 bytes are left for it.
    @Test(arguments: [("a", 1015), ("é", 1014), ("🔑", 1012)]) func aLongAccountIsCut(
        _ character: String, _ left: Int
    ) throws {
        let account = String(repeating: character, count: ItemLimits.name / character.utf8.count)
        try collide(account)
        let all = try accounts(desk)
        #expect(try all == accounts(laptop) && all.count == 2 && all.contains(account))
        let cut = try self.account(beside: account)
        #expect(cut.utf8.count == left + 9)
        #expect(account.utf8.starts(with: cut.utf8.prefix(left)) && cut.utf8.dropFirst(left).first == 0x20)
        for machine in group.machines {
            for account in all { #expect(["one", "two"].contains(try machine.get("target", account))) }
            try ItemLimits.check(name: "target", cut)
        }
    }

    /// A short one is as it was.
    @Test func aShortAccountIsWhole() throws {
        try collide("me")
        let whole = try account(beside: "me")
        #expect(whole.hasPrefix("me ") && whole.utf8.count == 11)
    }

    /// A vault that an earlier version has filled has the whole name. Nobody has chosen it, so it is no renaming.
    @Test func theNameOfAnEarlierVersionIsNoEdit() throws {
        let account = String(repeating: "a", count: ItemLimits.name)
        try collide(account)
        let cut = try self.account(beside: account)
        let suffix = cut.split(separator: " ")[1]
        let found = try desk.vault.find(service: "target", account: cut)
        let vault = desk.vault
        try vault.write { (change) throws(VaultError) in
            let item = try change.item(found.id)
            let metadata = item.summary.metadata.renamed("target", "\(account) \(suffix)", at: vault.now())
            _ = try vault.replace(item, metadata: metadata, change)
        }
        let before = try desk.digest()
        try desk.takeIn(group.store)
        #expect(try desk.view().pending.isEmpty && desk.digest() == before)
        #expect(try accounts(desk) == accounts(laptop))
        try group.settle()
    }
}
