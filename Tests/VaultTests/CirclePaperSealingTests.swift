import Authorization
import Circle
import Cryptography
import Item
import Testing

@testable import Vault

/// What a circle seals to its paper: in so many envelopes as it needs, and nothing by halves.
struct CirclePaperSealingTests {
    private let desk: CircleMachine
    private let paper: MemberKeys

    init() throws {
        desk = try CircleMachine("desk")
        try desk.set("web", "me", "early")
        try desk.found()
        paper = try PaperKeys(.random(), in: desk.view().device.circle).member
    }

    /// An empty one would only show everybody that there was nothing to say.
    @Test func noEnvelopeIsEmpty() throws {
        let view = try desk.view()
        #expect(try PaperSealing.envelopes(for: paper, [], [], by: view, at: 1).isEmpty)
        #expect(try PaperSealing.envelopes(for: paper, [], view.openGenerations, by: view, at: 1).count == 1)
    }

    /// Keys that are named twice have no form. Nobody must think that the paper has them.
    @Test func whatCannotBeSealedIsTold() throws {
        let view = try desk.view()
        let generation = try #require(view.openGenerations.first)
        let code = vaultError {
            _ = try PaperSealing.envelopes(for: paper, [], [generation, generation], by: view, at: 1)
        }
        #expect(code == .storage)
    }

    /// What is too much for one envelope is in several, each statement once and in its order.
    @Test func muchTakesSeveralEnvelopes() throws {
        let code = try PaperCode.random()
        let view = try desk.view()
        let circle = view.device.circle
        let keys = try PaperKeys(code, in: circle)
        let signed = try desk.signed(desk.vault.addition(ofPaper: keys.member, desk.classKeys))
        let one = signed.bytes.count + 4
        let many = [SignedStatement](repeating: signed, count: 1_100_000 / one)
        let envelopes = try PaperSealing.envelopes(
            for: keys.member, many, view.openGenerations, by: view, at: 1)
        #expect(envelopes.count == 3)
        for envelope in envelopes.dropLast() {
            #expect(abs(envelope.sealed.count - 500_000) < 2 * one)
        }
        #expect(envelopes.map(\.generations.isEmpty) == [true, true, false])
    }

    /// An envelope is full to the last byte, whether the next one begins with a statement or with a generation's keys.
    @Test func anEnvelopeIsFilledToTheByte() throws {
        let view = try desk.view()
        let generation = try #require(view.openGenerations.first)
        let signed = try desk.signed(desk.vault.addition(ofPaper: paper, desk.classKeys))
        let statement = signed.bytes.count
        let cases: [(statements: [SignedStatement], generations: [KeyGeneration], room: Int)] = [
            ([signed, signed], [], 2 * statement + 4),
            ([signed], [generation], statement + 4 + generation.bytes.count),
        ]
        for (statements, generations, room) in cases {
            let whole = try PaperSealing.envelopes(for: paper, statements, generations, by: view, at: 1, room: room)
            let parts = try PaperSealing.envelopes(
                for: paper, statements, generations, by: view, at: 1, room: room - 1)
            #expect(whole.count == 1 && parts.count == 2, "\(generations.count)")
        }
    }

    /// Half of a generation's keys opens nothing whole. A locked vault has no more, and says so.
    @Test func aLockedVaultSealsNothing() throws {
        let generations = try desk.view().openGenerations
        #expect(!generations.isEmpty)
        let view = try desk.vault.read { (snapshot) throws(VaultError) in
            try desk.vault.view(snapshot, desk.vault.alwaysKeys).1
        }
        #expect {
            _ = try PaperSealing.envelopes(for: paper, [], generations, by: view, at: 1)
        } throws: {
            ($0 as? VaultError)?.code == .locked && ($0 as? VaultError)?.advice == "open it with: coffer unlock"
        }
    }

    /// Attacker 11 seals a guarded value under a key that it has not committed to. Another key could then open the same
    /// bytes as something else, so nobody gets either.
    @Test(arguments: [true, false]) func aKeyThatWasNotCommittedToOpensNothing(isHonest: Bool) throws {
        let (store, code, desk) = (CircleStore(), try PaperCode.random(), try CircleMachine("desk"))
        try desk.found()
        try desk.sync(store)
        try desk.set("bank", "me", "guarded", AccessControl(requirements: [.userPresence]))
        try desk.sync(store)
        let circle = try desk.view().device.circle
        let paper = try PaperKeys(code, in: circle).member
        try desk.commit(
            desk.vault.addPaper(desk.signed(desk.vault.addition(ofPaper: paper, desk.classKeys)), desk.classKeys))
        try desk.sync(store)
        let (writer, item, view) = try desk.writer()
        let shown = try #require(item.shown(.field(.secret)))
        let former = try #require(try view.value(of: shown)).value
        let (revision, key) = (try RevisionID.random(), try SecretBytes.random(count: 32))
        let id = try #require(ItemID(bytes: former.item.bytes))
        let access = try #require(item.access)
        let context = FieldContext(
            vault: try .random(), item: id, field: .secret, access: access, seal: .third(revision), name: item.name)
        let sealed = try context.seal(secret("another"), key: key)
        let value = try CarriedValue(
            kind: .secret, item: former.item,
            commitment: context.commitment(to: isHonest ? key : SecretBytes.random(count: 32)),
            slots: GuardReceivers(circle: circle, [paper]).slots(key, context), sealed: sealed)
        let field = try #require(
            SealedField(revision: revision.bytes, digest: SHA256.digest(sealed), access: access))
        let change = try PartChange(
            item: item.id, part: .field(.secret),
            stamp: PartStamp(at: 1_900_000_000_000, replacing: [], writer: writer.writer), replacing: [shown.name],
            content: .value(field))
        try desk.give([.changes([CarriedChange(change, value)])])
        try desk.put(store)
        func contents(_ isWanted: (StorePath) -> Bool) -> [[UInt8]] {
            store.files.filter { isWanted($0.key) }.map(\.value)
        }
        guard
            case .circle(let found) = try RecoverableCircle.find(
                code, in: circle, heads: contents { if case .head = $0 { true } else { false } },
                segments: contents { if case .segment = $0 { true } else { false } }, at: 1_900_000_000_000)
        else {
            Issue.record("the code finds nothing")
            return
        }
        let values = try found.items.map { String(decoding: revealed(try found.value(of: $0, .secret)), as: UTF8.self) }
        #expect(values == (isHonest ? ["another"] : []))
        #expect(found.lost.map { $0.reason.contains("does not open") } == (isHonest ? [] : [true]))
    }

    /// What somebody has changed on the way is as if it were not there, and keeps nobody from reading the rest.
    @Test func aChangedEnvelopeOpensAsNothing() throws {
        let view = try desk.view()
        let circle = view.device.circle
        let keys = try PaperKeys(.random(), in: circle)
        let envelope = try #require(
            try PaperSealing.envelopes(for: keys.member, [], view.openGenerations, by: view, at: 1).first)
        #expect(
            try PaperSealing.open(envelope, for: keys.member.device, by: ReceivingKeys(keys), in: circle)?.generations
                .count == 1)
        var sealed = envelope.sealed
        sealed[sealed.count / 2] ^= 1
        let none = [UInt8](repeating: 0, count: X25519.count)
        for (ephemeral, sealed) in [(envelope.ephemeral, sealed), (none, envelope.sealed)] {
            let changed = try PaperEnvelope(
                for: envelope.device, time: envelope.time, generations: envelope.generations, ephemeral: ephemeral,
                sealed: sealed)
            #expect(try PaperSealing.open(changed, for: keys.member.device, by: ReceivingKeys(keys), in: circle) == nil)
        }
    }

    /// A member names another device outside, and seals to this paper what only this one opens.
    @Test func anEnvelopeForAnotherDeviceOpensAsNothing() throws {
        let circle = try desk.view().device.circle
        let keys = try PaperKeys(.random(), in: circle)
        let (own, receiving) = (keys.member.device, keys.member.receiving[2])
        let ephemeral = try X25519.PrivateKey.generate()
        let info = LengthPrefixed.encode(
            Array("org.coffer.circle.envelope".utf8), circle.bytes, own.bytes, receiving, ephemeral.publicKey)
        for (device, isOpen) in [(own, true), (paper.device, false)] {
            func envelope(_ sealed: [UInt8]) throws -> PaperEnvelope {
                try PaperEnvelope(
                    for: device, time: 1, generations: [], ephemeral: ephemeral.publicKey, sealed: sealed)
            }
            let header = try envelope([]).header
            let sealed = try AESGCM.seal(
                SecretBytes(copying: PaperContent().bytes), key: Agreement.key(ephemeral, receiving, info),
                associatedData: circle.bytes + header)
            let opened = try PaperSealing.open(
                envelope(sealed), for: keys.member.device, by: ReceivingKeys(keys), in: circle)
            #expect((opened != nil) == isOpen)
        }
    }
}
