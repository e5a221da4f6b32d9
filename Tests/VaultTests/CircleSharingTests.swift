import Authorization
import Circle
import Cryptography
import Item
import SQLite
import Testing

@testable import Vault

/// Vaults that share their items over a store, with the software sealer. Each test plays machines, their people, and
/// the store.
struct CircleSharingTests {
    private let store = CircleStore()

    private func pair() throws -> (desk: CircleMachine, laptop: CircleMachine) {
        let (desk, laptop) = (try CircleMachine("desk"), try CircleMachine("laptop", clock: 1_800_000_500_000))
        try desk.found()
        try desk.put(store)
        try laptop.join(desk)
        try desk.put(store)
        return (desk, laptop)
    }

    /// Each of them takes in what the others gave out, until nobody has anything new.
    private func settle(_ machines: CircleMachine...) throws {
        for _ in 0..<3 { for machine in machines { try machine.sync(store) } }
        let digests = try machines.map { try $0.digest() }
        #expect(Set(digests).count == 1)
        let before = store.files
        for machine in machines { try machine.sync(store) }
        let isSame = store.files == before
        #expect(isSame, "without input there are no records")
        for machine in machines { _ = try machine.vault.verify() }
    }

    @Test func whatIsSetHereIsReadThere() throws {
        let (desk, laptop) = try pair()
        try desk.set("github", "me", "secret")
        try desk.sync(store)
        let taken = try laptop.sync(store)
        #expect(taken.added == 1)
        #expect(try laptop.get("github", "me") == "secret")
        try laptop.set("github", "me", "another")
        try laptop.sync(store)
        try desk.sync(store)
        #expect(try desk.get("github", "me") == "another")
        try settle(desk, laptop)
    }

    /// Each item counts once. `coffer sync` and the log tell people these numbers.
    @Test func whatWasTakenInIsCounted() throws {
        let (desk, laptop) = try pair()
        func taken() throws -> [Int] {
            try desk.sync(store)
            let taken = try laptop.sync(store)
            return [taken.added, taken.updated, taken.deleted]
        }
        for name in ["a", "b", "c", "d"] { try desk.set(name, "", "1") }
        try desk.set(setting: "theme", "dark")
        #expect(try taken() == [5, 0, 0])
        #expect(try taken() == [0, 0, 0])
        try desk.set("a", "", "2")
        try desk.edit("b", MetadataChanges(label: "label"))
        #expect(try taken() == [0, 2, 0])
        try desk.vault.putAside(service: "a", account: "")
        try desk.vault.delete(service: "b", account: "")
        try desk.vault.delete(service: "app", account: "theme", kind: .setting)
        #expect(try taken() == [0, 0, 3])
        // Here, the laptop has no bin.
        try laptop.vault.put(laptop.vault.history, BinSetting(days: 0))
        try desk.vault.putAside(service: "c", account: "")
        #expect(try taken() == [0, 0, 1])
        #expect(try laptop.names == ["d"])
        #expect(try laptop.vault.verify().items == 1, "nothing waits where nobody sees it")
        #expect(try taken() == [0, 0, 0])
    }

    /// What has no room in one file goes into the next ones, and nothing is in two.
    @Test func moreThanAFileHoldsGoesIntoSeveral() throws {
        let (desk, laptop) = try pair()
        for number in 0..<5 { try desk.set("big", "\(number)", String(repeating: "\(number)", count: 400_000)) }
        try desk.sync(store)
        let own = try desk.view().device.id
        let segments = try desk.vault.read { (snapshot) throws(VaultError) in
            try desk.vault.view(snapshot, desk.classKeys).0.segments(of: own).map(\.segment)
        }
        #expect(segments.count > 2 && segments.allSatisfy { $0.count <= CircleLimits.segment })
        let numbers = segments.flatMap(\.records).map(\.header.number)
        #expect(numbers.sorted() == Array(1...UInt64(numbers.count)))
        try laptop.sync(store)
        for number in 0..<5 {
            #expect(try laptop.get("big", "\(number)") == String(repeating: "\(number)", count: 400_000))
        }
        try settle(desk, laptop)
    }

    @Test func whatBothHadBeforeIsTogetherAfterwards() throws {
        let (desk, laptop) = (try CircleMachine("desk"), try CircleMachine("laptop", clock: 1_800_000_500_000))
        try desk.set("github", "me", "of the desk")
        try desk.set("only", "desk", "1")
        try laptop.set("github", "me", "of the laptop")
        try laptop.set("only", "laptop", "2")
        try desk.found()
        try desk.sync(store)
        try laptop.join(desk)
        try desk.sync(store)
        try settle(laptop, desk)
        #expect(try desk.names == laptop.names)
        #expect(try desk.names == ["github/me", "only/desk", "only/laptop"])
        // The later one is shown by both, and the other is kept.
        #expect(try desk.get("github", "me") == "of the laptop")
        #expect(try laptop.get("github", "me") == "of the laptop")
        let conflicts = try desk.vault.read { (snapshot) throws(VaultError) in
            try desk.vault.view(snapshot, desk.classKeys).1.state.items.map { $0.conflict(in: .field(.secret)).count }
        }
        #expect(conflicts.reduce(0, +) == 1)
    }

    /// To the last byte, and as many attributes as an item has.
    @Test func theLongestTextsTravel() throws {
        let (desk, laptop) = try pair()
        try desk.set("github", "me", "secret")
        let (label, comment) = (
            String(repeating: "l", count: ItemLimits.label), String(repeating: "c", count: ItemLimits.comment)
        )
        var attributes = ["name": String(repeating: "a", count: ItemLimits.attribute - 4)]
        for number in 1..<ItemLimits.attributes { attributes["\(number)"] = "x" }
        try desk.vault.edit(
            desk.vault.find(service: "github", account: "me"),
            changes: MetadataChanges(label: label, comment: comment, attributes: attributes))
        try desk.sync(store)
        try laptop.sync(store)
        let there = try laptop.vault.find(service: "github", account: "me").metadata
        #expect(there.label == label && there.comment == comment && there.attributes == attributes)
    }

    @Test func everyPartTravels() throws {
        let (desk, laptop) = try pair()
        try desk.set("github", "me", "secret")
        try desk.vault.edit(
            desk.vault.find(service: "github", account: "me"),
            changes: MetadataChanges(
                label: "Git", comment: "mine", attributes: ["host": "github.com"], expires: 1_900_000_000_000))
        var seed = ItemDraft(
            service: "github", account: "me", value: try SecretBytes(copying: Array("seed".utf8)), access: .whenUnlocked
        )
        seed.field = .otp
        try desk.vault.set(seed)
        try desk.sync(store)
        try laptop.sync(store)
        let there = try laptop.vault.find(service: "github", account: "me")
        #expect(there.metadata.label == "Git" && there.metadata.comment == "mine")
        #expect(there.metadata.attributes == ["host": "github.com"] && there.metadata.expires == 1_900_000_000_000)
        #expect(
            there.metadata.fields.map(\.name) == [.secret, .otp]
                && there.metadata.fields.map(\.kind) == [.secret, .otp])
        #expect(try laptop.get("github", "me", .otp) == "seed")
        // Each part by itself: here the label, there an attribute, and a field that is removed.
        try desk.vault.edit(
            desk.vault.find(service: "github", account: "me"), changes: MetadataChanges(label: "Octo", expires: 0))
        try laptop.vault.edit(
            laptop.vault.find(service: "github", account: "me"), removing: [.otp],
            changes: MetadataChanges(attributes: ["host": "", "user": "octo"]))
        try settle(desk, laptop)
        for machine in [desk, laptop] {
            let item = try machine.vault.find(service: "github", account: "me")
            #expect(item.metadata.label == "Octo" && item.metadata.expires == nil)
            #expect(item.metadata.attributes == ["user": "octo"] && item.metadata.fields.map(\.name) == [.secret])
        }
    }

    @Test func renamingTravels() throws {
        let (desk, laptop) = try pair()
        try desk.set("github", "me", "1")
        try desk.set("gitlab", "me", "2")
        try settle(desk, laptop)
        // Both names change places.
        for (from, to) in [("github", "other"), ("gitlab", "github"), ("other", "gitlab")] {
            desk.fixture.advance(milliseconds: 1000)
            try desk.vault.rename(desk.vault.find(service: from, account: "me"), service: to, account: "me")
        }
        try settle(desk, laptop)
        #expect(try laptop.get("gitlab", "me") == "1")
        #expect(try laptop.get("github", "me") == "2")
    }

    @Test func theBinTravelsAndSoDoesItsEnd() throws {
        let (desk, laptop) = try pair()
        try desk.set("github", "me", "1")
        try settle(desk, laptop)
        try desk.vault.putAside(service: "github", account: "me")
        try settle(desk, laptop)
        #expect(try laptop.names.isEmpty)
        #expect(try laptop.vault.deletedItems().count == 1)
        try laptop.vault.putBack(service: "github", account: "me")
        try settle(desk, laptop)
        #expect(try desk.get("github", "me") == "1")
        // Deleted for good, and a value that somebody else sets at the same time.
        try desk.set("gitlab", "me", "2")
        try settle(desk, laptop)
        try desk.vault.delete(service: "github", account: "me")
        try desk.vault.delete(service: "gitlab", account: "me")
        try laptop.set("gitlab", "me", "3")
        try settle(desk, laptop)
        for machine in [desk, laptop] {
            #expect(try machine.names == ["gitlab/me"])
            #expect(try machine.get("gitlab", "me") == "3")
            #expect(try machine.vault.deletedItems().isEmpty)
        }
    }

    @Test func sweepingIsNoDeletion() throws {
        let (desk, laptop) = try pair()
        try desk.set("github", "me", "1")
        try desk.set("old", "me", "2")
        try desk.vault.edit(
            desk.vault.find(service: "old", account: "me"), changes: MetadataChanges(expires: 1_800_100_000_000))
        try settle(desk, laptop)
        try desk.vault.putAside(service: "github", account: "me")
        try settle(desk, laptop)
        // The clock of one machine is wrong: it sweeps its bin and what has expired.
        desk.fixture.advance(milliseconds: 400 * 86_400_000)
        #expect(try desk.vault.sweepBin(limit: 10).count == 1)
        #expect(try desk.vault.sweep(expiredBy: desk.vault.now(), limit: 10).count == 1)
        try settle(desk, laptop)
        #expect(try laptop.get("old", "me") == "2")
        #expect(try laptop.vault.deletedItems().count == 1)
    }

    @Test func whatBelongsToOneMachineStaysThere() throws {
        let (desk, laptop) = try pair()
        try desk.set("here", "", "1", .whenUnlocked.thisDeviceOnly)
        try desk.vault.set(
            ItemDraft(
                service: "asked", account: "", value: SecretBytes(copying: [50]),
                access: .whenUnlocked.requiring(.applicationPassword),
                applicationPassword: StretchedPassword(SecretBytes(copying: Array("password".utf8)))))
        try desk.set("always", "", "3", .always)
        try desk.set("early", "", "4", .afterFirstUnlock)
        let taken = try desk.sync(store)
        #expect(taken.obstacles == ["this-device-only": 2, "gated": 1])
        try laptop.sync(store)
        #expect(try laptop.names == ["early"])
        #expect(try laptop.vault.find(service: "early", account: "").access == .afterFirstUnlock)
        // No byte of the others is in the store.
        let all = store.files.values.joined()
        #expect(!Array(all).containsRun(of: Array("here".utf8)))
        // A name that the laptop has for itself stays the laptop's.
        try laptop.set("asked", "", "mine", .whenUnlocked.thisDeviceOnly)
        try desk.set("free", "", "5")
        try settle(desk, laptop)
        #expect(try laptop.get("asked") == "mine")
        #expect(try desk.get("here") == "1")
    }

    @Test func whatIsMadeThisDeviceOnlyLeavesTheOthers() throws {
        let (desk, laptop) = try pair()
        try desk.set("github", "me", "1")
        try settle(desk, laptop)
        try desk.set("github", "me", "2", .whenUnlocked.thisDeviceOnly)
        try settle(desk, laptop)
        #expect(try laptop.names.isEmpty)
        #expect(try laptop.vault.deletedItems().count == 1)
        #expect(try desk.get("github", "me") == "2")
    }

    @Test func anotherClassIsTakenOver() throws {
        let (desk, laptop) = try pair()
        try desk.set("github", "me", "1")
        try settle(desk, laptop)
        let item = try desk.vault.find(service: "github", account: "me")
        let values = try desk.vault.values(of: item, classKeys: desk.classKeys)
        desk.fixture.advance(milliseconds: 1000)
        try desk.vault.reseal(item, values, access: .afterFirstUnlock)
        try settle(desk, laptop)
        #expect(try laptop.vault.find(service: "github", account: "me").access == .afterFirstUnlock)
        #expect(try laptop.get("github", "me") == "1")
    }

    @Test func aNameThatIsTakenWaits() throws {
        let (desk, laptop) = try pair()
        try laptop.set("github", "me", "mine", .whenUnlocked.thisDeviceOnly)
        try desk.set("github", "me", "shared")
        try desk.sync(store)
        let taken = try laptop.sync(store)
        #expect(taken.obstacles == ["this-device-only": 1, "name-taken": 1])
        #expect(try laptop.get("github", "me") == "mine")
        try laptop.vault.rename(
            laptop.vault.find(service: "github", account: "me"), service: "mine", account: "me")
        try settle(desk, laptop)
        #expect(try laptop.get("github", "me") == "shared")
        #expect(try desk.get("github", "me") == "shared")
    }

    @Test func threeMachinesAgree() throws {
        let (desk, laptop) = try pair()
        let phone = try CircleMachine("phone", clock: 1_800_000_900_000)
        try desk.set("a", "", "1")
        try settle(desk, laptop)
        // The laptop's sealer is software, so it adds nobody; the founder does.
        #expect(throws: VaultError.self) { try phone.join(laptop) }
        let request = try phone.request()
        let refusal = #expect(throws: VaultError.self) {
            try laptop.vault.addition(of: request, laptop.classKeys)
        }
        #expect(refusal?.code == .invalidArgument)
        try phone.join(desk)
        try desk.put(store)
        try phone.set("b", "", "2")
        try laptop.set("c", "", "3")
        try settle(phone, laptop, desk)
        for machine in [desk, laptop, phone] {
            #expect(try machine.names == ["a", "b", "c"])
            #expect(try machine.get("a") + machine.get("b") + machine.get("c") == "123")
        }
    }

    // MARK: The store (attacker 10)

    @Test func theStoreReadsNothing() throws {
        let (desk, _) = try pair()
        try desk.set("a service that nobody sees", "an account", "a value that nobody sees")
        try desk.sync(store)
        for file in store.files.values {
            for text in ["a service", "an account", "a value that", "laptop", "desk"] {
                #expect(!file.containsRun(of: Array(text.utf8)))
            }
        }
    }

    @Test func changedBytesAreLeftOut() throws {
        let (desk, laptop) = try pair()
        try desk.set("github", "me", "secret")
        try desk.sync(store)
        let good = store.files
        for path in good.keys.sorted(by: { $0.text < $1.text }) {
            for place in stride(from: 0, to: good[path]?.count ?? 0, by: 97) {
                store.files[path]?[place] ^= 0x40
                let before = try laptop.digest()
                let taken = try laptop.takeIn(store)
                if taken.added > 0 {
                    #expect(try laptop.names == ["github/me"])
                } else {
                    #expect(try laptop.digest() == before)
                }
                store.files = good
            }
        }
        try laptop.sync(store)
        #expect(try laptop.get("github", "me") == "secret")
        _ = try laptop.vault.verify()
    }

    @Test func aWithheldFileHoldsUpOnlyWhatIsInIt() throws {
        let (desk, laptop) = try pair()
        try desk.set("first", "", "1")
        try desk.sync(store)
        let names = Set(store.names)
        try desk.set("second", "", "2")
        try desk.sync(store)
        let second = try #require(store.names.first { !names.contains($0) })
        try desk.set("third", "", "3")
        try desk.sync(store)
        let withheld = store.files.removeValue(forKey: second)
        try laptop.sync(store)
        // What is before the gap is not proven by a head that is here.
        #expect(try laptop.names == ["third"])
        store.files[second] = withheld
        try laptop.sync(store)
        #expect(try laptop.names == ["first", "second", "third"])
        try settle(desk, laptop)
    }

    /// How many heads of a machine's stream a vault keeps.
    private func headCount(of writer: CircleMachine, at machine: CircleMachine) throws -> Int {
        let device = try writer.view().device.id
        return try machine.vault.read { (snapshot) throws(VaultError) in
            try snapshot.circleRows().count { row in if case .head(device, _, _) = row.0 { true } else { false } }
        }
    }

    /// Attacker 10, and any folder that brings a head before its records: what was taken in once stays, however often
    /// the vault looks, and whatever is shown of what follows.
    @Test func aHeadBeforeItsRecordsTakesNothingAway() throws {
        let (desk, laptop) = try pair()
        try desk.set("first", "", "1")
        try settle(desk, laptop)
        let names = Set(store.names)
        try desk.set("second", "", "2")
        try desk.sync(store)
        let second = try #require(store.names.first { !names.contains($0) })
        let withheld = store.files.removeValue(forKey: second)
        try laptop.set("own", "", "4")
        for isReopened in [false, true, false] {
            if isReopened { try laptop.reopen() }
            try laptop.sync(store)
            #expect(try laptop.names == ["first", "own"] && laptop.get("first") == "1")
        }
        #expect(try laptop.vault.deletedItems().isEmpty)
        // It does not say in its own name what the desk has said.
        let (own, other) = (try laptop.view().device.id, try desk.view().device.id)
        func writers() throws -> [String: WriterID] {
            let shown = try laptop.view().state.items.map { ($0.name.service, $0.shown(.field(.secret))?.stamp.writer) }
            return Dictionary(uniqueKeysWithValues: shown).compactMapValues { $0 }
        }
        #expect(try writers() == ["first": other, "own": own])
        // More comes behind the gap, with one head after the other.
        for name in ["third", "fourth"] {
            try desk.set(name, "", "3")
            try desk.sync(store)
            // The desk has put it there again.
            store.files[second] = nil
            for _ in 0..<2 { try laptop.sync(store) }
        }
        #expect(try laptop.names == ["first", "fourth", "own", "third"])
        #expect(try headCount(of: desk, at: laptop) == 2, "one for each side of the gap")
        store.files[second] = withheld
        for _ in 0..<2 { try laptop.sync(store) }
        #expect(try laptop.names == ["first", "fourth", "own", "second", "third"])
        #expect(try headCount(of: desk, at: laptop) == 1)
        try settle(desk, laptop)
        #expect(try desk.names == laptop.names)
    }

    /// Attacker 10: a head that nobody has signed, of the very end of the machine's own.
    @Test func aForgedHeadReplacesNone() throws {
        let (desk, laptop) = try pair()
        try desk.set("first", "", "1")
        try settle(desk, laptop)
        let device = try desk.view().device.id
        let head = try #require(try laptop.view().streams[device]?.newest)
        let forged = SignedHead(head.head, signature: [UInt8](repeating: 1, count: 64))
        // By itself it is left out at once, and beside a file it is compared with what is here.
        for segments in [[], [], [try junk(of: device, for: laptop).bytes]] {
            _ = try laptop.vault.takeIn(heads: [forged.bytes], segments: segments, laptop.classKeys)
            #expect(try laptop.view().streams[device]?.newest == head)
        }
        #expect(try laptop.names == ["first"] && headCount(of: desk, at: laptop) == 1)
    }

    @Test func anotherCirclesFilesAreLeftOut() throws {
        let (desk, laptop) = try pair()
        let other = CircleStore()
        let stranger = try CircleMachine("stranger")
        try stranger.found()
        try stranger.set("evil", "", "1")
        try stranger.sync(other)
        store.files.merge(other.files) { mine, _ in mine }
        try desk.sync(store)
        try laptop.sync(store)
        let taken = try laptop.vault.takeIn(
            heads: other.heads, segments: Array(other.files.values), laptop.classKeys)
        #expect(taken.added == 0)
        #expect(try desk.names.isEmpty && laptop.names.isEmpty)
    }

    /// A file in a device's name that the device has not written.
    private func junk(of device: WriterID, for machine: CircleMachine) throws -> RecordSegment {
        let view = try machine.view()
        return try RecordSegment(
            before: #require(ChainHash(bytes: [UInt8](repeating: 1, count: 32))),
            records: [
                CircleRecord(
                    CircleRecord.Header(
                        circle: view.device.circle, device: device,
                        run: #require(RunID(bytes: [UInt8](repeating: 2, count: 16))), number: 9,
                        generation: view.present?.name), sealed: [UInt8](repeating: 3, count: 92))
            ])
    }

    @Test func aStoreFillsNoVault() throws {
        let (desk, laptop) = try pair()
        try desk.set("github", "me", "1")
        try settle(desk, laptop)
        let rows = try laptop.rowCount()
        // Segments and heads that no member has signed, under members' names.
        let stranger = try CircleMachine("stranger")
        try stranger.found()
        let other = CircleStore()
        try stranger.sync(other)
        let view = try laptop.view()
        let desksID = try #require(view.membership.members.map(\.keys.device).first { $0 != view.device.id })
        let junk = try junk(of: desksID, for: laptop)
        for _ in 0..<5 {
            _ = try laptop.vault.takeIn(heads: store.heads, segments: [junk.bytes], laptop.classKeys)
            _ = try laptop.vault.takeIn(heads: other.heads, segments: Array(other.files.values), laptop.classKeys)
            _ = try laptop.vault.takeIn(heads: store.heads, segments: Array(store.files.values), laptop.classKeys)
        }
        #expect(try laptop.rowCount() == rows)
    }

    // MARK: Rollback (attacker 5)

    @Test func aVaultThatWasPutBackTakesItsOwnIn() throws {
        let (desk, laptop) = try pair()
        try settle(desk, laptop)
        let copy = try desk.copy()
        try desk.set("github", "me", "1")
        try settle(desk, laptop)
        let again = try desk.restored(copy)
        #expect(try again.names.isEmpty)
        try again.sync(store)
        #expect(try again.get("github", "me") == "1")
        try again.set("gitlab", "me", "2")
        try settle(again, laptop)
        #expect(try laptop.get("gitlab", "me") == "2")
    }

    /// The files of a run are missing. The run after it shows where that was left, and so the one before counts.
    @Test func aRunLeadsPastTheRunBeforeIt() throws {
        let (desk, laptop) = try pair()
        try settle(desk, laptop)
        var runs: [[StorePath]] = []
        for name in ["first", "second", "third"] {
            let before = Set(store.names)
            try desk.reopen()
            try desk.set(name, "", "1")
            try desk.sync(store)
            runs.append(store.names.filter { !before.contains($0) })
        }
        let hidden = store.files.filter { runs[1].contains($0.key) }
        try #require(!hidden.isEmpty)
        for path in hidden.keys { store.files[path] = nil }
        try laptop.takeIn(store)
        #expect(try laptop.names == ["first", "third"])
        store.files.merge(hidden) { $1 }
        try laptop.takeIn(store)
        #expect(try laptop.names == ["first", "second", "third"])
    }

    /// Two copies of one vault write at the same time.
    @Test func aCloneGivesNothingOut() throws {
        let (desk, laptop) = try pair()
        try settle(desk, laptop)
        let copy = try desk.copy()
        try desk.set("github", "me", "1")
        try desk.sync(store)
        let clone = try desk.restored(copy)
        try clone.set("gitlab", "me", "2")
        // It is shown what the other copy wrote, takes it in, and goes on behind it. Nothing is lost.
        try clone.sync(store)
        #expect(try clone.names == ["github/me", "gitlab/me"])
        try laptop.sync(store)
        #expect(try laptop.names == ["github/me", "gitlab/me"])
    }

    /// An index of SQLite's may have equal entries, and reads like the table. So the number of rows stays.
    @Test func aRowThatStandsInForAnotherIsDamage() throws {
        let (desk, laptop) = try pair()
        try desk.set("github", "me", "1")
        try settle(desk, laptop)
        try laptop.vault.close()
        try laptop.fixture.tamper { database in
            for sql in [
                "PRAGMA writable_schema = ON",
                """
                CREATE TABLE plain AS SELECT id, content FROM circle \
                WHERE id <> (SELECT id FROM circle WHERE substr(id, 1, 1) = x'06' ORDER BY id LIMIT 1)
                """,
                "INSERT INTO plain SELECT id, content FROM circle WHERE id = x'03'",
                "CREATE INDEX doubled ON plain (id, content)",
                """
                UPDATE sqlite_schema SET rootpage = (SELECT rootpage FROM sqlite_schema WHERE name = 'doubled') \
                WHERE name = 'circle'
                """,
                "DELETE FROM sqlite_schema WHERE name IN ('plain', 'doubled')",
            ] { try database.once(sql) }
        }
        let opened = try laptop.fixture.open()
        #expect(vaultError { _ = try opened.circleState(laptop.classKeys) } == .damaged)
        #expect(vaultError { _ = try opened.verify() } == .damaged)
        try opened.close()
    }

    @Test func aRowThatIsMissingIsDamage() throws {
        let (desk, laptop) = try pair()
        try desk.set("github", "me", "1")
        try settle(desk, laptop)
        for sql in [
            "DELETE FROM circle WHERE substr(id, 1, 1) = x'06'", "DELETE FROM circle WHERE substr(id, 1, 1) = x'07'",
            "DELETE FROM circle", "UPDATE circle SET content = x'00' WHERE id = x'01'",
            "UPDATE circle SET id = x'0800000000000000ff' WHERE id = x'03'",
            "INSERT INTO circle (id, content) VALUES (x'0800000000000000ff', x'00')",
            "INSERT INTO circle (id, content) VALUES (x'0d', x'00')",
            // One segment in another's place.
            """
            UPDATE circle SET content = (SELECT content FROM circle WHERE substr(id, 1, 1) = x'06' ORDER BY id LIMIT 1) \
            WHERE id = (SELECT id FROM circle WHERE substr(id, 1, 1) = x'06' ORDER BY id DESC LIMIT 1)
            """,
        ] {
            let copy = try laptop.copy()
            try laptop.vault.close()
            try laptop.fixture.tamper { try $0.once(sql) }
            let opened = try laptop.fixture.open()
            #expect(throws: VaultError.self, "\(sql)") { try opened.circleState(laptop.classKeys) }
            #expect(throws: VaultError.self, "\(sql)") { try opened.verify() }
            try opened.close()
            try laptop.put(copy)
            try laptop.reopen()
        }
        _ = try laptop.vault.verify()
    }

    // MARK: Members (attackers 11 and 13)

    /// A member that writes in another's name, and one that gives a value with another key.
    @Test func aMemberWritesInItsOwnNameOnly() throws {
        let (desk, laptop) = try pair()
        try desk.set("github", "me", "1")
        try settle(desk, laptop)
        let (view, item) = try laptop.vault.read { (snapshot) throws(VaultError) in
            let view = try laptop.vault.view(snapshot, laptop.classKeys).1
            return (view, view.state.items[0])
        }
        let desksID = try #require(view.membership.members.map(\.keys.device).first { $0 != view.device.id })
        let forged = try PartWriter(view.state, writer: desksID, now: 1_900_000_000_000)
            .set(.label, of: item, to: .text(Array("forged".utf8)))
        let own = try PartWriter(view.state, writer: view.device.id, now: 1_900_000_000_000)
            .set(.comment, of: item, to: .text(Array("own".utf8)))
        try laptop.give([.changes([CarriedChange(forged), CarriedChange(own)])])
        try laptop.put(store)
        try desk.sync(store)
        let there = try desk.vault.find(service: "github", account: "me")
        #expect(there.metadata.label == nil && there.metadata.comment == "own")
    }

    @Test func aValueThatDoesNotOpenIsItsWritersFault() throws {
        let (desk, laptop) = try pair()
        try desk.set("github", "me", "1")
        try settle(desk, laptop)
        let (view, item) = try laptop.vault.read { (snapshot) throws(VaultError) in
            let view = try laptop.vault.view(snapshot, laptop.classKeys).1
            return (view, view.state.items[0])
        }
        let shown = try #require(item.shown(.field(.secret)))
        let (good, generation) = try #require(
            try laptop.vault.read { (snapshot) throws(VaultError) in
                try laptop.vault.view(snapshot, laptop.classKeys).1.value(of: shown)
            })
        #expect(generation == view.present?.name)
        var junk = good.sealed
        junk[20] ^= 1
        let slot: ValueSlot = .members(
            .whenUnlocked, ephemeral: [UInt8](repeating: 9, count: 32), wrappedKey: [UInt8](repeating: 8, count: 60))
        for (turn, (sealed, slots, commitment)) in [
            (junk, good.slots, good.commitment), (good.sealed, [slot], good.commitment),
            (good.sealed, good.slots, [UInt8](repeating: 7, count: 32)),
        ].enumerated() {
            let value = try CarriedValue(
                kind: .secret, item: good.item, commitment: commitment, slots: slots, sealed: sealed)
            let field = try #require(
                SealedField(
                    revision: [UInt8](repeating: UInt8(turn + 1), count: 16),
                    digest: SHA256.digest(sealed), access: .whenUnlocked))
            let change = try PartWriter(view.state, writer: view.device.id, now: 1_900_000_000_000 + UInt64(turn))
                .set(.field(.secret), of: item, to: .value(field))
            try laptop.give([.changes([CarriedChange(change, value)])])
            try laptop.put(store)
            let names = store.names.count
            let taken = try desk.sync(store)
            #expect(taken.obstacles["unreadable"] == 1)
            // It does not take what it has for a change of its own.
            #expect(store.names.count == names)
            // What is there stays, and nothing is damaged or removed from the others.
            #expect(try desk.get("github", "me") == "1")
            _ = try desk.vault.verify()
        }
        // Later than what the laptop says for itself.
        desk.fixture.clock.withLock { $0 = 1_950_000_000_000 }
        try desk.set("github", "me", "2")
        try settle(desk, laptop)
        #expect(try laptop.get("github", "me") == "2")
    }

    /// A member that says of a guarded value that everybody may read it, and one that takes a value's place.
    @Test func aValueIsTakenForWhatItIsOnly() throws {
        let (desk, laptop) = try pair()
        try desk.set("github", "me", "1")
        try desk.set("mine", "", "2", .whenUnlocked.thisDeviceOnly)
        try settle(desk, laptop)
        let (writer, item, view) = try laptop.writer()
        let shown = try #require(item.shown(.field(.secret)))
        let (good, _) = try #require(
            try laptop.vault.read { (snapshot) throws(VaultError) in
                try laptop.vault.view(snapshot, laptop.classKeys).1.value(of: shown)
            })
        let mine = try desk.vault.read { (snapshot) throws(VaultError) in
            try snapshot.value(of: snapshot.items(service: "mine")[0]).field
        }
        for (revision, access) in [
            ([UInt8](repeating: 5, count: 16), AccessControl.whenUnlocked.requiring(.userPresence)),
            (mine.revision.bytes, .whenUnlocked),
        ] {
            let context = FieldContext(
                vault: laptop.fixture.record.vault, item: try #require(ItemID(bytes: good.item.bytes)), field: .secret,
                access: access, seal: .third(try #require(RevisionID(bytes: revision))),
                name: ItemName(service: "github", account: "me"))
            let key = try SecretBytes.random(count: 32)
            let sealed = try context.seal(SecretBytes(copying: Array("forged".utf8)), key: key)
            let open = FieldContext(
                vault: context.vault, item: context.item, field: .secret, access: .whenUnlocked, seal: context.seal,
                name: context.name)
            let slots = try [context, open].map { try slot(key, $0, revision, view) }
            let value = try CarriedValue(
                kind: .secret, item: good.item, commitment: context.commitment(to: key), slots: slots, sealed: sealed)
            let field = try #require(
                SealedField(revision: revision, digest: SHA256.digest(sealed), access: access))
            let change = try writer.set(.field(.secret), of: item, to: .value(field))
            try laptop.give([.changes([CarriedChange(change, value)])])
            try laptop.put(store)
            let taken = try desk.takeIn(store)
            // A slot for all members is none for a value that asks a person.
            // Which of the two is shown is decided by their names.
            let kinds = ["unreadable", "not-released", "undecided"]
            #expect(kinds.reduce(0) { $0 + (taken.obstacles[$1] ?? 0) } == 1)
            #expect(try desk.get("github", "me") == "1")
            #expect(try desk.get("mine") == "2")
            _ = try desk.vault.verify()
        }
    }

    private func slot(
        _ key: SecretBytes, _ context: FieldContext, _ revision: [UInt8], _ view: CircleView
    ) throws -> ValueSlot {
        let present = try #require(view.present)
        let slot = MembersSlot(
            circle: view.device.circle, generation: present.name, value: context,
            revision: try #require(RevisionID(bytes: revision)))
        let half = Array(present.publicHalves.prefix(32))
        let ephemeral = try X25519.PrivateKey.generate()
        let info = slot.info(.whenUnlocked, half, ephemeral.publicKey)
        return .members(
            .whenUnlocked, ephemeral: ephemeral.publicKey,
            wrappedKey: try AESGCM.seal(key, key: Agreement.key(ephemeral, half, info), associatedData: info))
    }

    /// A member that could show each machine another value, by another key, and one whose value opens nowhere.
    @Test func aValueIsTheOneThatItsKeyCommitsTo() throws {
        let (desk, laptop) = try pair()
        try desk.set("github", "me", "1")
        try settle(desk, laptop)
        let (writer, item, view) = try laptop.writer()
        let shown = try #require(item.shown(.field(.secret)))
        let id = try #require(try view.value(of: shown)).value.item
        for (turn, isCommitted) in [(UInt8(1), false), (2, true)] {
            let revision = [UInt8](repeating: turn, count: 16)
            let context = FieldContext(
                vault: laptop.fixture.record.vault, item: try #require(ItemID(bytes: id.bytes)), field: .secret,
                access: .whenUnlocked, seal: .third(try #require(RevisionID(bytes: revision))),
                name: ItemName(service: "github", account: "me"))
            let (key, other) = (try SecretBytes.random(count: 32), try SecretBytes.random(count: 32))
            var sealed = try context.seal(SecretBytes(copying: Array("forged".utf8)), key: key)
            if isCommitted { sealed[20] ^= 1 }
            let value = try CarriedValue(
                kind: .secret, item: id, commitment: context.commitment(to: isCommitted ? key : other),
                slots: [slot(key, context, revision, view)], sealed: sealed)
            let field = try #require(
                SealedField(revision: revision, digest: SHA256.digest(sealed), access: .whenUnlocked))
            let change = try writer.set(.field(.secret), of: item, to: .value(field))
            try laptop.give([.changes([CarriedChange(change, value)])])
            try laptop.put(store)
            #expect(try desk.takeIn(store).obstacles["unreadable"] == 1, "\(turn)")
            #expect(try desk.get("github", "me") == "1")
            _ = try desk.vault.verify()
        }
    }

    /// A member that gives an item the id of one that stays on another machine.
    @Test func anItemThatStaysIsNotTouched() throws {
        let (desk, laptop) = try pair()
        try desk.set("mine", "", "2", .whenUnlocked.thisDeviceOnly)
        try laptop.set("other", "", "3")
        try settle(desk, laptop)
        let (_, item, view) = try laptop.writer()
        let id = try #require(SharedItemID(bytes: try desk.vault.find(service: "mine", account: "").id.bytes))
        guard case .value(let field)? = item.shown(.field(.secret))?.content,
            let (value, _) = try view.value(of: try #require(item.shown(.field(.secret))))
        else { return #expect(Bool(false)) }
        let writer = PartWriter(view.state, writer: view.device.id, now: 1_900_000_000_000)
        let changes = try writer.create(
            id, ItemName(service: "theirs", account: ""), .whenUnlocked, [(.secret, field)])
        try laptop.give([
            .changes(try changes.map { try CarriedChange($0, $0.part == .field(.secret) ? value : nil) })
        ])
        try laptop.put(store)
        try desk.sync(store)
        #expect(try desk.get("mine") == "2")
        #expect(try desk.names == ["mine", "other"])
        // Neither does its end touch it.
        let gone = try #require(try laptop.view().state.item(id))
        try laptop.give([.changes(try writer.delete(gone).map { try CarriedChange($0) })])
        try laptop.put(store)
        try desk.sync(store)
        #expect(try desk.get("mine") == "2")
    }

    @Test func aReaderChangesNothing() throws {
        let (desk, laptop) = try pair()
        let server = try CircleMachine("server")
        try desk.set("github", "me", "1")
        try desk.sync(store)
        try server.vault.enter(desk.add(server.request(), as: .reader), server.profile, server.classKeys)
        try desk.put(store)
        try server.sync(store)
        #expect(try server.get("github", "me") == "1")
        #expect(throws: VaultError.self) { try server.set("github", "me", "2") }
        try server.sync(store)
        // It gives nothing out by itself, and a broker that was taken over gives it out in vain.
        let (writer, item, _) = try server.writer()
        try server.give([
            .changes([CarriedChange(try writer.set(.label, of: item, to: .text(Array("forged".utf8))))])
        ])
        try server.put(store)
        try desk.sync(store)
        try laptop.sync(store)
        #expect(try desk.get("github", "me") == "1")
        #expect(try desk.vault.find(service: "github", account: "me").metadata.label == nil)
        #expect(try laptop.names == ["github/me"])
    }

    /// A member that writes a statement down with a signature of its own, before its signer gives it out.
    @Test func aForgedSignatureDoesNotHoldUpAStatement() throws {
        var (desk, laptop) = try pair()
        // Records are read in the order of their writers' ids. The forged one comes first.
        while try desk.view().device.id < laptop.view().device.id {
            store.files = [:]
            (desk, laptop) = try pair()
        }
        let phone = try CircleMachine("phone")
        try settle(desk, laptop)
        let request = try phone.request()
        let statement = try #require(try desk.vault.addition(of: request, desk.classKeys))
        try laptop.give([.statement(SignedStatement(statement, signature: [UInt8](repeating: 1, count: 64)))])
        try laptop.put(store)
        try desk.sync(store)
        #expect(try desk.view().membership.members.count == 2)
        // The person agrees to the very same statement.
        try desk.agree(to: statement, of: request)
        try phone.vault.enter(desk.vault.answer(request, desk.classKeys), phone.profile, phone.classKeys)
        try desk.put(store)
        try settle(desk, laptop, phone)
        for machine in [desk, laptop, phone] { #expect(try machine.view().membership.members.count == 3) }
    }

    /// A member that makes keys which open at nobody but itself.
    @Test func keysThatDoNotOpenAreNotUsed() throws {
        let (desk, laptop) = try pair()
        try settle(desk, laptop)
        let view = try laptop.view()
        let members = view.membership.members.map(\.keys.device)
        var forged: KeyGeneration
        var number: UInt8 = 0
        repeat {
            number += 1
            forged = try KeyGeneration(
                circle: view.device.circle, maker: view.device.id, removals: view.membership.removalsDigest,
                publicHalves: [UInt8](repeating: number, count: KeyGeneration.publicCount),
                receivers: members.map {
                    try .init($0, sealed: [UInt8](repeating: number, count: KeyGeneration.Receiver.sealedCount))
                })
        } while try forged.name > #require(view.present).name && number < 255
        try laptop.give([.generation(forged)])
        try laptop.put(store)
        _ = try desk.takeIn(store)
        try desk.set("github", "me", "1")
        _ = try desk.takeIn(store)
        #expect(try desk.view().halves[forged.name] == nil)
        guard try desk.view().present == forged else { return }
        #expect(throws: VaultError.self) { try desk.vault.giveOut(heads: store.heads, desk.classKeys) }
    }

    /// What one machine asks its person for, the others ask for, too.
    @Test func aPersonIsAskedEverywhereOnceOneAsks() throws {
        let (desk, laptop) = try pair()
        try desk.set("github", "me", "1")
        try settle(desk, laptop)
        let item = try desk.vault.find(service: "github", account: "me")
        desk.fixture.advance(milliseconds: 1000)
        try desk.vault.reseal(
            item, desk.vault.values(of: item, classKeys: desk.classKeys),
            access: .whenUnlocked.requiring(.userPresence))
        try settle(desk, laptop)
        let there = try laptop.vault.find(service: "github", account: "me")
        #expect(there.access == .whenUnlocked.requiring(.userPresence))
        #expect(throws: VaultError.self) { try laptop.get("github", "me") }
        let value = try laptop.fixture.value(laptop.vault, "github", "me")
        #expect(value == Array("1".utf8))
        try desk.set("github", "me", "2", .whenUnlocked.requiring(.userPresence))
        try settle(desk, laptop)
        #expect(try laptop.fixture.value(laptop.vault, "github", "me") == Array("2".utf8))
    }

    @Test func aHeadThatIsNotSignedIsNotStored() throws {
        let (desk, _) = try pair()
        try desk.set("github", "me", "1")
        _ = try desk.takeIn(store)
        let prepared = try #require(try desk.vault.giveOut(heads: store.heads, desk.classKeys))
        #expect(throws: VaultError.self) {
            try desk.vault.commit(prepared, signature: [UInt8](repeating: 1, count: 64))
        }
        try desk.commit(prepared)
        // And not twice.
        #expect(throws: VaultError.self) { try desk.commit(prepared) }
    }

    @Test func aVaultThatWasPutBackGivesNothingOutBeforeItTookItsOwnIn() throws {
        let (desk, laptop) = try pair()
        try settle(desk, laptop)
        let copy = try desk.copy()
        try desk.set("github", "me", "1")
        try settle(desk, laptop)
        let again = try desk.restored(copy)
        try again.set("gitlab", "me", "2")
        #expect { try again.vault.giveOut(heads: store.heads, again.classKeys) } throws: { error in
            (error as? VaultError)?.code == .changed
        }
    }

    @Test func aVaultKeepsSoMuchOfACircleAndNoMore() throws {
        let (desk, laptop) = try pair()
        for number in 0..<30 { try desk.set("service", "\(number)", String(repeating: "x", count: 1000)) }
        try desk.sync(store)
        try laptop.vault.close()
        let small = try OpenVault(
            directory: laptop.fixture.folder.path, record: laptop.fixture.record, sealer: laptop.fixture.sealer,
            now: { 1_800_000_600_000 }, logLimit: AccessLogLimits.size, room: Room(circle: 20_000))
        #expect {
            try small.takeIn(heads: store.heads, segments: Array(store.files.values), laptop.classKeys)
        } throws: {
            ($0 as? VaultError)?.code == .limitExceeded
        }
        #expect(try small.list().isEmpty)
        _ = try small.verify()
        try small.close()
        try laptop.reopen()
        try laptop.sync(store)
        #expect(try laptop.names.count == 30)
    }

    /// Texts and attributes that are more than an item can have, from a member without limits.
    @Test func whatIsMoreThanAnItemCanHaveStaysInTheCircle() throws {
        let (desk, laptop) = try pair()
        try desk.set("github", "me", "1")
        try settle(desk, laptop)
        let (writer, item, _) = try laptop.writer()
        var changes = [
            try writer.set(.label, of: item, to: .text([UInt8](repeating: 0x61, count: 4000))),
            try writer.set(.comment, of: item, to: .text(Array("short".utf8))),
        ]
        for number in 0..<200 {
            changes.append(
                try PartChange(
                    item: item.id, part: .attribute(Array("a\(number)".utf8)),
                    stamp: PartStamp(at: 1_900_000_000_000, replacing: [], writer: writer.writer), replacing: [],
                    content: .text(Array("v".utf8))))
        }
        try laptop.give([.changes(try changes.map { try CarriedChange($0) })])
        try laptop.put(store)
        try desk.sync(store)
        let there = try desk.vault.find(service: "github", account: "me").metadata
        #expect(there.attributes.count == ItemLimits.attributes && there.label == nil && there.comment == "short")
        // Nothing of it was removed from the others.
        let digest = try desk.digest()
        try desk.sync(store)
        #expect(try desk.digest() == digest)
        #expect(try desk.view().state.items[0].parts.count > 200)
    }

    @Test func aStrangersRequestAndAnswerAreNobodys() throws {
        let (desk, _) = try pair()
        let (one, two) = (try CircleMachine("one"), try CircleMachine("two"))
        let (first, second) = (try one.request(), try two.request())
        let answer = try desk.add(first)
        // The answer is for the first machine alone. Nobody is asked about it at another one.
        #expect(throws: VaultError.self) { try two.vault.members(by: answer) }
        #expect(throws: VaultError.self) { try two.vault.enter(answer, two.profile, two.classKeys) }
        try one.vault.enter(answer, one.profile, one.classKeys)
        // Nobody is asked twice for one machine, and it gets the same keys.
        #expect(try desk.vault.addition(of: first, desk.classKeys) == nil)
        #expect(throws: VaultError.self) { try desk.vault.answer(second, desk.classKeys) }
        #expect(throws: VaultError.self) { try one.vault.enter(answer, one.profile, one.classKeys) }
    }

    @Test func aLockedVaultGivesNothingAndTakesNothing() throws {
        let (desk, laptop) = try pair()
        try desk.set("github", "me", "1")
        try desk.sync(store)
        let keys = laptop.classKeys
        laptop.classKeys = laptop.vault.alwaysKeys
        #expect(throws: VaultError.self) { try laptop.takeIn(store) }
        #expect(throws: VaultError.self) { try laptop.vault.signatory(laptop.classKeys) }
        #expect(throws: VaultError.self) { try laptop.vault.newCircleSecrets(laptop.classKeys) }
        // Who is in it can be seen.
        #expect(try laptop.vault.circleState(laptop.classKeys)?.machines.count == 2)
        laptop.classKeys = keys
        try laptop.sync(store)
        #expect(try laptop.get("github", "me") == "1")
    }

    @Test func aStopAfterAnyStepLosesNothing() throws {
        let (desk, laptop) = try pair()
        try desk.set("github", "me", "1")
        // The head was not signed.
        _ = try desk.takeIn(store)
        _ = try desk.vault.giveOut(heads: store.heads, desk.classKeys)
        try desk.reopen()
        // Nothing was written to the store.
        _ = try desk.takeIn(store)
        if let prepared = try desk.vault.giveOut(heads: store.heads, desk.classKeys) { try desk.commit(prepared) }
        try desk.reopen()
        try laptop.sync(store)
        #expect(try laptop.names.isEmpty)
        try desk.sync(store)
        try laptop.sync(store)
        #expect(try laptop.get("github", "me") == "1")
        try settle(desk, laptop)
    }

    @Test func manyItemsTravel() throws {
        let (desk, laptop) = try pair()
        for number in 0..<300 { try desk.set("service", "\(number)", String(repeating: "x", count: 3000)) }
        try desk.sync(store)
        let taken = try laptop.sync(store)
        #expect(taken.added == 300)
        try settle(desk, laptop)
    }
}

extension [UInt8] {
    fileprivate func containsRun(of other: [UInt8]) -> Bool {
        guard count >= other.count else { return false }
        return (0...count - other.count).contains {
            self[$0] == other[0] && self[$0..<$0 + other.count].elementsEqual(other)
        }
    }
}
