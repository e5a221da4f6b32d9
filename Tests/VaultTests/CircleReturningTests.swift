import Authorization
import Circle
import Item
import Testing

@testable import Vault

/// A machine keeps a secret for itself, and shares it again. It replaces what the secret had when it left the others, and
/// not what they have set since.
struct CircleReturningTests {
    private let group: CircleGroup
    private let desk: CircleMachine
    private let laptop: CircleMachine

    init() throws {
        group = try CircleGroup("desk", "laptop")
        (desk, laptop) = (group.machines[0], group.machines[1])
        try desk.set("token", "", "first")
        try group.settle()
    }

    private func make(_ access: AccessControl) throws {
        desk.fixture.advance(milliseconds: 1000)
        let item = try desk.find("token")
        try desk.vault.reseal(item, desk.opened(item), access: access)
    }

    private func keepAtTheDesk() throws { try make(.whenUnlocked.thisDeviceOnly) }

    private func shareAgain() throws {
        try make(.whenUnlocked)
        try group.settle()
    }

    @Test func aValueThatWasSetBesideIsKept() throws {
        try keepAtTheDesk()
        laptop.fixture.advance(milliseconds: 3_600_000)
        try laptop.set("token", "", "typed later")
        try group.settle()
        #expect(try desk.get("token") == "first" && laptop.get("token") == "typed later")
        try shareAgain()
        #expect(try group.get("token") == ["typed later"])
        #expect(try group.values("token") == Array(repeating: ["typed later", "first"], count: 2))
    }

    /// The laptop has the secret in its bin by then, and makes it anew under the same name.
    @Test func aValueThatWasSetAfterwardsIsKept() throws {
        try keepAtTheDesk()
        try group.settle()
        laptop.fixture.advance(milliseconds: 3_600_000)
        try laptop.set("token", "", "typed later")
        try group.settle()
        #expect(try desk.get("token") == "first" && laptop.get("token") == "typed later")
        try shareAgain()
        #expect(try group.get("token") == ["typed later"])
        #expect(try group.values("token") == Array(repeating: ["typed later", "first"], count: 2))
        for machine in group.machines { #expect(try machine.names == ["token"]) }
    }

    @Test func withoutAnotherChangeThereIsNoConflict() throws {
        try keepAtTheDesk()
        try group.settle()
        #expect(try laptop.names.isEmpty)
        try shareAgain()
        #expect(try group.get("token") == ["first"])
        #expect(try group.counts() == [0])
        // What is set there later is newer for all of them.
        try desk.set("token", "", "second")
        try group.settle()
        #expect(try group.get("token") == ["second"] && group.counts() == [0])
    }

    /// Its owner renames it while it is away, and sets it once it is shared again.
    @Test func underAnotherNameItIsTheSameSecret() throws {
        try keepAtTheDesk()
        try group.settle()
        desk.fixture.advance(milliseconds: 1000)
        let item = try desk.find("token")
        try desk.vault.rename(item, service: "key", account: "")
        try shareAgainAs("key")
        #expect(try group.get("key") == ["first"])
        try desk.set("key", "", "second")
        try group.settle()
        #expect(try group.get("key") == ["second"] && group.counts() == [0])
        for machine in group.machines { #expect(try machine.names == ["key"]) }
    }

    /// The laptop takes it out of its bin and renames it, so the circle no longer says that the desk had taken it away.
    ///
    /// - Parameter isSet: whether the desk has set it meanwhile.
    @Test(arguments: [false, true]) func alsoIfTheOthersHaveRenamedIt(isSet: Bool) throws {
        try keepAtTheDesk()
        try group.settle()
        try takeOutAndRename()
        try group.settle()
        if isSet { try desk.set("token", "", "at the desk", .whenUnlocked.thisDeviceOnly) }
        try make(.whenUnlocked)
        try group.settle()
        for machine in group.machines { #expect(try machine.names == ["key"]) }
        #expect(try group.get("key") == [isSet ? "at the desk" : "first"])
        try desk.set("key", "", "later")
        try group.settle()
        #expect(try group.get("key") == ["later"])
    }

    /// Another machine's item has the id of one that is here. Neither takes the other's place, and the person hears of it.
    @Test func whatIsNotSharedForItsNameIsTold() throws {
        try keepAtTheDesk()
        try group.settle()
        try desk.vault.write { (change) throws(VaultError) in
            // As if another device had taken it out.
            var shared = try SharedItems(decoding: change.circle(.shared) ?? [])
            shared.keepLeft(of: [])
            try change.put(.shared, shared.encoded)
        }
        try takeOutAndRename()
        try group.settle()
        try make(.whenUnlocked)
        #expect(try desk.takeIn(group.store).obstacles == ["name-taken": 1])
        #expect(try desk.get("token") == "first" && laptop.get("key") == "first")
    }

    private func takeOutAndRename() throws {
        laptop.fixture.advance(milliseconds: 1000)
        try laptop.vault.putBack(service: "token", account: "")
        try laptop.vault.rename(laptop.find("token"), service: "key", account: "")
    }

    private func shareAgainAs(_ service: String) throws {
        desk.fixture.advance(milliseconds: 1000)
        let item = try desk.find(service)
        try desk.vault.reseal(item, desk.opened(item), access: .whenUnlocked)
        try group.settle()
    }

    /// Its value is damaged when it comes back, and its owner sets it anew. That replaces nothing that nobody has seen
    /// here.
    @Test func aDamagedOneComesBackOnceItIsSetAnew() throws {
        try keepAtTheDesk()
        laptop.fixture.advance(milliseconds: 3_600_000)
        try laptop.set("token", "", "typed later")
        try group.settle()
        try make(.whenUnlocked)
        let item = try desk.find("token")
        let key = try desk.vault.read { (snapshot) throws(VaultError) in
            try snapshot.value(of: snapshot.present(item, now: 0)).field.valueKey
        }
        try desk.vault.close()
        try desk.fixture.tamper { try $0.run("UPDATE value SET sealed = x'00' WHERE id = ?", [.blob(key)]) }
        try desk.openAgain()
        #expect(try desk.takeIn(group.store).obstacles == ["unreadable": 1])
        try desk.set("token", "", "anew")
        try group.settle()
        #expect(try group.values("token").map(Set.init) == Array(repeating: ["typed later", "anew"], count: 2))
    }

    @Test func aFieldThatCameMeanwhileStays() throws {
        try keepAtTheDesk()
        try laptop.set(field: "pin", of: "token", "1234")
        try group.settle()
        try shareAgain()
        #expect(try group.get("token", "pin") == ["1234"] && group.get("token") == ["first"])
        #expect(try group.counts() == [0])
    }

    /// - Parameter former: the texts that the desk has given it; it keeps the last one.
    @Test(arguments: [[], ["of the desk"], ["first", "of the desk"]])
    func aTextThatWasChangedMeanwhileStays(former: [String]) throws {
        for text in former {
            desk.fixture.advance(milliseconds: 1000)
            try desk.edit("token", MetadataChanges(label: text))
            try group.settle()
        }
        try keepAtTheDesk()
        laptop.fixture.advance(milliseconds: 3_600_000)
        try laptop.edit("token", MetadataChanges(label: "of the laptop"))
        try group.settle()
        try shareAgain()
        for machine in group.machines { #expect(try machine.find("token").metadata.label == "of the laptop") }
        #expect(try group.counts() == [0])
    }

    /// What was required meanwhile is required still. Nobody at the desk was asked for it.
    @Test func whatWasRequiredMeanwhileStays() throws {
        let presence = try AccessControl(requirements: [.userPresence])
        try keepAtTheDesk()
        let item = try laptop.find("token")
        try laptop.vault.reseal(item, laptop.opened(item), access: presence)
        for _ in 0..<2 { for machine in group.machines { try machine.sync(group.store) } }
        try make(.whenUnlocked)
        try desk.takeIn(group.store)
        let shared = try #require(try desk.view().state.items.first { $0.name.service == "token" })
        #expect(shared.floor.contains(presence))
    }
}
