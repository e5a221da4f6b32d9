import Authorization
import Circle
import Cryptography
import Foundation
import Item
import Testing

@testable import Vault

/// All keys of a vault that shares its items are renewed: it stays in its circle, under other keys.
struct CircleSuccessionTests {
    private let store = CircleStore()
    private var presence: AccessControl { get throws { try AccessControl(requirements: [.userPresence]) } }

    private func pair() throws -> (desk: CircleMachine, laptop: CircleMachine) {
        let (desk, laptop) = (try CircleMachine("desk"), try CircleMachine("laptop", clock: 1_800_000_500_000))
        try desk.found()
        try desk.put(store)
        try laptop.join(desk)
        try settle(desk, laptop)
        return (desk, laptop)
    }

    private func settle(_ machines: CircleMachine...) throws {
        for _ in 0..<3 { for machine in machines { try machine.sync(store) } }
        #expect(Set(try machines.map { try $0.digest() }).count == 1)
        let before = store.files
        for machine in machines { try machine.sync(store) }
        let isSame = store.files == before
        #expect(isSame, "without input there are no records")
        for machine in machines { _ = try machine.vault.verify() }
    }

    /// How many changes the circle's state holds is known by its digest: a renewal changes nothing of it.
    @Test func aRenewedMachineStaysAndChangesNothing() throws {
        let (desk, old) = try pair()
        try desk.set("github", "me", "from the desk")
        try old.set("wifi", "", "from the laptop")
        try old.set("bank", "me", "guarded", presence)
        try desk.set("card", "me", "1234", presence)
        try settle(desk, old)
        let (digest, former) = (try desk.digest(), try old.view().device.id)
        let role = try old.view().role
        let laptop = try old.renewed()
        let new = try laptop.view().device.id
        #expect(new != former)
        try settle(desk, laptop)
        #expect(try desk.digest() == digest, "a renewal is no change")
        for machine in [desk, laptop] {
            let view = try machine.view()
            #expect(Set(view.membership.members.map(\.keys.device)) == [try desk.view().device.id, new])
            #expect(view.membership.others == [former] && view.profiles[new]?.name.text == "laptop")
            #expect(try machine.get("github", "me") == "from the desk" && machine.get("wifi") == "from the laptop")
            #expect(try machine.guarded("bank", "me") == "guarded" && machine.guarded("card", "me") == "1234")
            #expect(try machine.vault.conflicts(machine.classKeys).conflicts.isEmpty)
            // Nothing is to be released to it.
            #expect(try machine.vault.unreleased(machine.classKeys).isEmpty)
            #expect(view.membership.members.first { $0.keys.device == new }?.role == role)
        }
        // It gives out and takes in as before.
        try laptop.set("github", "me", "later")
        try laptop.set("bank", "me", "guarded again", presence)
        try settle(desk, laptop)
        #expect(try desk.get("github", "me") == "later" && desk.guarded("bank", "me") == "guarded again")
        // A second time, and it is still the one that it was.
        let again = try laptop.renewed()
        try settle(desk, again)
        #expect(try again.get("github", "me") == "later" && again.guarded("card", "me") == "1234")
        #expect(try desk.view().membership.others.count == 2)
    }

    /// Each makes keys before it hears of the other, so neither has the other's.
    @Test func twoThatRenewTheirKeysAtOnceReadEachOther() throws {
        let (desk, laptop) = try pair()
        try desk.set("github", "me", "first")
        try settle(desk, laptop)
        let (one, two) = (try desk.renewed(), try laptop.renewed())
        try one.set("github", "me", "from the desk")
        try one.sync(store)
        try two.set("wifi", "", "from the laptop")
        for _ in 0..<2 { for machine in [one, two] { try machine.sync(store) } }
        try settle(one, two)
        for machine in [one, two] {
            #expect(try machine.get("github", "me") == "from the desk" && machine.get("wifi") == "from the laptop")
            #expect(try machine.view().unread == 0)
        }
    }

    /// The laptop renews its keys before it hears that the desk has removed a third machine, and made keys for the laptop.
    @Test func keysThatWereMadeForTheDeviceBeforeAreSent() throws {
        let (desk, old) = try pair()
        let third = try CircleMachine("third")
        try desk.sync(store)
        try third.join(desk)
        for _ in 0..<3 { for machine in [desk, old, third] { try machine.sync(store) } }
        try desk.remove(third)
        try desk.set("bank", "", "since")
        try desk.sync(store)
        let laptop = try old.renewed()
        for _ in 0..<2 { for machine in [desk, laptop] { try machine.sync(store) } }
        try settle(desk, laptop)
        #expect(try laptop.get("bank") == "since")
        #expect(try laptop.view().unread == 0)
        // The removed one is sent nothing.
        let sent = try desk.view().envelopes.map(\.envelope.device)
        #expect(try sent == [laptop.view().device.id])
    }

    /// Nobody has brought the founding statement to its machine: it is in the stream of the device that is succeeded.
    @Test func theFounderRenewsItsKeys() throws {
        let (old, laptop) = try pair()
        try old.set("a", "", "one")
        try old.set("bank", "me", "guarded", presence)
        try settle(old, laptop)
        let desk = try old.renewed()
        #expect(try desk.view().role == .admin)
        try settle(desk, laptop)
        try laptop.set("b", "", "two")
        try settle(desk, laptop)
        for machine in [desk, laptop] {
            #expect(try machine.get("a") == "one" && machine.get("b") == "two")
            #expect(try machine.guarded("bank", "me") == "guarded")
        }
        // And once more, because the first of three devices is known by its successors only.
        let again = try desk.renewed()
        try settle(again, laptop)
        #expect(try again.get("a") == "one" && again.view().membership.members.count == 2)
    }

    /// Attacker 11 renews the keys of a machine, and another admin removes it. It is not one that left by itself.
    @Test func whoRemovesASuccessorRemovesWhoItWas() throws {
        let (desk, old) = try pair()
        func leavers() throws -> [WriterID: Bool] {
            let former = try #require(try desk.vault.circleState(desk.classKeys)).former
            return Dictionary(uniqueKeysWithValues: former.map { ($0.device, $0.hasLeft) })
        }
        let first = try old.view().device.id
        let next = try old.renewed()
        let second = try next.view().device.id
        try settle(desk, next)
        #expect(try leavers() == [first: true])
        let laptop = try next.renewed()
        let third = try laptop.view().device.id
        try settle(desk, laptop)
        #expect(try leavers() == [first: true, second: true])
        try desk.remove(laptop)
        #expect(try leavers() == [first: false, second: false, third: false])
    }

    @Test func whatWaitsIsSaidBeforeItGoes() throws {
        let (desk, old) = try pair()
        try old.set("a", "", "one")
        try old.set("b", "", "two", presence)
        try settle(desk, old)
        try old.set("a", "", "never given out")
        try old.set("c", "", "new")
        try old.set("b", "", "guarded, never given out", presence)
        let renewal = try old.beginRenewal()
        try old.fill(renewal)
        let farewell = try old.farewell(renewal)
        #expect(try old.vault.isWhole(farewell))
        // What comes between is not lost either: the new machine says it.
        try old.set("d", "", "in between")
        #expect(try old.vault.isWhole(farewell))
        try old.fill(renewal)
        try renewal.successor.complete(
            from: old.vault, recording: AccessRecord(.rotate), circle: (farewell, old.classKeys))
        let laptop = try old.adopt(renewal)
        // The last words alone, before the new machine has said anything.
        try laptop.put(store)
        try desk.takeIn(store)
        #expect(try desk.get("a") == "never given out" && desk.get("c") == "new")
        try settle(desk, laptop)
        for machine in [desk, laptop] {
            #expect(try machine.get("a") == "never given out" && machine.get("c") == "new")
            #expect(try machine.get("d") == "in between" && machine.guarded("b", "") == "guarded, never given out")
        }
    }

    /// What the vault has decided between is not in the last words, so they are made anew.
    @Test func lastWordsThatAreNotTheLastAreNoticed() throws {
        let (desk, old) = try pair()
        let renewal = try old.beginRenewal()
        let farewell = try old.farewell(renewal)
        try old.set("a", "", "one")
        _ = try old.vault.takeIn(heads: [], segments: [], old.classKeys)
        #expect(try !old.vault.isWhole(farewell))
        #expect(try old.vault.isWhole(old.farewell(renewal)))
        _ = desk
    }

    /// Last words that say nothing but who succeeds, while something waits.
    @Test func lastWordsThatLeaveOutWhatWaitsAreNoticed() throws {
        let (desk, old) = try pair()
        try old.set("a", "", "one")
        let renewal = try old.beginRenewal()
        _ = try old.vault.takeIn(heads: [], segments: [], old.classKeys)
        let short = try old.vault.prepared(
            old.view(), [.statement(#require(renewal.succession.signed))], given: [], from: old.view())
        let signing = short.signing
        let signature = try old.fixture.sealer.sign(
            short.digest, with: signing.key, point: signing.point, password: signing.password,
            record: old.fixture.record)
        #expect(try !old.vault.isWhole(CircleFarewell(short, signature: signature)))
        _ = desk
    }

    /// The machine hears of its removal between its last words and the end of the renewal.
    @Test func whoIsRemovedBeforeTheEndHasNoSuccessor() throws {
        let (desk, old) = try pair()
        let renewal = try old.beginRenewal()
        try old.fill(renewal)
        let farewell = try old.farewell(renewal)
        try desk.remove(old)
        try desk.put(store)
        try old.takeIn(store)
        let error = vaultError {
            try renewal.successor.complete(
                from: old.vault, recording: AccessRecord(.rotate), circle: (farewell, old.classKeys))
        }
        #expect(error == .changed)
    }

    /// Nothing is stored with the successor that others would not take.
    @Test func lastWordsWithoutTheSignatureAreNone() throws {
        let (_, old) = try pair()
        let renewal = try old.beginRenewal()
        _ = try old.vault.takeIn(heads: [], segments: [], old.classKeys)
        let prepared = try old.vault.farewell(#require(renewal.succession.signed), old.classKeys)
        let forged = [UInt8](repeating: 1, count: 64)
        #expect(vaultError { _ = try CircleFarewell(prepared, signature: forged) } == .sealer)
    }

    private func renewed(_ old: CircleMachine) throws -> CircleMachine {
        let renewal = try old.beginRenewal()
        try old.fill(renewal)
        let farewell = try old.farewell(renewal)
        #expect(try old.vault.isWhole(farewell), "the broker makes last words until they are whole")
        try renewal.successor.complete(
            from: old.vault, recording: AccessRecord(.rotate), circle: (farewell, old.classKeys))
        return try old.adopt(renewal)
    }

    /// Another member was succeeded a moment before, so the members have no keys yet.
    @Test func whatWaitsIsSaidWithoutKeysOfTheMembers() throws {
        let (first, old) = try pair()
        try first.set("bank", "me", "guarded", presence)
        try settle(first, old)
        let desk = try first.renewed()
        try desk.put(store)
        try old.takeIn(store)
        #expect(try old.view().present == nil)
        try old.set("a", "", "never given out")
        try old.set("bank", "me", "guarded, never given out", presence)
        let laptop = try renewed(old)
        try settle(desk, laptop)
        try desk.release()
        try laptop.release()
        try settle(desk, laptop)
        for machine in [desk, laptop] {
            #expect(try machine.get("a") == "never given out")
            #expect(try machine.guarded("bank", "me") == "guarded, never given out")
        }
    }

    /// A reader goes on as a reader.
    @Test func aReaderRenewsItsKeys() throws {
        let (desk, laptop) = try pair()
        let old = try CircleMachine("server")
        try desk.set("a", "", "one")
        try desk.sync(store)
        try old.vault.enter(desk.add(old.request(), as: .reader), old.profile, old.classKeys)
        try desk.put(store)
        try old.sync(store)
        let server = try renewed(old)
        #expect(try server.view().role == .reader)
        #expect(throws: VaultError.self) { try server.set("a", "", "two") }
        try server.sync(store)
        for machine in [desk, laptop] {
            try machine.sync(store)
            #expect(try machine.get("a") == "one")
        }
    }

    /// Attacker 13: a member that makes keys which open at nobody but itself. Nothing that waits is lost for that.
    @Test func keysThatDoNotOpenLoseNothingThatWaits() throws {
        let (desk, old) = try pair()
        let view = try desk.view()
        let members = view.membership.members.map(\.keys.device)
        var (closed, number): (KeyGeneration, UInt8)
        number = 0
        repeat {
            number += 1
            closed = try KeyGeneration(
                circle: view.device.circle, maker: view.device.id, removals: view.membership.removalsDigest,
                publicHalves: [UInt8](repeating: number, count: KeyGeneration.publicCount),
                receivers: members.map {
                    try .init($0, sealed: [UInt8](repeating: number, count: KeyGeneration.Receiver.sealedCount))
                })
        } while try closed.name > #require(view.present).name && number < 255
        try desk.give([.generation(closed)])
        try desk.put(store)
        try old.takeIn(store)
        guard try old.view().present == closed else { return }
        let renewal = try old.beginRenewal()
        #expect(try old.vault.isWhole(old.farewell(renewal)))
        try old.set("a", "", "never given out")
        #expect { try old.farewell(renewal) } throws: { ($0 as? VaultError)?.code == .invalidArgument }
    }

    /// The former device speaks no more: what somebody with its keys gives out later has no effect.
    @Test func whatTheFormerDeviceSaysLaterDoesNotCount() throws {
        let (desk, old) = try pair()
        try old.set("a", "", "one")
        try settle(desk, old)
        let copy = try old.copy()
        let laptop = try old.renewed()
        try settle(desk, laptop)
        // Somebody has the former vault, and all of its keys.
        try laptop.vault.close()
        let thief = try old.restored(copy)
        try thief.set("a", "", "from a thief")
        try thief.set("new", "", "from a thief")
        let stolen = CircleStore()
        stolen.files = store.files.filter { path, _ in
            if case .head = path { false } else { true }
        }
        try thief.sync(stolen)
        for (path, content) in stolen.files { store.files[path] = content }
        for machine in [desk] {
            try machine.sync(store)
            #expect(try machine.get("a") == "one" && machine.names == ["a"])
        }
        // What is given out from now on is sealed to keys that it does not have.
        try desk.set("secret", "", "after")
        try desk.sync(store)
        _ = try thief.takeIn(store)
        #expect(try thief.names.contains("secret") == false)
        let present = try #require(try desk.view().present)
        #expect(try thief.view().halves[present.name] == nil)
    }

    /// Somebody who has the vault's file, and has the person agree, can still bring nobody in: each step is checked.
    @Test func aSuccessionThatIsNotTheVaultsOwnIsRefused() throws {
        let (desk, laptop) = try pair()
        let (own, foreign) = (try desk.beginRenewal(), try laptop.beginRenewal())
        let signed = try #require(own.succession.signed)
        // Another machine's statement.
        #expect(throws: VaultError.self) { try laptop.vault.statement(own.succession, laptop.classKeys) }
        var mixed = foreign.succession
        let (statement, keys) = (signed.statement, try laptop.vault.signatory(laptop.classKeys).keys)
        #expect(throws: VaultError.self) { try mixed.take(signature: signed.signature, of: statement, by: keys) }
        // A proof by another key.
        var other = CircleSuccession(
            circle: foreign.succession.circle, signer: foreign.succession.signer, keys: foreign.succession.keys,
            signingKeys: foreign.succession.signingKeys)
        let proof = try #require(own.succession.proof)
        #expect(throws: VaultError.self) { try other.take(proof: proof) }
        // A successor without a circle's keys takes no place in it.
        let plain = try desk.fixture.successor(of: desk.vault)
        let farewell = try desk.farewell(own)
        #expect(throws: VaultError.self) {
            try plain.complete(
                from: desk.vault, recording: AccessRecord(.rotate), circle: (farewell, desk.classKeys))
        }
    }

    /// A machine that was removed meanwhile is told, and its renewal puts nobody in its place.
    @Test func aRemovedMachineHasNoSuccessor() throws {
        let (desk, laptop) = try pair()
        let renewal = try laptop.beginRenewal()
        try desk.remove(laptop)
        try desk.put(store)
        try laptop.takeIn(store)
        #expect(vaultError { _ = try laptop.farewell(renewal) } == .changed)
        #expect(throws: VaultError.self) { try laptop.vault.statement(renewal.succession, laptop.classKeys) }
        // Also where the former device does not know of it: the removal counts.
        let (first, second) = try pair()
        let unknowing = try second.beginRenewal()
        try second.fill(unknowing)
        try first.remove(second)
        try unknowing.successor.complete(
            from: second.vault, recording: AccessRecord(.rotate), circle: (second.farewell(unknowing), second.classKeys)
        )
        let new = try second.adopt(unknowing)
        try new.put(store)
        for _ in 0..<2 {
            try first.sync(store)
            try new.sync(store)
        }
        for machine in [first, new] {
            #expect(try machine.view().membership.members.map(\.keys.device) == [first.view().device.id])
        }
    }

    /// The store loses everything of the former device: the successor has it, and puts it back.
    @Test func theSuccessorKeepsWhatTheFormerDeviceGaveOut() throws {
        let (desk, old) = try pair()
        try old.set("a", "", "one")
        try settle(desk, old)
        let laptop = try old.renewed()
        try settle(desk, laptop)
        let third = try CircleMachine("third", clock: 1_800_001_000_000)
        store.files = [:]
        for machine in [desk, laptop] { try machine.sync(store) }
        try third.join(desk)
        for machine in [third, desk, laptop, third] { try machine.sync(store) }
        #expect(try third.get("a") == "one")
    }

    /// Somebody has put a row among the successor's own. It takes no place with it (attacker 5).
    @Test func aForeignRowOfTheSuccessorIsDamage() throws {
        let (desk, _) = try pair()
        let renewal = try desk.beginRenewal()
        try desk.fill(renewal)
        let farewell = try desk.farewell(renewal)
        let foreign = CircleRow.answered(renewal.succession.signer).id
        try renewal.successor.vault.database.write { (rows) throws(VaultError) in try rows.put(circle: foreign, [0]) }
        #expect(
            vaultError {
                try renewal.successor.enterCircle(of: desk.vault, farewell, desk.classKeys)
            } == .damaged)
    }
}
