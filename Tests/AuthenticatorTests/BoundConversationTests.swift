import Authorization
import BrokerProtocol
import Cryptography
import Foundation
import Platform
import TestSupport
import Testing
import Varlink

@testable import Authenticator

/// What the real authenticator sends to open a bound vault: the password that PAM has just accepted, and nothing else.
struct BoundConversationTests {
    private static let salt = [UInt8](repeating: 9, count: 16)
    private static let policy = [UInt8](repeating: 3, count: 32)
    private static let name = [0, 11] + [UInt8](repeating: 0x77, count: 32)

    /// A bound vault with two PAM services: one asks for the password, the other takes any factor and lets everybody
    /// in.
    private func fixture(
        bound: Bool = true, _ purposes: [Keychain.Purpose] = [.unlock],
        _ kinds: [String] = ["unlock"], pam: String? = nil
    ) throws -> Fixture {
        let index = try #require(IndexPin(handle: 0x01B0_C000, policy: Self.policy))
        let binding = try #require(BindingPin(index: index, salt: Self.salt, cost: 15))
        let fixture = try Fixture(
            .init(
                changeRecord: { record in
                    let sealed = record.sealedByTPM
                    guard bound, let root = sealed.objects[.unlockRoot] else { return sealed }
                    return sealed.with(binding: binding, unlockRoot: root)
                },
                prepare: { path in
                    let rules = try String(contentsOfFile: "\(path)/pam/coffer", encoding: .utf8)
                    try DurableFile.write(Array((pam ?? rules).utf8), to: "\(path)/pam/coffer-passcode", mode: 0o644)
                    let open = "auth required pam_permit.so\naccount required pam_permit.so\n"
                    try DurableFile.write(Array(open.utf8), to: "\(path)/pam/coffer", mode: 0o644)
                }))
        fixture.ask(for: purposes, kinds)
        fixture.broker.change { script in
            script.resealed = BrokerInterface.Reseal.Reply(
                name: Data(Self.name).base64EncodedString(),
                index: purposes == [.unbind]
                    ? nil
                    : BrokerInterface.PINIndex(
                        handle: 0x01B0_C001, policy: Data(Self.policy).base64EncodedString()))
        }
        return fixture
    }

    private static func pin(_ password: String, salt: [UInt8] = salt, cost: UInt64 = 15) throws -> String {
        try Scrypt.derive(
            password: SecretBytes(copying: Array(password.utf8)), salt: salt,
            cost: .init(rounds: 1 << cost, blockSize: 8, parallelism: 1), count: 32
        ).base64Encoded()
    }

    /// A broker whose TPM refuses the first passwords, as many as given.
    private func refuse(_ count: Int, on fixture: Fixture, left: Int64 = 8) throws {
        let fault = Fault(
            .brokerTPM, .init(message: "wrong", kind: "wrong-password", code: 1, triesLeft: left))
        let bytes = Varlink.encode(fault)
        fixture.broker.change { script in script.refusedCompletions = [[UInt8]](repeating: bytes, count: count) }
    }

    /// Answers each hidden question with the next word.
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

    @Test func theBrokerGetsWhatThePasswordWasMadeIntoAndOnlyAfterPAMsYes() throws {
        let fixture = try fixture()
        let (refused, _) = try converse(fixture, "wrong")
        #expect(refused.name == .authenticationFailed)
        #expect(!fixture.broker.calls.contains("Prepare"))
        let (opened, _) = try converse(fixture, Fixture.password)
        #expect(opened.isDone, "\(opened)")
        let completion = try #require(fixture.broker.completions.first)
        #expect(fixture.broker.completions.count == 1)
        #expect(try completion.pin == Self.pin(Fixture.password))
        #expect(completion.reseals == nil)
        // Nothing that was sent to the broker contains a word of the password.
        #expect(!fixture.broker.heard(Fixture.password))
    }

    @Test func noOtherFactorAndNoEarlierAnswerWillDo() throws {
        // The service for any factor lets everybody in, but it is not asked.
        let fixture = try fixture([.unlock, .read], ["unlock", "presence"])
        let (refused, _) = try converse(fixture, "wrong")
        #expect(refused.name == .authenticationFailed)
        let (opened, _) = try converse(fixture, Fixture.password)
        #expect(opened.isDone)
        #expect(fixture.broker.completions.map(\.authorization) == [0, 1])
        #expect(fixture.broker.completions.map { $0.pin != nil } == [true, false])
        // If a stack asks for nothing, or for more than the password, it is unknown which answer is the password.
        let account = "\naccount required pam_permit.so\n"
        let silent = try self.fixture(pam: "auth required pam_permit.so" + account)
        #expect(try converse(silent).0.name == .authenticationMisconfigured)
        #expect(!silent.broker.calls.contains("Prepare"))
        let two = "auth required pam_exec.so expose_authtok quiet /bin/true\nauth required pam_ftp.so users=ME ignore"
        let talkative = try self.fixture(
            pam: two.replacingOccurrences(of: "ME", with: fixture.account.name) + account)
        #expect(try converse(talkative, "one", "two@example.org").0.name == .authenticationMisconfigured)
        #expect(!talkative.broker.calls.contains("Prepare"))
    }

    @Test func aChangedPasswordAsksOnceForTheOneBeforeAndBindsAnew() throws {
        let fixture = try fixture()
        try refuse(1, on: fixture)
        let (opened, texts) = try converse(fixture, Fixture.password, "before")
        #expect(opened.isDone, "\(opened)")
        #expect(texts.contains { $0.contains("was changed") && $0.contains("8 more wrong passwords") })
        let pins = fixture.broker.completions.map(\.pin)
        #expect(try pins == [Self.pin(Fixture.password), Self.pin("before")])
        #expect(fixture.broker.completions.map(\.reseals) == [nil, true])
        let record = try #require(try fixture.registry.record(for: .user(fixture.account.uid)))
        let binding = try #require(record.binding)
        #expect(binding.salt != Self.salt && binding.cost == BindingPin.standardCost)
        #expect(record.objects[.unlockRoot] == Self.name)
        #expect(record.with(binding: nil, unlockRoot: []) == fixture.record.with(binding: nil, unlockRoot: []))
        let reseal = try #require(fixture.broker.reseals.first)
        #expect(try reseal.pin == Self.pin(Fixture.password, salt: binding.salt, cost: 17))
        #expect(fixture.broker.calls.suffix(2) == ["Reseal", "AdoptRoots"])
    }

    @Test func whatIsKnownToBeWrongIsNotTriedAgain() throws {
        let fixture = try fixture()
        try refuse(1, on: fixture)
        // A locker answers one question. The TPM gets one try, no matter how often the screen is unlocked.
        for _ in 0..<3 {
            let (_, texts) = try converse(fixture, Fixture.password)
            #expect(texts.last == "Former password: ")
        }
        #expect(fixture.broker.completions.count == 1)
        let (opened, _) = try converse(fixture, Fixture.password, "before")
        #expect(opened.isDone)
        #expect(try fixture.broker.completions.map(\.pin).last == Self.pin("before"))
        #expect(fixture.broker.completions.count == 2)
    }

    @Test func whoGoesBackToTheFormerPasswordIsNotAskedForIt() throws {
        let fixture = try fixture()
        let key = Data(repeating: 4, count: 32).base64EncodedString()
        fixture.broker.change { $0.facts.passwordKey = key }
        try refuse(1, on: fixture)
        // The vault is bound to "before". The present password is tried once, and then not again.
        for _ in 0..<2 { #expect(try converse(fixture, Fixture.password).1.last == "Former password: ") }
        #expect(fixture.broker.completions.count == 1)
        // Nobody can tell the password from the file that remembers it.
        let note = try String(
            contentsOfFile: "\(fixture.registry.directory)/bindings/\(fixture.account.uid).json", encoding: .utf8)
        #expect(!note.contains(Hex.encode([UInt8](try #require(Data(base64Encoded: Self.pin(Fixture.password)))))))
        // passwd, back to the former one.
        try Script.write("#!/bin/sh\n[ \"$(tr -d '\\000')\" = before ]\n", to: "\(fixture.path)/pam/check")
        let (opened, texts) = try converse(fixture, "before")
        #expect(opened.isDone, "\(opened)")
        #expect(!texts.contains("Former password: "))
        #expect(try fixture.broker.completions.map(\.pin) == [Self.pin(Fixture.password), Self.pin("before")])
        #expect(!fixture.broker.calls.contains("Reseal"))
        #expect(try fixture.registry.record(for: .user(fixture.account.uid)) == fixture.record)
    }

    @Test func theMemoryOfAPasswordTakesTheVaultsKey() throws {
        let pin = try SecretBytes(copying: [UInt8](repeating: 1, count: 32))
        let keys = try (1...2).map { try SecretBytes(copying: [UInt8](repeating: $0, count: 32)) }
        let marks = try keys.map { try LoginPassword.mark(of: pin, key: $0) }
        #expect(marks[0] != nil && marks[0] != marks[1])
        #expect(try marks[0] == LoginPassword.mark(of: pin, key: keys[0]))
        #expect(try LoginPassword.mark(of: pin, key: nil) == nil)
        // A key of another length is none.
        let fixture = try fixture()
        fixture.broker.change { $0.facts.passwordKey = Data(repeating: 4, count: 31).base64EncodedString() }
        #expect(try converse(fixture, Fixture.password).0.name == .authenticationChallengeRefused)
    }

    @Test func twoWrongOnesEndItAndSayWhatIsLeft() throws {
        let fixture = try fixture()
        try refuse(2, on: fixture, left: 7)
        let (refused, _) = try converse(fixture, Fixture.password, "nor this")
        let fault = try #require(refused.fault)
        #expect(fault.details.reason == "bound-password")
        #expect(fault.details.message?.contains("7 more wrong passwords") == true)
        #expect(fault.details.advice?.contains("coffer recovery restore") == true)
        #expect(!fixture.broker.calls.contains("Reseal"))
        #expect(try fixture.registry.record(for: .user(fixture.account.uid)) == fixture.record)
    }

    @Test func bindingAndUnbinding() throws {
        let free = try fixture(bound: false, [.bind])
        let (bound, texts) = try converse(free, Fixture.password)
        #expect(bound.isDone, "\(bound)")
        #expect(texts.first?.contains("Bind your vault to your login password") == true)
        #expect(free.broker.completions.map(\.pin) == [nil])
        #expect(free.broker.completions.map(\.reseals) == [true])
        #expect(try free.registry.record(for: .user(free.account.uid))?.binding != nil)

        let tied = try fixture([.unbind])
        let (unbound, words) = try converse(tied, Fixture.password)
        #expect(unbound.isDone, "\(unbound)")
        #expect(words.first?.contains("destroys its items of class passcode-set") == true)
        #expect(try tied.broker.completions.map(\.pin) == [Self.pin(Fixture.password)])
        #expect(tied.broker.reseals.map(\.pin) == [nil])
        #expect(try tied.registry.record(for: .user(tied.account.uid))?.binding == nil)
    }

    @Test func aBrokerThatPassesSomethingElseOffIsNotRegistered() throws {
        let policy = Data(Self.policy).base64EncodedString()
        let good = BrokerInterface.PINIndex(handle: 0x01B0_C001, policy: policy)
        let taken = Data(try #require(try fixture().record.objects[.recovery])).base64EncodedString()
        let name = Data(Self.name).base64EncodedString()
        let lies: [BrokerInterface.Reseal.Reply] = [
            .init(name: taken, index: good), .init(name: "", index: good), .init(name: name, index: nil),
            .init(name: name, index: .init(handle: 0x0100_0000, policy: policy)),
            .init(name: name, index: .init(handle: 0x01B0_C001, policy: "")),
        ]
        for lie in lies {
            let fixture = try fixture(bound: false, [.bind])
            fixture.broker.change { $0.resealed = lie }
            #expect(try converse(fixture, Fixture.password).0.fault != nil)
            #expect(try fixture.registry.record(for: .user(fixture.account.uid)) == fixture.record)
            #expect(!fixture.broker.calls.contains("AdoptRoots"))
        }
    }

    /// A bound vault with a guarded item. The broker has more items than one prompt names.
    private func renewing(key: UInt8? = 4) throws -> Fixture {
        let fixture = try fixture([.rotate], ["unlock", "presence"])
        fixture.broker.change { script in
            script.facts.service = nil
            script.facts.account = nil
            script.facts.items = [.init(service: "github", account: "me")]
            script.facts.alternatives = [[0, 1]]
            script.facts.passwordKey = key.map { Data(repeating: $0, count: 32).base64EncodedString() }
        }
        return fixture
    }

    @Test func aRenewalGoesOnUnderTheSamePasswordOnly() throws {
        let fixture = try renewing()
        for _ in 0..<2 { #expect(try converse(fixture, Fixture.password).0.isDone) }
        let first = fixture.broker.renewals
        #expect(first.count == 2 && first[0].salt == first[1].salt && first[0].pin == first[1].pin)
        let salt = try #require(first[0].salt.flatMap { Data(base64Encoded: $0) }.map(Array.init))
        #expect(try salt != Self.salt && first[0].pin == Self.pin(Fixture.password, salt: salt, cost: 17))
        // Nobody can tell the password from the file that remembers it.
        let note = try String(
            contentsOfFile: "\(fixture.registry.directory)/renewals/\(fixture.account.uid).json", encoding: .utf8)
        let pin = try #require(first[0].pin.flatMap { Data(base64Encoded: $0) })
        #expect(note.contains(Hex.encode(salt)) && !note.contains(Hex.encode([UInt8](pin))))
        // passwd: the successor takes the former password, so another one is made.
        try Script.write("#!/bin/sh\n[ \"$(tr -d '\\000')\" = other ]\n", to: "\(fixture.path)/pam/check")
        #expect(try converse(fixture, "other").0.isDone)
        #expect(fixture.broker.renewals.count == 3 && fixture.broker.renewals[2].salt != first[0].salt)
        // Another vault of the same person.
        let next = Data(repeating: 5, count: 32).base64EncodedString()
        fixture.broker.change { $0.facts.passwordKey = next }
        #expect(try converse(fixture, "other").0.isDone)
        #expect(Set(fixture.broker.renewals.map(\.salt)).count == 3)
    }

    @Test func withoutTheVaultsKeyEachRenewalBeginsAnew() throws {
        let fixture = try renewing(key: nil)
        for _ in 0..<2 { #expect(try converse(fixture, Fixture.password).0.isDone) }
        #expect(Set(fixture.broker.renewals.map(\.salt)).count == 2)
        let note = "\(fixture.registry.directory)/renewals/\(fixture.account.uid).json"
        #expect(!FileManager.default.fileExists(atPath: note))
    }

    /// Otherwise nobody could renew the keys again.
    @Test func nobodyGoesOnWithASuccessorThatDoesNotOpen() throws {
        let fixture = try renewing()
        #expect(try converse(fixture, Fixture.password).0.isDone)
        let salt = try #require(fixture.broker.renewals[0].salt.flatMap { Data(base64Encoded: $0) }.map(Array.init))
        let record = fixture.record
        let index = try #require(IndexPin(handle: 0x01B0_C001, policy: Self.policy))
        let binding = try #require(BindingPin(index: index, salt: salt))
        let names = record.objects.mapValues { [UInt8]($0.prefix(2)) + $0.dropFirst(2).map { $0 ^ 0x80 } }
        let plain = RegistryRecord(
            vault: try VaultID.random(), owner: record.owner, ownerName: record.ownerName, created: record.created,
            sealer: record.sealer, authenticatorKey: record.authenticatorKey, storageKey: record.storageKey,
            counter: CounterPin(handle: 0x01B0_C004, base: 0, context: [1]), objects: names, isService: false,
            generation: IndexPin(handle: 0x01B0_C005, policy: Self.policy))
        let next = plain.with(binding: binding, unlockRoot: try #require(names[.unlockRoot]))
        let refusal = Varlink.encode(Fault(.brokerFailed, "it does not open"))
        let broker = fixture.broker
        broker.change { script in
            script.successor = next
            script.before["Succeed"] = { broker.change { $0.refusedCompletions = [refusal] } }
        }
        #expect(try !converse(fixture, Fixture.password).0.isDone)
        #expect(fixture.broker.renewals[1].salt == fixture.broker.renewals[0].salt)
        #expect(try fixture.registry.record(for: .user(fixture.account.uid)) == fixture.record)
        broker.change { $0.before = [:] }
        _ = try converse(fixture, Fixture.password)
        #expect(
            fixture.broker.renewals.count == 3 && fixture.broker.renewals[2].salt != fixture.broker.renewals[0].salt)
    }

    @Test func oneAtATime() throws {
        let fixture = try fixture(bound: false, [.bind])
        try Folder.make("\(fixture.path)/registry/bindings", mode: 0o700)
        let lock = try FileLock(path: "\(fixture.path)/registry/bindings/\(fixture.account.uid).claim")
        let busy = try converse(fixture, Fixture.password).0
        #expect(busy.fault?.details.message?.contains("already") == true)
        #expect(!fixture.broker.calls.contains("Reseal"))
        lock.keep()
    }

    @Test func purposesThatDoNotFitTheRegistryAreRefused() throws {
        for (bound, purposes) in [(true, [Keychain.Purpose.bind]), (false, [.unbind]), (true, [.unbind, .read])] {
            let fixture = try fixture(bound: bound, purposes)
            #expect(try converse(fixture, Fixture.password).0.name == .authenticationChallengeRefused)
            #expect(!fixture.broker.calls.contains("Prepare"))
        }
    }
}
