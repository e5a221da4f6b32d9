import Authorization
import Circle
import Cryptography
import Foundation
import Item
import TestSupport
import Testing

@testable import Vault

/// A code on paper, and what it brings back from the store alone (attackers 10, 11 and 13; T17 of the review).
struct CirclePaperTests {
    private let store = CircleStore()
    private let presence: AccessControl
    private let code: PaperCode
    private let desk: CircleMachine
    private let circle: StatementName

    init() throws {
        presence = try AccessControl(requirements: [.userPresence])
        code = try .random()
        desk = try CircleMachine("desk")
        try desk.set("web", "me", "early")
        try desk.set("first", "me", "from before", presence)
        try desk.found()
        try desk.sync(store)
        try desk.set("bank", "me", "guarded", presence)
        try desk.sync(store)
        circle = try desk.view().device.circle
    }

    private func keys(_ machine: CircleMachine, _ code: PaperCode? = nil) throws -> MemberKeys {
        try PaperKeys(code ?? self.code, in: machine.view().device.circle).member
    }

    private func addPaper(_ machine: CircleMachine, _ code: PaperCode? = nil) throws {
        let statement = try machine.vault.addition(ofPaper: keys(machine, code), machine.classKeys)
        try machine.commit(machine.vault.addPaper(machine.signed(statement), machine.classKeys))
    }

    private func removePaper(_ machine: CircleMachine, _ code: PaperCode? = nil) throws {
        let statement = try machine.vault.removal(of: [keys(machine, code).device], machine.classKeys)
        try machine.commit(machine.vault.remove(machine.signed(statement), machine.classKeys))
    }

    /// What the code finds in a store.
    private func find(
        _ code: PaperCode? = nil, in files: [StorePath: [UInt8]]? = nil, circle other: StatementName? = nil
    ) throws -> RecoverableCircle.Found {
        let files = files ?? store.files
        func contents(_ isWanted: (StorePath) -> Bool) -> [[UInt8]] {
            files.filter { isWanted($0.key) }.map(\.value).shuffled()
        }
        return try RecoverableCircle.find(
            code ?? self.code, in: other ?? circle,
            heads: contents { if case .head = $0 { true } else { false } },
            segments: contents { if case .segment = $0 { true } else { false } }, at: 1_900_000_000_000)
    }

    private func restored(
        _ code: PaperCode? = nil, in files: [StorePath: [UInt8]]? = nil
    ) throws -> RecoverableCircle {
        guard case .circle(let circle) = try find(code, in: files) else {
            throw VaultError(.notFound, "the code finds nothing")
        }
        return circle
    }

    private func values(_ circle: RecoverableCircle) throws -> [String: String] {
        var values: [String: String] = [:]
        for item in circle.items {
            for field in item.metadata.fields {
                let value = try circle.value(of: item, field.name)
                values["\(item.metadata.service)/\(field.name.text)"] = String(decoding: revealed(value), as: UTF8.self)
            }
        }
        return values
    }

    private func isFound(_ found: RecoverableCircle.Found) -> Bool { if case .circle = found { true } else { false } }

    private func isRemoved(_ found: RecoverableCircle.Found) -> Bool {
        if case .removed = found { true } else { false }
    }

    /// The desk has said once more what is needed, and the rest is gone from the store.
    @Test func itReadsWhatACompactionHasLeft() throws {
        desk.fixture.room.withLock { $0.given = 48 << 10 }
        try desk.reopen()
        try addPaper(desk)
        try desk.sync(store)
        try desk.set("pin", "me", "guarded since", presence)
        try desk.release()
        try desk.sync(store)
        for number in 1...10 {
            try desk.set("file", "", "\(number):" + String(repeating: "x", count: 8_000))
            try desk.sync(store)
        }
        let before = store.names.count
        for _ in 0..<2 { try desk.sync(store) }
        try #require(desk.view().compacted.count == 1)
        #expect(store.names.count < before)
        let circle = try restored()
        #expect(!circle.isIncomplete)
        let values = try values(circle)
        #expect(values["file/secret"]?.hasPrefix("10:") == true)
        #expect(values["web/secret"] == "early" && values["bank/secret"] == "guarded")
        #expect(values["pin/secret"] == "guarded since")
    }

    /// The machine was started again since. The store has the head of its last run alone.
    @Test func itReadsWhatWasWrittenBeforeEachStart() throws {
        try addPaper(desk)
        try desk.sync(store)
        for number in 1...3 {
            try desk.reopen()
            try desk.set("file\(number)", "", "\(number)")
            try desk.sync(store)
        }
        let circle = try restored()
        #expect(!circle.isIncomplete)
        let values = try values(circle)
        #expect(values["web/secret"] == "early")
        #expect((1...3).map { values["file\($0)/secret"] } == ["1", "2", "3"])
    }

    @Test func everythingComesBackFromTheStoreAlone() throws {
        try addPaper(desk)
        try desk.sync(store)
        #expect(try values(restored()) == ["web/secret": "early"])
        // What was set before needs its person once more.
        #expect(try restored().lost.map(\.name.service) == ["bank"])
        let paper = try keys(desk).device
        #expect(try desk.vault.unreleased(desk.classKeys).map(\.machines) == [[paper], [paper]])
        try desk.release()
        try desk.set("later", "me", "guarded too", presence)
        try desk.set("new", "me", "open")
        try desk.sync(store)
        let circle = try restored()
        #expect(
            try values(circle) == [
                "web/secret": "early", "first/secret": "from before", "bank/secret": "guarded",
                "later/secret": "guarded too", "new/secret": "open",
            ])
        #expect(circle.lost.isEmpty && !circle.isIncomplete && circle.contested == 0)
        // It stays guarded: it asks the person who restores it.
        #expect(circle.items.map(\.access) == [presence, presence, presence, .whenUnlocked, .whenUnlocked])
        #expect(circle.machines.map(\.name?.text) == ["desk"])
        #expect(circle.machines.allSatisfy { $0.isMember && $0.newest != nil })
        _ = try desk.vault.verify()
    }

    @Test func eachWayOfAskingOpens() throws {
        try addPaper(desk)
        let ways: [Set<AccessControl.Requirement>] = [
            [.userPresence], [.biometryAny], [.devicePasscode], [.userPresence, .devicePasscode],
        ]
        for (number, way) in ways.enumerated() {
            try desk.set("all\(number)", "me", "v\(number)", AccessControl(requirements: way))
            guard way.count > 1 else { continue }
            try desk.set("any\(number)", "me", "v\(number)", AccessControl(requirements: way, anyIsEnough: true))
        }
        try desk.set("class", "me", "f", AccessControl(.afterFirstUnlock, requirements: [.userPresence]))
        try desk.sync(store)
        let circle = try restored()
        #expect(circle.lost.map(\.name.service) == ["bank"])
        #expect(circle.items.count == 7)
        for item in circle.items {
            #expect(try desk.vault.find(service: item.metadata.service, account: "me").access == item.access)
        }
        #expect(try values(circle)["class/secret"] == "f")
    }

    @Test func whatIsForOneDeviceOnlyDoesNotComeBack() throws {
        try desk.set("here", "me", "stays", AccessControl(.whenUnlocked, isThisDeviceOnly: true))
        try addPaper(desk)
        try desk.sync(store)
        #expect(try values(restored()) == ["web/secret": "early"])
    }

    /// Two machines have added a field each, and the item has more than a vault can have. What is left out is named.
    @Test func whatIsMoreThanAnItemCanHaveIsNamed() throws {
        try addPaper(desk)
        try desk.set("many", "", "1")
        for number in 0..<ItemLimits.fields - 2 {
            try desk.set(field: #require(FieldName("f\(number)")), of: "many", "s")
        }
        try desk.sync(store)
        let laptop = try CircleMachine("laptop", clock: 1_800_000_500_000)
        try laptop.join(desk)
        for machine in [desk, laptop] { try machine.sync(store) }
        try desk.set(field: "desk", of: "many", "d")
        try laptop.set(field: "laptop", of: "many", "l")
        for machine in [desk, laptop] { try machine.sync(store) }
        let circle = try restored()
        let many = try #require(circle.items.first { $0.metadata.service == "many" })
        #expect(many.metadata.fields.count == ItemLimits.fields)
        let lost = circle.lost.filter { $0.name.service == "many" }
        #expect(lost.map(\.reason) == ["the item has too many fields"])
    }

    /// Machines that join, leave, and are renewed after the paper was made. Nobody waits for it.
    @Test func thePaperFollowsTheMembers() throws {
        try addPaper(desk)
        try desk.sync(store)
        let laptop = try CircleMachine("laptop", clock: 1_800_000_500_000)
        try laptop.join(desk)
        for machine in [desk, laptop, desk, laptop] { try machine.sync(store) }
        try laptop.set("from", "laptop", "theirs", presence)
        try laptop.set("old", "me", "replaced")
        for machine in [laptop, desk, laptop, desk] { try machine.sync(store) }
        let state = try #require(try desk.vault.circleState(desk.classKeys))
        #expect(state.machines.count == 2 && state.machines.allSatisfy { $0.isOwn || $0.hasTakenAll })
        #expect(try state.paper?.device == keys(desk).device && state.paper?.made != nil)
        let before = store.files
        for machine in [laptop, desk] { try machine.sync(store) }
        let isSame = store.files == before
        #expect(isSame, "without input there are no records")
        #expect(try values(restored())["from/secret"] == "theirs")
        try desk.remove(laptop)
        try desk.sync(store)
        let renewed = try desk.renewed()
        for _ in 0..<2 { try renewed.sync(store) }
        try renewed.set("last", "me", "word", presence)
        try renewed.sync(store)
        let circle = try restored(in: store.files)
        #expect(try values(circle)["last/secret"] == "word" && values(circle)["from/secret"] == "theirs")
        #expect(circle.machines.count { $0.isMember } == 1 && circle.machines.count == 3)
    }

    /// Keys that a machine has made without knowing of the paper are sent to it later.
    @Test func keysMadeAtTheSameTimeReachIt() throws {
        let laptop = try CircleMachine("laptop", clock: 1_800_000_500_000)
        try laptop.vault.enter(desk.add(laptop.request(), as: .admin), laptop.profile, laptop.classKeys)
        for machine in [desk, laptop, desk, laptop] { try machine.sync(store) }
        let phone = try CircleMachine("phone", clock: 1_800_000_900_000)
        let lost = try CircleMachine("lost", clock: 1_800_001_300_000)
        try lost.join(laptop)
        for machine in [laptop, desk, lost, laptop] { try machine.sync(store) }
        // Both without the other one's. A removal makes new keys.
        try addPaper(desk)
        try laptop.remove(lost)
        try phone.join(laptop)
        try laptop.set("between", "me", "value")
        for _ in 0..<3 { for machine in [laptop, phone, desk] { try machine.sync(store) } }
        let circle = try restored()
        #expect(try values(circle)["between/secret"] == "value")
        #expect(!circle.isIncomplete)
        let before = store.files
        for machine in [laptop, phone, desk] { try machine.sync(store) }
        let isSame = store.files == before
        #expect(isSame, "without input there are no records")
    }

    @Test func anotherCodeReplacesIt() throws {
        try addPaper(desk)
        try desk.sync(store)
        let old = store.files
        let next = try PaperCode.random()
        #expect(throws: VaultError.self) { try desk.vault.addition(ofPaper: keys(desk, next), desk.classKeys) }
        try removePaper(desk)
        #expect(throws: VaultError.self) { try desk.vault.addition(ofPaper: keys(desk), desk.classKeys) }
        try addPaper(desk, next)
        try desk.set("new", "me", "open")
        try desk.set("hard", "me", "guarded", presence)
        try desk.sync(store)
        #expect(try isRemoved(find()))
        #expect(try values(restored(next)) == ["web/secret": "early", "new/secret": "open", "hard/secret": "guarded"])
        // The former paper is no machine.
        let machines = try restored(next).machines
        #expect(machines.count == 1 && machines.allSatisfy(\.isMember))
        // A former code still opens a former store. Nothing later is in it.
        #expect(try values(restored(in: old)) == ["web/secret": "early"])
        // With what the former code has, what came later does not open, whatever the store leaves out.
        let device = try keys(desk).device
        let later = try desk.view().present
        #expect(later?.receivers.contains { $0.device == device } == false)
        let named = try desk.vault.exposure(to: device, desk.classKeys).items.map(\.name.service)
        #expect(named == ["web"])
        #expect(try desk.vault.circleState(desk.classKeys)?.former.filter(\.isPaper).map(\.device) == [device])
    }

    /// What software keeps can be copied. So its machine is a writer, and makes no code that reads everything.
    @Test func onlyAnAdminMakesAPaper() throws {
        let laptop = try CircleMachine("laptop", clock: 1_800_000_500_000)
        try laptop.join(desk)
        try desk.sync(store)
        try laptop.sync(store)
        #expect(try laptop.view().role == .writer)
        #expect(
            vaultError { _ = try laptop.vault.addition(ofPaper: keys(laptop), laptop.classKeys) } == .invalidArgument)
    }

    // What others can put into the folder

    @Test func anotherCodeFindsNothing() throws {
        try addPaper(desk)
        try desk.sync(store)
        let other = try PaperCode.random()
        #expect(try !isFound(find(other)) && !isRemoved(find(other)))
        #expect(try !isFound(find(in: [:])))
    }

    /// T17: an ex-member founds a circle of its own, and names the paper's keys of the former one in it.
    @Test func anExMembersOwnCircleIsNotTaken() throws {
        try addPaper(desk)
        try desk.sync(store)
        let mallory = try CircleMachine("mallory")
        try mallory.set("web", "me", "forged")
        try mallory.found()
        let statement = try mallory.vault.addition(ofPaper: keys(desk), mallory.classKeys)
        try mallory.commit(mallory.vault.addPaper(mallory.signed(statement), mallory.classKeys))
        try mallory.sync(store)
        let forged = try mallory.view().device.circle
        #expect(try !isFound(find(circle: forged)))
        // Its files beside the right ones change nothing.
        #expect(try values(restored()) == ["web/secret": "early"])
    }

    /// T17: the store gives an old prefix, in which an ex-member is still there. The date tells.
    @Test func anOldPrefixShowsItsDate() throws {
        let laptop = try CircleMachine("laptop", clock: 1_800_000_500_000)
        try laptop.join(desk)
        for machine in [desk, laptop, desk, laptop] { try machine.sync(store) }
        try addPaper(desk)
        for machine in [desk, laptop, desk] { try machine.sync(store) }
        let old = store.files
        try desk.remove(laptop)
        desk.fixture.advance(milliseconds: 2_000_000_000)
        try desk.set("web", "me", "changed since")
        for _ in 0..<2 { try desk.sync(store) }
        // The ex-member goes on in its own place.
        try laptop.set("web", "me", "by the ex-member")
        try laptop.sync(CircleStore())
        try laptop.put(store)
        let (whole, prefix) = (try restored(), try restored(in: old))
        #expect(try values(whole)["web/secret"] == "changed since")
        #expect(whole.machines.first { $0.name?.text == "laptop" }?.isMember == false)
        func newest(_ circle: RecoverableCircle) -> UInt64 { circle.machines.compactMap(\.newest).max() ?? 0 }
        #expect(newest(whole) >= newest(prefix) + 1_000_000_000)
        #expect(prefix.machines.count(where: \.isMember) == 2)
    }

    /// Each file in turn is missing, cut off, or changed. What comes back is never something else.
    @Test func damagedFilesGiveNothingElse() throws {
        try addPaper(desk)
        try desk.release()
        try desk.sync(store)
        let right = try values(restored())
        for path in store.files.keys {
            let bytes = store.files[path] ?? []
            for wrong in [nil, Array(bytes.dropLast()), Array(bytes.dropLast(40)) + [1] + bytes.suffix(39), []] {
                var files = store.files
                files[path] = wrong
                guard case .circle(let found) = try find(in: files) else { continue }
                for (name, value) in try values(found) { #expect(right[name] == value) }
                #expect(found.isIncomplete || found.items.count == right.count)
            }
        }
    }

    /// A thief of the paper has all of its keys, and the folder.
    @Test func nothingThatAPaperWritesCounts() throws {
        try addPaper(desk)
        try desk.sync(store)
        let view = try desk.view()
        let digest = try desk.digest()
        let keys = try PaperKeys(code, in: circle)
        let secret = try code.text
        #expect(revealed(secret).count == 41)
        // Its stream key is derived as the test does it here; the module keeps it nowhere.
        let stream = try P256.PrivateKey(
            rawRepresentation: HKDF.derive(
                SecretBytes(
                    copying: Array(revealed(secret).filter { $0 != UInt8(ascii: "-") }.dropFirst(5).prefix(25))),
                salt: circle.bytes,
                info: LengthPrefixed.encode(Array("org.coffer.circle.paper".utf8), Array("stream".utf8)) + [0],
                count: 32))
        #expect(stream.publicKey == keys.member.stream)
        let present = try #require(view.present)
        let half = try #require(view.halves[present.name]?.metadata)
        let run = try #require(RunID(bytes: [UInt8](repeating: 9, count: 16)))
        let item = try #require(view.state.items.first { $0.name.service == "web" })
        let writer = PartWriter(view.state, writer: keys.member.device, now: 1_900_000_000_000)
        let change = try writer.set(.label, of: item, to: .text(Array("stolen".utf8)))
        var records = try RecordWriter(
            CircleDevice(
                circle: circle, keys: keys.member, signingKeys: view.device.signingKeys, profile: view.device.profile),
            after: nil, in: run, before: nil)
        try records.add(.changes([CarriedChange(change)]), (present.name, half))
        let prepared = try records.finish(
            seen: [], stateDigest: digest, time: 1_900_000_000_000, given: [],
            streamPassword: SecretBytes.random(count: 32))
        let head = SignedHead(
            prepared.head, signature: SignedStatement.lower(try stream.signature(for: prepared.head.bytes)))
        #expect(head.isSigned(by: keys.member))
        _ = try desk.vault.takeIn(heads: [head.bytes], segments: prepared.segments.map(\.bytes), desk.classKeys)
        #expect(try desk.digest() == digest)
        #expect(try desk.vault.find(service: "web", account: "me").metadata.label == nil)
    }

    /// The slot opens, and gives a key that the value does not commit to.
    @Test func aKeyThatDoesNotFitIsNamed() throws {
        try addPaper(desk)
        try desk.sync(store)
        let view = try desk.view()
        let item = try #require(view.state.items.first { $0.name.service == "bank" })
        let change = try #require(item.shown(.field(.secret)))
        let found = try #require(try view.value(of: change)?.value)
        guard case .value(let content)? = change.content, let id = ItemID(bytes: found.item.bytes),
            let revision = RevisionID(bytes: content.revision)
        else { return }
        let context = FieldContext(
            vault: try .random(), item: id, field: .secret, access: content.access, seal: .third(revision),
            name: item.name)
        let slots = try GuardReceivers(circle: view.device.circle, [keys(desk)])
            .slots(SecretBytes.random(count: 32), context)
        try desk.give([.released([ReleasedSlots(of: change.name, slots)])])
        try desk.put(store)
        #expect(try restored().lost.first?.reason.contains("does not open") == true)
    }

    /// One machine asks for presence and another one for a passcode, at the same time. What is restored asks for both.
    @Test func whatSeveralHaveRequiredIsMet() throws {
        let laptop = try CircleMachine("laptop", clock: 1_800_000_500_000)
        try laptop.join(desk)
        try addPaper(desk)
        for machine in [desk, laptop, desk, laptop] { try machine.sync(store) }
        try desk.set("web", "me", "d", presence)
        try laptop.set("web", "me", "l", AccessControl(requirements: [.devicePasscode]))
        for machine in [desk, laptop, desk, laptop] { try machine.sync(store) }
        let item = try #require(try restored().items.first { $0.metadata.service == "web" })
        #expect(item.access.requirements == [.userPresence, .devicePasscode] && !item.access.anyIsEnough)
    }

    /// Each member, and each that was one, knows the paper's public keys, and can send it junk.
    @Test func junkForThePaperTakesNothingAway() throws {
        let laptop = try CircleMachine("laptop")
        try laptop.join(desk)
        try desk.put(store)
        try laptop.set("mail", "me", "of the laptop")
        for _ in 0..<2 { for machine in [laptop, desk] { try machine.sync(store) } }
        try addPaper(desk)
        try desk.sync(store)
        let view = try desk.view()
        var content = PaperContent()
        for generation in view.openGenerations {
            content.generations.append(
                (generation, try KeyGeneration.Receiver(keys(desk).device, sealed: Random.bytes(276))))
        }
        let envelope = try PaperSealing.seal(content, for: keys(desk), in: circle, at: 1)
        let prepared = try desk.vault.read { (snapshot) throws(VaultError) in
            let view = try desk.vault.view(snapshot, desk.classKeys).1
            return try desk.vault.prepared(view, [], given: [], from: view, [envelope])
        }
        try desk.commit(prepared)
        try desk.put(store)
        for _ in 0..<5 {
            #expect(try values(restored()) == ["mail/secret": "of the laptop", "web/secret": "early"])
        }
        // What the machine says that has sealed the keys for the paper counts no more if its head is missing. Its keys do.
        store.files[.head(circle: circle, device: view.device.id)] = nil
        for _ in 0..<8 { #expect(try values(restored()) == ["mail/secret": "of the laptop"]) }
    }

    @Test func theVectorsEnvelopeOpens() throws {
        struct File: Decodable { let circle, paperCode, paperRecord, paperContent: String }
        let text = try Data(contentsOf: URL(fileURLWithPath: SourceTree.path("Tests/Vectors/circle.json")))
        let file = try JSONDecoder().decode(File.self, from: text)
        func raw(_ text: String) -> [UInt8] { Hex.decode(text) ?? [] }
        let circle = try #require(StatementName(bytes: raw(file.circle)))
        let keys = try PaperKeys(
            PaperCode(reading: SecretBytes(copying: Array(file.paperCode.utf8))), in: circle)
        let record = try CircleRecord(decoding: raw(file.paperRecord))
        guard case .paper(let envelope)? = try RecordSealing.open(record, half: nil) else {
            Issue.record("it is another record")
            return
        }
        #expect(
            try PaperSealing.open(envelope, for: keys.member.device, by: ReceivingKeys(keys), in: circle)?.bytes
                == raw(file.paperContent))
        let other = try PaperKeys(.random(), in: circle)
        #expect(try PaperSealing.open(envelope, for: other.member.device, by: ReceivingKeys(other), in: circle) == nil)
    }

    /// A machine that lies about its slot harms nobody else's value.
    @Test func aSlotThatDoesNotOpenIsNamed() throws {
        try addPaper(desk)
        try desk.sync(store)
        let view = try desk.view()
        let item = try #require(view.state.items.first { $0.name.service == "bank" })
        let change = try #require(item.shown(.field(.secret)))
        let device = try keys(desk).device
        guard case .device(_, let name, let content)? = try view.value(of: change)?.value.slots.first else {
            Issue.record("a guarded value has no slot")
            return
        }
        var junk = content
        junk[junk.count - 1] ^= 1
        try desk.give([.released([ReleasedSlots(of: change.name, [.device(device, name: name, content: junk)])])])
        try desk.put(store)
        let circle = try restored()
        #expect(circle.lost.map(\.name.service) == ["bank"] && circle.items.count == 1)
        #expect(circle.lost.first?.reason.contains("does not open") == true)
    }

    /// Two machines write the same label at once, and comments that differ.
    @Test func equalContentsAreNoConflict() throws {
        let laptop = try CircleMachine("laptop", clock: 1_800_000_500_000)
        try laptop.join(desk)
        try desk.set("note", "", "1")
        try addPaper(desk)
        for _ in 0..<2 { for machine in [desk, laptop] { try machine.sync(store) } }
        for machine in [desk, laptop] {
            try machine.edit("note", MetadataChanges(label: "same", comment: "by \(machine.name)"))
        }
        for _ in 0..<3 { for machine in [desk, laptop] { try machine.sync(store) } }
        let item = try #require(try desk.view().state.items.first { $0.name.service == "note" })
        try #require(item.contested.count == 2)
        #expect(try restored().contested == 1)
    }
}
