import Circle
import Cryptography
import Item
import Testing

@testable import Vault

/// Who comes into a circle: by one request, into one circle, and once.
struct CircleJoiningTests {
    private let desk: CircleMachine

    init() throws {
        desk = try CircleMachine("desk")
        try desk.found()
    }

    @Test func aVaultThatSharesBeginsNoCircleAndAsksForNone() throws {
        #expect(vaultError { try desk.found() } == .alreadyExists)
        #expect(vaultError { _ = try desk.request() } == .alreadyExists)
        _ = try desk.vault.verify()
        #expect(try desk.view().membership.members.count == 1)
    }

    /// Attacker 10 puts a one-time key of their own beside the keys of a request. Nobody has agreed to that.
    @Test func onlyTheRequestThatWasAgreedToIsAnswered() throws {
        let asked = try CircleMachine("laptop").request()
        _ = try desk.add(asked)
        let forged = try JoinRequest(
            keys: asked.keys, oneTimeKey: X25519.PrivateKey.generate().publicKey, protection: asked.protection,
            name: asked.name, time: asked.time)
        let again = try desk.vault.addition(of: asked, desk.classKeys)
        #expect(again == nil)
        #expect(vaultError { _ = try desk.vault.addition(of: forged, desk.classKeys) } == .invalidArgument)
        #expect(vaultError { _ = try desk.vault.answer(forged, desk.classKeys) } == .invalidArgument)
    }

    /// Its request from before is no way back for a machine that was removed.
    @Test func whoWasRemovedNeedsAnotherRequest() throws {
        let laptop = try CircleMachine("laptop")
        let asked = try laptop.request()
        try laptop.vault.enter(desk.add(asked), laptop.profile, laptop.classKeys)
        try desk.remove(laptop)
        #expect(vaultError { _ = try desk.vault.addition(of: asked, desk.classKeys) } == .invalidArgument)
        #expect(vaultError { _ = try desk.vault.answer(asked, desk.classKeys) } == .invalidArgument)
    }

    /// The store has the head of the desk's last run alone, and its keys were changed since.
    @Test func itGetsWhatWasWrittenBeforeEachStart() throws {
        let (store, laptop, third) = (CircleStore(), try CircleMachine("laptop"), try CircleMachine("third"))
        try laptop.join(desk)
        try desk.set("bank", "", "before")
        for _ in 0..<2 { for machine in [desk, laptop] { try machine.sync(store) } }
        for number in 1...2 {
            try desk.reopen()
            try desk.set("file\(number)", "", "\(number)")
            try desk.sync(store)
        }
        try desk.reopen()
        try desk.remove(laptop)
        try desk.sync(store)
        try desk.reopen()
        try third.join(desk)
        for _ in 0..<2 { for machine in [desk, third] { try machine.sync(store) } }
        #expect(try ["bank", "file1", "file2"].map { try third.get($0) } == ["before", "1", "2"])
        #expect(try third.view().unread == 0)
    }

    /// Two calls have found the same request, and one of them has entered already.
    @Test func aVaultEntersOnce() throws {
        let laptop = try CircleMachine("laptop")
        let answer = try desk.add(laptop.request())
        let request = try #require(
            try laptop.vault.read { (snapshot) throws(VaultError) in try snapshot.circle(.joining) })
        try laptop.vault.enter(answer, laptop.profile, laptop.classKeys)
        let device = try laptop.view().device
        try laptop.vault.write { (change) throws(VaultError) in
            try change.put(.joining, request)
            try change.put(device: device)
        }
        #expect(vaultError { try laptop.vault.enter(answer, laptop.profile, laptop.classKeys) } == .alreadyExists)
    }

    /// The same answer with other keys of generations.
    private func answer(
        _ whole: JoinAnswer, to request: JoinRequest, _ generations: [StatementName], _ present: KeyGeneration?,
        _ halves: SecretBytes
    ) throws -> JoinAnswer {
        let ephemeral = try X25519.PrivateKey.generate()
        let info = JoinAnswer.keyInfo(
            circle: whole.circle, request: request.digest, ephemeral: ephemeral.publicKey)
        let sealed = try AESGCM.seal(
            halves, key: Agreement.key(ephemeral, request.oneTimeKey, info), associatedData: info)
        return try JoinAnswer(
            request: request.digest, circle: whole.circle, adder: whole.adder, statements: whole.statements,
            generations: generations, present: present, heads: whole.heads, profiles: whole.profiles,
            ephemeral: ephemeral.publicKey, sealedKeys: sealed)
    }

    /// An answer that brings no keys: the machine waits for a member that has some, and that is no error.
    @Test func whoHasNoKeysSaysNothing() throws {
        let laptop = try CircleMachine("laptop")
        let request = try laptop.request()
        let none = try answer(desk.add(request), to: request, [], nil, SecretBytes(copying: []))
        try laptop.vault.enter(none, laptop.profile, laptop.classKeys)
        #expect(try laptop.view().openGenerations.isEmpty)
        let said = try laptop.vault.giveOut(heads: [], laptop.classKeys)
        #expect(said == nil)
    }

    /// A member that adds somebody gives other halves than those that the members have (attacker 13).
    @Test func anAnswerWithOtherKeysIsRefused() throws {
        let laptop = try CircleMachine("laptop")
        let request = try laptop.request()
        let whole = try desk.add(request)
        let halves = try GenerationHalves.generate().whole()
        let other = try answer(whole, to: request, whole.generations, whole.present, halves)
        #expect(vaultError { try laptop.vault.enter(other, laptop.profile, laptop.classKeys) } == .invalidArgument)
        #expect(try !laptop.vault.hasCircle)
        try laptop.vault.enter(whole, laptop.profile, laptop.classKeys)
        #expect(try laptop.view().openGenerations.count == 1)
    }

    /// What was prepared before somebody else's records is not given out behind them.
    @Test func whatWasPreparedTwiceIsGivenOutOnce() throws {
        let prepared = try (0..<2).map { _ in
            try desk.vault.read { (snapshot) throws(VaultError) in
                let view = try desk.vault.view(snapshot, desk.classKeys).1
                return try desk.vault.prepared(view, [.profile(desk.profile)], given: [], from: view)
            }
        }
        try desk.commit(prepared[0])
        #expect(vaultError { try desk.commit(prepared[1]) } == .changed)
        #expect(try desk.view().device.end == prepared[0].head.end)
    }
}
