import Authorization
import Circle
import Cryptography
import Item
import TestSupport
import Testing

@testable import Vault

/// Devices that only read: a fleet's servers (docs/sync-members.md, “Devices”).
struct CircleReaderTests {
    private let store = CircleStore()

    /// A member that writes, and servers that read.
    private func fleet(_ count: Int) throws -> (desk: CircleMachine, servers: [CircleMachine]) {
        let desk = try CircleMachine("desk")
        try desk.found()
        try desk.set("db", "app", "1")
        let servers = try (0..<count).map { try CircleMachine("server\($0)") }
        for server in servers { try enter(server, by: desk) }
        try settle(desk, servers)
        return (desk, servers)
    }

    private func enter(_ server: CircleMachine, by desk: CircleMachine) throws {
        let request = try server.request()
        let statement = try #require(try desk.vault.addition(of: request, as: .reader, desk.classKeys))
        try desk.agree(to: statement, of: request)
        try server.vault.enter(desk.vault.answer(request, desk.classKeys), server.profile, server.classKeys)
        try desk.sync(store)
    }

    private func settle(_ desk: CircleMachine, _ others: [CircleMachine]) throws {
        for _ in 0..<3 { for machine in [desk] + others { try machine.sync(store) } }
    }

    private func refusal(_ body: () throws -> Void) -> VaultError? {
        do { try body() } catch { return error as? VaultError }
        return nil
    }

    /// Others can wait for it, and know its name. It makes no keys, and adds and removes nobody.
    @Test func aReaderSaysWhatItHasAndNothingElse() throws {
        let (desk, servers) = try fleet(2)
        try desk.set("db", "app", "2")
        try desk.sync(store)
        #expect(try desk.vault.circleState(desk.classKeys)?.machines.count { $0.hasTakenAll } == 0)
        for server in servers { try server.sync(store) }
        try desk.sync(store)
        let state = try #require(try desk.vault.circleState(desk.classKeys))
        #expect(state.machines.filter { !$0.isOwn }.allSatisfy { $0.hasTakenAll && $0.role == .reader })
        #expect(Set(state.machines.compactMap { $0.profile?.name.text }) == ["desk", "server0", "server1"])
        let server = servers[0]
        #expect(try server.get("db", "app") == "2")
        let own = try server.vault.circleState(server.classKeys)
        #expect(own?.digest == state.digest && own?.pending == 0)
        let other = try CircleMachine("other")
        let request = try other.request()
        #expect(
            refusal { _ = try server.vault.addition(of: request, as: .reader, server.classKeys) }?.code
                == .invalidArgument)
        let id = try servers[1].view().device.id
        #expect(refusal { _ = try server.vault.removal(of: [id], server.classKeys) } != nil)
        // Nothing is said twice.
        let count = try server.rowCount()
        for machine in [desk, server, servers[1]] { try machine.sync(store) }
        #expect(try server.rowCount() == count)
        let said = try server.vault.giveOut(heads: store.heads, server.classKeys)
        #expect(said == nil)
    }

    /// Two removals at once end both generations. A reader says nothing until a member has made another one.
    @Test func aReaderMakesNoKeys() throws {
        let (desk, servers) = try fleet(1)
        let laptop = try CircleMachine("laptop")
        try laptop.vault.enter(desk.add(laptop.request(), as: .admin), laptop.profile, laptop.classKeys)
        let lost = [try CircleMachine("phone"), try CircleMachine("tablet")]
        for machine in lost {
            try desk.put(store)
            try machine.join(desk)
        }
        let server = servers[0]
        try settle(desk, servers + [laptop] + lost)
        try desk.remove(lost[0])
        try laptop.remove(lost[1])
        for machine in [desk, laptop] { try machine.put(store) }
        try server.takeIn(store)
        #expect(try server.view().present == nil && !server.view().openGenerations.isEmpty)
        let said = try server.vault.giveOut(heads: store.heads, server.classKeys)
        #expect(said == nil)
        try settle(desk, servers + [laptop])
        #expect(try server.view().present != nil)
    }

    /// What is set where nobody takes it would be lost without a word.
    @Test func whatIsSharedIsNotChangedAtAReader() throws {
        let (desk, servers) = try fleet(1)
        let server = servers[0]
        let (vault, item) = (server.vault, try server.vault.find(service: "db", account: "app"))
        let draft = try ItemDraft(service: "new", account: "", value: SecretBytes(copying: [1]))
        let values = [FieldValue(.secret, try SecretBytes(copying: [1]))]
        for attempt: () throws -> Void in [
            { try server.set("db", "app", "2") }, { try server.set("new", "", "1") },
            { try vault.edit(item, changes: MetadataChanges(comment: "x")) },
            { try vault.edit(item, removing: [.secret]) },
            { try vault.rename(item, service: "other", account: "") },
            { try vault.delete(service: "db", account: "app") }, { try vault.delete(item) },
            { try vault.putAside(service: "db", account: "app") },
            { try vault.apply([.set(draft, mode: .replace, ifRevision: nil)]) },
            { try vault.apply([.delete(service: "db", account: "app", kind: .genericPassword, ifRevision: nil)]) },
            { try vault.apply([.deleteService("db", kind: nil)]) },
            { try vault.reseal(item, values, access: .whenUnlocked.thisDeviceOnly) },
        ] {
            let error = refusal(attempt)
            #expect(error?.reason.contains("only reads") == true, "\(error.map(String.init) ?? "no error")")
        }
        // What stays on the machine is its own.
        try server.set("mine", "", "local", .whenUnlocked.thisDeviceOnly)
        try vault.delete(service: "mine", account: "")
        try server.set("mine", "", "local", .whenUnlocked.thisDeviceOnly)
        try settle(desk, servers)
        #expect(try server.get("mine") == "local" && server.get("db", "app") == "1")
        #expect(try desk.names == ["db/app"])
        // Neither the machine itself nor others are kept from that after it has left.
        try desk.remove(server)
        try settle(desk, servers)
        try vault.forgetCircle(server.classKeys)
        try server.set("db", "app", "3")
        #expect(try server.get("db", "app") == "3")
    }

    /// Nor does it go back to a former value of what is shared.
    @Test func aReaderBringsNothingBack() throws {
        let (desk, servers) = try fleet(1)
        let server = servers[0]
        try desk.set("db", "app", "2")
        try settle(desk, servers)
        #expect(try server.get("db", "app") == "2")
        let versions = try server.vault.history(service: "db", account: "app").versions
        let version = try #require(versions.first?.version)
        let former = try server.vault.look(service: "db", account: "app", version: version) { $0.item }
        let error = refusal { _ = try server.vault.restore(former, value: secret("1")) }
        #expect(error?.reason.contains("only reads") == true)
        #expect(try server.get("db", "app") == "2")
    }

    /// What others have deleted comes back by others, too.
    @Test func whatIsSharedIsNotPutBackAtAReader() throws {
        let (desk, servers) = try fleet(1)
        let server = servers[0]
        try desk.vault.putAside(service: "db", account: "app")
        try settle(desk, servers)
        #expect(try server.names.isEmpty && server.vault.deletedItems().map(\.metadata.service) == ["db"])
        let error = refusal { try server.vault.putBack(service: "db", account: "app") }
        #expect(error?.reason.contains("only reads") == true, "\(error.map(String.init) ?? "no error")")
        #expect(try server.vault.deletedItems().count == 1)
        try desk.vault.putBack(service: "db", account: "app")
        try settle(desk, servers)
        #expect(try server.get("db", "app") == "1")
    }

    /// A server that was set up by hand before it joined shows what all others show.
    @Test func whatAReaderHadGivesWay() throws {
        let desk = try CircleMachine("desk")
        try desk.found()
        try desk.set("db", "app", "shared")
        let server = try CircleMachine("server", clock: 1_850_000_000_000)
        try server.set("db", "app", "by hand")
        try server.set("old", "", "stays")
        try enter(server, by: desk)
        try settle(desk, [server])
        #expect(try server.get("db", "app") == "shared")
        #expect(try server.vault.deletedItems().map(\.metadata.service) == ["db"])
        #expect(try server.get("old") == "stays" && desk.names == ["db/app"])
        try server.vault.delete(service: "old", account: "")
        #expect(try server.vault.circleState(server.classKeys)?.pending == 0)
    }

    /// A server was removed, has left, and is added again. What it has from before is what the others have, too, and
    /// gives way to nothing.
    @Test func aReaderThatComesBackHasItsSecrets() throws {
        let (desk, servers) = try fleet(1)
        let server = servers[0]
        try desk.set("gone", "", "1")
        try settle(desk, servers)
        try desk.remove(server)
        try settle(desk, servers)
        try server.vault.forgetCircle(server.classKeys)
        #expect(try server.names == ["db/app", "gone"])
        try desk.set("db", "app", "2")
        try desk.vault.putAside(service: "gone", account: "")
        try desk.sync(store)
        try enter(server, by: desk)
        try settle(desk, servers)
        #expect(try server.names == ["db/app"] && server.get("db", "app") == "2")
        #expect(try server.vault.deletedItems().map(\.metadata.service) == ["gone"])
        _ = try server.vault.verify()
    }

    /// Attacker 14: a taken server writes all the same. Its removal must not make it count.
    @Test func whatAReaderWroteCountsNeitherBeforeNorAfterItsRemoval() throws {
        let (desk, servers) = try fleet(1)
        let server = servers[0]
        let (writer, item, _) = try server.writer()
        try server.give([
            .changes([CarriedChange(try writer.set(.label, of: item, to: .text(Array("forged".utf8))))])
        ])
        try server.put(store)
        try settle(desk, [])
        #expect(try desk.vault.find(service: "db", account: "app").metadata.label == nil)
        try desk.remove(server)
        // Before the next exchange, which would take it for an edit of this vault and undo it.
        #expect(try desk.view().state.items.allSatisfy { $0.shown(.label) == nil })
        try settle(desk, [])
        #expect(try desk.view().state.items.allSatisfy { $0.revisions(of: .label).isEmpty })
        #expect(try desk.view().membership.formerReaders == [server.view().device.id])
        #expect(try desk.vault.find(service: "db", account: "app").metadata.label == nil)
    }

    /// A removed machine and a taken server together: the server names what the other one wrote after its removal.
    @Test func aReaderVouchesForNobody() throws {
        let (desk, servers) = try fleet(1)
        let (server, lost) = (servers[0], try CircleMachine("lost"))
        try lost.join(desk)
        try desk.sync(store)
        try settle(desk, [server, lost])
        let (writer, item, _) = try lost.writer()
        try desk.remove(lost)
        try desk.sync(store)
        try lost.give([
            .changes([CarriedChange(try writer.set(.label, of: item, to: .text(Array("forged".utf8))))])
        ])
        try lost.put(store)
        try server.takeIn(store)
        let end = try #require(try lost.view().device.end)
        try server.give([.seen([SeenEnd(lost.view().device.id, end)])])
        try server.put(store)
        try settle(desk, [server])
        for machine in [desk, server] {
            #expect(try machine.vault.find(service: "db", account: "app").metadata.label == nil)
        }
    }

    /// What a removed machine wrote last reached a reader alone. It counts for nobody, and the reader loses it, too.
    @Test func whatOnlyAReaderHasOfARemovedMachineDoesNotCount() throws {
        let (desk, servers) = try fleet(1)
        let (server, lost) = (servers[0], try CircleMachine("lost"))
        try lost.join(desk)
        try desk.sync(store)
        try settle(desk, [server, lost])
        try lost.set("late", "", "1")
        for machine in [lost, server] { try machine.sync(store) }
        #expect(try server.names == ["db/app", "late"])
        try desk.remove(lost)
        try desk.put(store)
        try settle(desk, [server])
        for machine in [desk, server] { #expect(try machine.names == ["db/app"]) }
    }

    /// Of a fleet that shrinks, each removal of many would otherwise cost all members a generation for each.
    @Test func severalAreRemovedByOneStatementAndOneGeneration() throws {
        let (desk, servers) = try fleet(4)
        let before = try desk.view()
        let gone = try servers.prefix(3).map { try $0.view().device.id }.sorted()
        let statement = try desk.vault.removal(of: gone, desk.classKeys)
        try desk.commit(desk.vault.remove(desk.signed(statement), desk.classKeys))
        try settle(desk, servers)
        let after = try desk.view()
        #expect(after.membership.removals.count == before.membership.removals.count + 1)
        #expect(after.generations.count == before.generations.count + 1)
        #expect(after.membership.members.count == 2 && after.membership.formerReaders == gone)
        try desk.set("db", "app", "later")
        try settle(desk, servers)
        #expect(try servers[3].get("db", "app") == "later" && servers[0].get("db", "app") == "1")
    }
}
