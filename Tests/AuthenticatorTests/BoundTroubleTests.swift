import Authorization
import BrokerProtocol
import Cryptography
import Foundation
import Platform
import TestSupport
import Testing
import Varlink

@testable import Authenticator

/// A bound vault whose broker or TPM refuses: what the person is told, and that nothing goes on.
@Suite(.timeLimit(.minutes(30))) struct BoundTroubleTests {
    private static let salt = [UInt8](repeating: 9, count: 16)
    private static let policy = Base64.encode([UInt8](repeating: 3, count: 32))
    private static let refusal = Varlink.encode(Fault(.brokerFailed, "no"))
    private static let success = Varlink.encode(VarlinkReply(Nothing()))

    private static func name(_ byte: UInt8) -> String { Base64.encode([0, 11] + [UInt8](repeating: byte, count: 32)) }

    private func fixture(
        bound: Bool = true, _ purposes: [Keychain.Purpose] = [.unlock], _ kinds: [String] = ["unlock"]
    ) throws -> Fixture {
        let index = try #require(IndexPin(handle: 0x01B0_C000, policy: [UInt8](repeating: 3, count: 32)))
        let binding = try #require(BindingPin(index: index, salt: Self.salt, cost: 15))
        let fixture = try Fixture(
            .init(
                changeRecord: { record in
                    let sealed = record.sealedByTPM
                    guard bound, let root = sealed.objects[.unlockRoot] else { return sealed }
                    return sealed.with(binding: binding, unlockRoot: root)
                },
                prepare: { path in
                    try FileManager.default.copyItem(
                        atPath: "\(path)/pam/coffer", toPath: "\(path)/pam/coffer-passcode")
                }))
        fixture.ask(for: purposes, kinds)
        fixture.broker.change { script in
            script.resealed = BrokerInterface.Reseal.Reply(
                name: Self.name(0x77),
                index: purposes == [.unbind]
                    ? nil : BrokerInterface.PINIndex(handle: 0x01B0_C001, policy: Self.policy))
        }
        return fixture
    }

    /// A broker whose TPM refuses the first passwords, as many as given.
    private func refuse(_ count: Int, on fixture: Fixture, left: Int64?) {
        let bytes = Varlink.encode(
            Fault(.brokerTPM, .init(message: "wrong", kind: "wrong-password", code: 1, triesLeft: left)))
        fixture.broker.change { $0.refusedCompletions = [[UInt8]](repeating: bytes, count: count) }
    }

    /// Answers each hidden question with the next word, and gives up if there is none.
    private func converse(_ fixture: Fixture, _ words: String...) throws -> (Result<TestClient.Step, Fault>, [String]) {
        var client = try fixture.client()
        var (words, texts) = (words, [String]())
        var step = try client.begin()
        while case .success(let now) = step, let message = now.message, !now.done {
            texts.append(message.text.unbroken)
            let hidden = message.style == .secret
            if hidden, words.isEmpty {
                _ = try client.cancel()
                return (step, texts)
            }
            step = try client.go(hidden ? words.removeFirst() : nil)
        }
        return (step, texts)
    }

    private func expectUnchanged(_ fixture: Fixture, _ location: SourceLocation = #_sourceLocation) throws {
        let record = try fixture.registry.record(for: .user(fixture.account.uid))
        #expect(record == fixture.record, sourceLocation: location)
        #expect(!fixture.broker.calls.contains("AdoptRoots"), sourceLocation: location)
    }

    @Test(
        arguments: [
            (nil, "counts wrong passwords"), (1, "allows one more wrong password"),
            (2, "allows 2 more wrong passwords"),
        ] as [(Int64?, String)])
    func thePersonIsToldHowManyTriesAreLeft(left: Int64?, words: String) throws {
        let fixture = try fixture()
        refuse(2, on: fixture, left: left)
        let (refused, texts) = try converse(fixture, Fixture.password, "nor this")
        #expect(texts.contains { $0.contains("The TPM \(words). Type the former password") }, "\(texts)")
        let message = refused.fault?.details.message ?? ""
        #expect(message.hasSuffix("the TPM \(words)"), "\(message)")
    }

    // MARK: Tries at the TPM

    /// A program that answers gives the same password to both questions, at each request.
    @Test(arguments: [nil, 4] as [UInt8?]) func thePresentPasswordIsNotTriedAsTheFormerOne(key: UInt8?) throws {
        let fixture = try fixture()
        let key = key.map { Base64.encode([UInt8](repeating: $0, count: 32)) }
        fixture.broker.change { $0.facts.passwordKey = key }
        refuse(30, on: fixture, left: 9)
        for _ in 0..<9 {
            let fault = try #require(try converse(fixture, Fixture.password, Fixture.password).0.fault)
            #expect(fault.details.reason == "bound-password", "\(fault)")
            #expect(fault.details.message?.contains("that is your present login password") == true, "\(fault)")
            #expect(fault.details.advice?.contains("type the former password") == true, "\(fault)")
        }
        // Only the present password itself was tried.
        #expect(fixture.broker.completions.count == 1)
        try expectUnchanged(fixture)
    }

    @Test(arguments: [Keychain.Purpose.unlock, .unbind, .rotate])
    func aFormerPasswordIsTriedOnce(purpose: Keychain.Purpose) throws {
        let fixture = try fixture([purpose])
        let key = Base64.encode([UInt8](repeating: 4, count: 32))
        fixture.broker.change { $0.facts.passwordKey = key }
        refuse(30, on: fixture, left: 8)
        #expect(try converse(fixture, Fixture.password, "one").0.fault?.details.reason == "bound-password")
        #expect(fixture.broker.completions.count == 2)
        for _ in 0..<2 {
            let fault = try #require(try converse(fixture, Fixture.password, "one").0.fault)
            #expect(fault.details.reason == "bound-password", "\(fault)")
            #expect(fault.details.message?.contains("was tried before") == true, "\(fault)")
        }
        #expect(fixture.broker.completions.count == 2)
        // Another one is tried.
        #expect(try converse(fixture, Fixture.password, "two").0.fault?.details.reason == "bound-password")
        #expect(fixture.broker.completions.count == 3)
        try expectUnchanged(fixture)
    }

    @Test func anEmptyFormerPasswordIsNotTried() throws {
        let fixture = try fixture()
        refuse(30, on: fixture, left: 8)
        #expect(try converse(fixture, Fixture.password, "").0.fault != nil)
        #expect(fixture.broker.completions.count == 1)
        try expectUnchanged(fixture)
    }

    @Test func withNoTryLeftNobodyIsAskedForTheFormerPassword() throws {
        let fixture = try fixture()
        refuse(2, on: fixture, left: 0)
        let (refused, texts) = try converse(fixture, Fixture.password, "before")
        let fault = try #require(refused.fault)
        #expect(!texts.contains("Former password: "), "\(texts)")
        #expect(fault.details.message?.contains("accepts no more tries") == true, "\(fault)")
        #expect(fault.details.advice?.contains("coffer recovery restore") == true, "\(fault)")
        #expect(fixture.broker.completions.count == 1)
        try expectUnchanged(fixture)
    }

    @Test func withNoTryLeftNobodyIsToldToTryAgain() throws {
        let fixture = try fixture()
        let answers = ([1, 0] as [Int64]).map { left in
            Varlink.encode(
                Fault(.brokerTPM, .init(message: "wrong", kind: "wrong-password", code: 1, triesLeft: left)))
        }
        fixture.broker.change { $0.refusedCompletions = answers }
        let fault = try #require(try converse(fixture, Fixture.password, "before").0.fault)
        #expect(fault.details.message?.hasSuffix("the TPM accepts no more tries") == true, "\(fault)")
        #expect(fault.details.advice?.contains("coffer recovery restore") == true, "\(fault)")
        #expect(fault.details.advice?.contains("try again") == false, "\(fault)")
    }

    @Test func whatTheTPMDoesNotReleaseIsNotBound() throws {
        let fixture = try fixture(bound: false, [.bind])
        fixture.broker.change { $0.refusedCompletions = [Self.refusal] }
        #expect(try converse(fixture, Fixture.password).0.name == .notCompleted)
        #expect(!fixture.broker.calls.contains("Reseal"))
        try expectUnchanged(fixture)
    }

    @Test func aSignatureThatIsRefusedAfterOpeningIsSaid() throws {
        let fixture = try fixture([.unlock, .read], ["unlock", "presence"])
        fixture.broker.change { $0.refusedCompletions = [Self.success, Self.refusal] }
        #expect(try converse(fixture, Fixture.password).0.name == .notCompleted)
        #expect(fixture.broker.completions.count == 2)
    }

    /// Goes on until a message has these words, and gives up there.
    private func giveUp(_ fixture: Fixture, at words: String, _ answers: String...) throws -> [String] {
        var client = try fixture.client()
        var (answers, texts) = (answers, [String]())
        var message = try client.begin().message
        while let now = message {
            texts.append(now.text.unbroken)
            if now.text.unbroken.contains(words) { break }
            message = try client.go(now.style == .secret ? answers.removeFirst() : nil).message
        }
        #expect(try client.cancel() == .success(Nothing()))
        #expect(try client.seesEnd())
        return texts
    }

    /// The vault is bound anew by then, and only the item is not read.
    @Test func whoGivesUpAfterTheNewBindingReadsNothing() throws {
        let fixture = try fixture([.unlock, .read], ["unlock", "presence"])
        refuse(1, on: fixture, left: 8)
        let words = "Your vault is now bound to the new password."
        #expect(try giveUp(fixture, at: words, Fixture.password, "before").last == words)
        #expect(fixture.broker.completions.count == 2 && fixture.broker.calls.contains("AdoptRoots"))
        #expect(eventually { fixture.broker.refusals == ["cancelled"] })
    }

    @Test func whoGivesUpBeforeTheFormerPasswordIsNotAskedForIt() throws {
        let fixture = try fixture()
        refuse(1, on: fixture, left: 8)
        #expect(try giveUp(fixture, at: "was changed", Fixture.password).count == 3)
        #expect(fixture.broker.completions.count == 1)
        try expectUnchanged(fixture)
    }

    /// A broker that names a present object as the vault's new root.
    @Test func aLieAboutTheNewRootIsNotTold() throws {
        let fixture = try fixture()
        let taken = Base64.encode(try #require(fixture.record.objects[.recovery]))
        let index = BrokerInterface.PINIndex(handle: 0x01B0_C001, policy: Self.policy)
        fixture.broker.change { $0.resealed = .init(name: taken, index: index) }
        refuse(1, on: fixture, left: 8)
        let (opened, texts) = try converse(fixture, Fixture.password, "before")
        #expect(opened.fault != nil && !texts.contains { $0.contains("now bound") }, "\(texts)")
        try expectUnchanged(fixture)
        let unbinding = try self.fixture([.unbind])
        unbinding.broker.change { $0.resealed = .init(name: taken, index: index) }
        #expect(try converse(unbinding, Fixture.password).0.fault != nil)
        try expectUnchanged(unbinding)
    }

    /// The root is released before another takes its place.
    @Test func unbindingReleasesFirst() throws {
        let fixture = try fixture([.unbind])
        #expect(try converse(fixture, Fixture.password).0.isDone)
        #expect(fixture.broker.calls == ["Describe", "Prepare", "Complete", "Reseal", "AdoptRoots"])
        #expect(fixture.broker.completions.map(\.reseals) == [true])
    }

    /// Neither password fits, so the vault is neither unbound nor renewed.
    @Test(arguments: [Keychain.Purpose.unbind, .rotate])
    func whatNoPasswordOpensStaysAsItIs(purpose: Keychain.Purpose) throws {
        let fixture = try fixture([purpose])
        refuse(2, on: fixture, left: 7)
        let refused = try converse(fixture, Fixture.password, "nor this").0
        #expect(refused.fault?.details.reason == "bound-password", "\(refused)")
        #expect(!fixture.broker.calls.contains("Reseal") && !fixture.broker.calls.contains("Renew"))
        try expectUnchanged(fixture)
    }

    /// The registry names the new root already, and only the broker has not taken it up.
    @Test func aRootThatIsNotTakenUpIsSaid() throws {
        let fixture = try fixture(bound: false, [.bind])
        fixture.broker.change { $0.raw["AdoptRoots"] = Self.refusal }
        #expect(try converse(fixture, Fixture.password).0.name == .notCompleted)
        #expect(try fixture.registry.record(for: .user(fixture.account.uid))?.binding != nil)
    }

    // MARK: The boot of a bound vault

    @Test func aBoundVaultIsTiedUnderItsPassword() throws {
        let fixture = try fixture([.tieToBoot], ["unlock", "recovery"])
        let names = ["1": Self.name(0x71), "2": Self.name(0x72), "3": Self.name(0x73), "4": Self.name(0x74)]
        let tie = BrokerInterface.Tie(
            index: BrokerInterface.PINIndex(handle: 0x01B0_C002, policy: Self.policy), registers: [4, 7])
        fixture.broker.change { $0.tied = BrokerInterface.ResealForBoot.Reply(names: names, boot: tie) }
        #expect(try converse(fixture, Fixture.password).0.isDone)
        #expect(fixture.broker.completions.map(\.reseals) == [true, nil])
        #expect(fixture.broker.completions.map { $0.pin != nil } == [true, false])
        let record = try #require(try fixture.registry.record(for: .user(fixture.account.uid)))
        #expect(record.boot?.registers == [4, 7] && record.binding == fixture.record.binding)
    }

    /// The binding is brought up to date first.
    @Test func aChangedPasswordIsNoMomentToTieAVault() throws {
        let fixture = try fixture([.tieToBoot], ["unlock", "recovery"])
        refuse(1, on: fixture, left: 8)
        let (refused, texts) = try converse(fixture, Fixture.password, "before")
        let fault = try #require(refused.fault)
        #expect(fault.details.reason == "bound-password" && !texts.contains("Former password: "), "\(texts)")
        #expect(fault.details.message?.contains("still bound to the former one") == true, "\(fault)")
        #expect(fault.details.advice?.contains("coffer unlock") == true, "\(fault)")
        #expect(!fixture.broker.calls.contains("ResealForBoot"))
        try expectUnchanged(fixture)
    }

    // MARK: What is remembered

    /// A password that did not fit is tried again once another one has opened the vault.
    @Test func anOpenedVaultForgetsWhatDidNotFit() throws {
        let fixture = try fixture()
        try Script.write("#!/bin/sh\ntr -d '\\000' >/dev/null\n", to: "\(fixture.path)/pam/check")
        let key = Base64.encode([UInt8](repeating: 4, count: 32))
        fixture.broker.change { $0.facts.passwordKey = key }
        refuse(1, on: fixture, left: 8)
        #expect(try converse(fixture, "one").1.last == "Former password: ")
        #expect(try converse(fixture, "two").0.isDone)
        #expect(fixture.broker.completions.count == 2)
        let (again, texts) = try converse(fixture, "one")
        #expect(again.isDone && !texts.contains("Former password: "), "\(texts)")
        #expect(fixture.broker.completions.count == 3)
    }

    @Test func whatCannotBeRememberedIsSaid() throws {
        let folder = try TemporaryFolder()
        let index = try #require(IndexPin(handle: 0x01B0_C000, policy: [UInt8](repeating: 3, count: 32)))
        let binding = try #require(BindingPin(index: index, salt: Self.salt))
        let memory = try OutdatedBinding(registryDirectory: folder.path, uid: 7)
        let key = try SecretBytes(copying: [UInt8](repeating: 4, count: 32))
        let mark = try LoginPassword.mark(of: SecretBytes(copying: [1, 2, 3]), key: key)
        #expect(mark?.count == 32)
        try memory.note(binding, mark)
        #expect(try memory.isKnown(binding, mark))
        let renewal = try RenewalSalt(registryDirectory: folder.path, uid: 7)
        let first = try renewal.binding(for: SecretBytes(copying: [1, 2, 3]), key: key)
        for name in ["bindings", "renewals"] {
            let text = try String(contentsOfFile: "\(folder.path)/\(name)/7.json", encoding: .utf8)
            #expect(text.hasPrefix(#"{"mark":""#) && text.contains(#"","salt":""#), "\(name)")
            try Folder.make("\(folder.path)/\(name)/7.json.writing", mode: 0o700)
        }
        // What is there stays as it was.
        let other = try LoginPassword.mark(of: SecretBytes(copying: [1, 2]), key: key)
        #expect(throws: ConversationError.self) { try memory.note(binding, other) }
        #expect(throws: ConversationError.self) {
            _ = try renewal.binding(for: SecretBytes(copying: [1, 2]), key: key)
        }
        #expect(try memory.isKnown(binding, mark))
        let second = try renewal.binding(for: SecretBytes(copying: [1, 2, 3]), key: key)
        #expect(first.salt == second.salt && first.pin == second.pin)
        // Nothing is left of what is forgotten.
        try renewal.forget()
        try memory.note(nil)
        #expect(try !memory.isKnown(binding, mark))
        #expect(try FileStatus.of("\(folder.path)/renewals/7.json") == nil)
    }

    private func binding(salt: UInt8) throws -> BindingPin {
        let index = try #require(IndexPin(handle: 0x01B0_C000, policy: [UInt8](repeating: 3, count: 32)))
        return try #require(BindingPin(index: index, salt: [UInt8](repeating: salt, count: 16)))
    }

    @Test func theMemoryHoldsEachPassword() throws {
        let folder = try TemporaryFolder()
        let memory = try OutdatedBinding(registryDirectory: folder.path, uid: 7)
        let (first, second) = (try binding(salt: 1), try binding(salt: 2))
        let marks = try (0..<UInt8(OutdatedBinding.most) + 1).map { byte in
            try SecretBytes(copying: [UInt8](repeating: byte, count: 32))
        }
        for mark in marks.dropLast() { try memory.note(first, mark) }
        // A password that is noted again takes no further room.
        try memory.note(first, marks[3])
        for mark in marks.dropLast() { #expect(try memory.isKnown(first, mark)) }
        #expect(try !memory.isKnown(first, marks[OutdatedBinding.most]))
        // With one more, the oldest goes.
        try memory.note(first, marks[OutdatedBinding.most])
        #expect(try memory.isKnown(first, marks[OutdatedBinding.most]) && !memory.isKnown(first, marks[0]))
        #expect(try memory.isKnown(first, marks[1]))
        // Nothing is known of another binding, and its first password ends the memory of this one.
        #expect(try !memory.isKnown(second, marks[1]))
        try memory.note(second, marks[2])
        #expect(try memory.isKnown(second, marks[2]) && !memory.isKnown(second, marks[1]))
        #expect(try !memory.isKnown(first, marks[1]))
        try memory.note(nil)
        #expect(try !memory.isKnown(second, marks[2]))
        #expect(try FileStatus.of("\(folder.path)/bindings/7.json") == nil)
    }

    /// The broker gives no key if the vault is not open yet, as after a start of a machine whose TPM is slow.
    @Test func withoutTheKeyOnePasswordIsTried() throws {
        let fixture = try fixture()
        let key = Base64.encode([UInt8](repeating: 4, count: 32))
        refuse(30, on: fixture, left: 8)
        for key in [key, nil, key, nil, nil, key] {
            fixture.broker.change { $0.facts.passwordKey = key }
            #expect(try converse(fixture, Fixture.password).1.last == "Former password: ")
        }
        #expect(fixture.broker.completions.count == 2)
    }

    /// As an earlier version of Coffer wrote it.
    @Test func aMemoryOfOnePasswordIsRead() throws {
        let folder = try TemporaryFolder()
        let memory = try OutdatedBinding(registryDirectory: folder.path, uid: 7)
        let bound = try binding(salt: 1)
        let marks = try [5, 6].map { try SecretBytes(copying: [UInt8](repeating: $0, count: 32)) }
        let texts = [5, 6].map { Hex.encode([UInt8](repeating: $0, count: 32)) }
        let salt = Hex.encode(bound.salt)
        let path = "\(folder.path)/bindings/7.json"
        let old = #"{"mark":"\#(texts[0])","salt":"\#(salt)"}"#
        try DurableFile.write(Array(old.utf8), to: path, mode: 0o600)
        #expect(try memory.isKnown(bound, marks[0]) && !memory.isKnown(bound, marks[1]))
        try memory.note(bound, marks[1])
        #expect(try memory.isKnown(bound, marks[0]) && memory.isKnown(bound, marks[1]))
        let both = #"{"mark":"\#(texts[0])","marks":["\#(texts[1])"],"salt":"\#(salt)"}"#
        #expect(try String(contentsOfFile: path, encoding: .utf8) == both)
        // A salt alone stands for every password.
        try DurableFile.write(Array(#"{"salt":"\#(salt)"}"#.utf8), to: path, mode: 0o600)
        #expect(try memory.isKnown(bound, nil) && !memory.isKnown(bound, marks[0]))
    }
}
