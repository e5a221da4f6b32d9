import Authorization
import BrokerProtocol
import Circle
import Cryptography
import Foundation
import Platform
import TestSupport
import Testing
import Varlink

@testable import Authenticator

/// Whole conversations about a circle, with a broker that was taken over (attacker 13; review of sharing, H1, H2).
@Suite(.timeLimit(.minutes(30))) struct CircleConversationTests {
    private let (fixture, sample): (Fixture, CircleSample)

    init() throws { (fixture, sample) = (try Fixture(), try CircleSample()) }

    private func code(for purpose: Keychain.Purpose) throws -> String? { try sample.code(for: purpose) }

    /// The notice of a request that the broker describes as this, and has changed.
    private func notice(
        _ purpose: Keychain.Purpose, _ sample: CircleSample? = nil,
        _ change: @Sendable (inout BrokerInterface.Describe.Reply) -> Void = { _ in }
    ) throws -> String {
        let sample = sample ?? self.sample
        try fixture.ask(purpose, sample)
        fixture.broker.change { change(&$0.facts) }
        var client = try fixture.client()
        return try client.begin(code: sample.code(for: purpose)).message?.text ?? ""
    }

    @Test(arguments: [Keychain.Purpose.foundCircle, .addToCircle, .paperToCircle, .removeFromCircle])
    func theShownStatementIsSignedOnce(purpose: Keychain.Purpose) throws {
        try fixture.ask(purpose, sample)
        var client = try fixture.client()
        #expect(try client.authenticate(Fixture.password, code: code(for: purpose)).isDone)
        #expect(fixture.broker.calls == ["Describe", "Prepare", "Complete"])
        let hash = try CircleSample.hash(sample.statement(purpose), by: sample.founder, fixture.record)
        let request = try #require(
            SigningRequest(
                nonce: [UInt8](repeating: 0x11, count: 32), parameterHash: hash,
                reference: fixture.record.policyReference(for: .circle)))
        let completion = try #require(fixture.broker.completions.first)
        let signature = try #require(Base64.decode(completion.signature))
        #expect(
            try P256.isValid(signature: signature, for: request.message(), publicKey: fixture.key.publicKey))
    }

    @Test func nothingIsSignedForEntering() throws {
        try fixture.ask(.joinCircle, sample)
        var client = try fixture.client()
        #expect(try client.authenticate(Fixture.password).isDone)
        #expect(fixture.broker.calls == ["Describe", "ConfirmAcceptance"])
    }

    @Test(arguments: [Keychain.Purpose.foundCircle, .addToCircle, .paperToCircle, .joinCircle, .removeFromCircle])
    func aWrongPasswordEarnsNothing(purpose: Keychain.Purpose) throws {
        try fixture.ask(purpose, sample)
        var client = try fixture.client()
        #expect(try client.authenticate("wrong", code: code(for: purpose)).name == .authenticationFailed)
        #expect(fixture.broker.calls == ["Describe", "Refuse"])
    }

    /// T2: the person agrees to one machine, and the broker prepares the signature for another.
    @Test(arguments: [Keychain.Purpose.foundCircle, .addToCircle, .paperToCircle, .removeFromCircle])
    func anotherParameterHashIsNotSigned(purpose: Keychain.Purpose) throws {
        try fixture.ask(purpose, sample)
        let statement = sample.statement(purpose)
        let attacker = try CircleSample.addition(of: CircleSample.keys(9), by: sample.founder, to: sample.circle)
        let other = try Fixture.newRecord(fixture.account, key: fixture.key.publicKey)
        for hash in [
            [UInt8](repeating: 0x22, count: 32),
            try CircleSample.hash(attacker, by: sample.founder, fixture.record),
            try CircleSample.hash(statement, by: CircleSample.keys(9), fixture.record),
            try CircleSample.hash(statement, by: sample.founder, other),
        ] {
            fixture.broker.change { $0.parameterHash = hash }
            var client = try fixture.client()
            let end = try client.authenticate(Fixture.password, code: code(for: purpose))
            #expect(end.name == .brokerUnavailable)
            #expect(end.fault?.details.message?.contains("something else than the person was shown") == true)
        }
        #expect(fixture.broker.completions.isEmpty)
    }

    /// H8: other machines seal guarded values to the constraint keys. The registry knows them, so a broker cannot put in
    /// its own, which would ask nobody.
    @Test func constraintKeysThatAreNotTheVaultsAreRefused() throws {
        let own = Fixture.points.map(\.point)
        for place in 0..<3 {
            for point in [own[place].map { $0 ^ 1 }, MemberKeys.noPoint] {
                var points = own
                points[place] = point
                let keys = try CircleSample.keys(1, points: points.flatMap(\.self))
                let (statement, request) = (try Statement(founder: keys), try CircleSample.request(keys))
                try fixture.ask(.foundCircle, sample)
                fixture.broker.change { $0.facts.statement = Base64.encode(statement.bytes) }
                var client = try fixture.client()
                #expect(try client.begin().name == .authenticationChallengeRefused)
                try fixture.ask(.joinCircle, sample)
                fixture.broker.change { $0.facts.request = Base64.encode(request.bytes) }
                var second = try fixture.client()
                #expect(try second.begin().name == .authenticationChallengeRefused)
            }
        }
        #expect(fixture.broker.completions.isEmpty && !fixture.broker.calls.contains("ConfirmAcceptance"))
    }

    /// Each of them ends the conversation before the person is asked.
    static let lies: [(String, Keychain.Purpose, @Sendable (inout BrokerInterface.Describe.Reply) -> Void)] = [
        (
            "an entrance that signs", .joinCircle,
            { ($0.authorizations, $0.alternatives) = ([.init(kind: "circle")], [[0]]) }
        ),
        (
            "an entrance that unlocks", .joinCircle,
            { ($0.authorizations, $0.alternatives) = ([.init(kind: "unlock")], [[0]]) }
        ),
        ("a founding by another signature", .foundCircle, { $0.authorizations = [.init(kind: "unlock")] }),
        ("an addition by presence", .addToCircle, { $0.authorizations = [.init(kind: "presence")] }),
        ("an addition by a finger", .addToCircle, { $0.authorizations = [.init(kind: "biometry-any")] }),
        ("an addition without a signature", .addToCircle, { ($0.authorizations, $0.alternatives) = ([], [[]]) }),
        (
            "a signature more", .addToCircle,
            {
                $0.authorizations.append(.init(kind: "unlock"))
                $0.alternatives = [[0, 1]]
            }
        ),
        (
            "a finger instead of it", .foundCircle,
            {
                $0.authorizations.append(.init(kind: "biometry-any"))
                $0.alternatives = [[1], [0]]
            }
        ),
        (
            "two statements for one answer", .addToCircle,
            {
                $0.authorizations.append(.init(kind: "circle"))
                $0.alternatives = [[0, 1]]
            }
        ),
        ("unlocking on the side", .addToCircle, { $0.purposes = [.unlock, .addToCircle] }),
        ("a founding for an addition", .addToCircle, { $0.purposes = [.foundCircle] }),
        ("an addition for a founding", .foundCircle, { $0.purposes = [.addToCircle] }),
        ("a statement beside a read", .addToCircle, { ($0.purposes, $0.service, $0.account) = ([.read], "s", "a") }),
        ("a statement beside an unlock", .foundCircle, { $0.purposes = [.unlock] }),
        ("items beside it", .foundCircle, { $0.items = [.init(service: "s", account: "a")] }),
        ("a removal for an addition", .removeFromCircle, { $0.purposes = [.addToCircle] }),
        ("a removal without a signature", .removeFromCircle, { ($0.authorizations, $0.alternatives) = ([], [[]]) }),
        ("a removal by presence", .removeFromCircle, { $0.authorizations = [.init(kind: "presence")] }),
        ("a paper by presence", .paperToCircle, { $0.authorizations = [.init(kind: "presence")] }),
        ("a paper without a signature", .paperToCircle, { ($0.authorizations, $0.alternatives) = ([], [[]]) }),
        ("a paper for a machine", .paperToCircle, { $0.purposes = [.addToCircle] }),
        ("a machine for a paper", .addToCircle, { $0.purposes = [.paperToCircle] }),
        ("another vault", .addToCircle, { $0.vault = String(repeating: "ab", count: 16) }),
        ("another owner", .addToCircle, { $0.owner = "user:4242" }),
    ]

    @Test(arguments: lies.indices)
    func aLieEndsTheConversation(index: Int) throws {
        let (name, purpose, change) = Self.lies[index]
        try fixture.ask(purpose, sample)
        fixture.broker.change { change(&$0.facts) }
        var client = try fixture.client()
        #expect(try client.begin(code: code(for: purpose)).name == .authenticationChallengeRefused, "\(name)")
        #expect(fixture.broker.calls == ["Describe", "Refuse"], "\(name)")
    }

    /// T3: neither a person nor PAM is asked before the code is right.
    @Test func aWrongCodeIsRefusedBeforeAnybodyIsAsked() throws {
        try fixture.ask(.addToCircle, sample)
        let code = try sample.code
        let other = try CircleSample.code(of: CircleSample.request(CircleSample.keys(9)))
        for (wrong, name) in [
            (nil, Fault.Name.authenticationInvalidArgument), ("", .authenticationInvalidArgument),
            (String(code.dropFirst(5)), .authenticationInvalidArgument),
            (String(code.dropLast()) + (code.last == "7" ? "8" : "7"), .authenticationInvalidArgument),
            (String(repeating: "-", count: 100) + code, .authenticationInvalidArgument),
            (other, .authenticationChallengeRefused),
        ] {
            var client = try fixture.client()
            #expect(try client.begin(code: wrong).name == name, "\(wrong ?? "none")")
        }
        // The too long one is not even told to the broker.
        #expect(fixture.broker.calls == (0..<5).flatMap { _ in ["Describe", "Refuse"] })
        #expect(!fixture.broker.heard(code) && !fixture.broker.heard(other))
    }

    @Test func aCodeIsRefusedWhereNoneBelongs() throws {
        let code = try sample.code
        for purpose in [Keychain.Purpose.foundCircle, .joinCircle, .removeFromCircle] {
            try fixture.ask(purpose, sample)
            var client = try fixture.client()
            #expect(try client.begin(code: code).name == .authenticationInvalidArgument, "\(purpose)")
        }
        let reading = try Fixture()
        var client = try reading.client()
        #expect(try client.begin(code: code).name == .authenticationInvalidArgument)
        #expect(!fixture.broker.calls.contains("Prepare") && !reading.broker.calls.contains("Prepare"))
    }

    // MARK: The notice

    @Test(arguments: [(MemberRole.admin, KeyProtection.tpm), (.writer, .software), (.reader, .tpm)])
    func anAdditionShowsWhatIsAdded(role: MemberRole, protection: KeyProtection) throws {
        let sample = try CircleSample(role, name: "lap-top.2", protection: protection)
        let text = try notice(.addToCircle, sample) { $0.reason = "because" }
        let lines = text.unbroken.split(separator: "\n")
        #expect(lines.count == 8, "\(text)")
        guard lines.count == 8 else { return }
        #expect(lines[0] == "Add a machine to those that share your vault's secrets")
        #expect(lines[1].hasPrefix("for "))
        #expect(lines[2] == "New machine: \"lap-top.2\"")
        #expect(lines[3] == "Check words, which both machines must show: \(try sample.words)")
        #expect(lines[4].contains(protection == .tpm ? "says that its keys are in a TPM" : "keys are in software"))
        let may =
            switch role {
            case .admin: "It may change them, and add and remove machines."
            case .writer: "It may change them, and add no machine."
            case .reader, .paper: "It may change nothing."
            }
        #expect(lines[5] == may)
        #expect(lines[6].contains("read them") && lines[7] == "Reason it gives: \"because\"")
    }

    @Test func aPaperSaysWhatFollows() throws {
        let text = try notice(.paperToCircle) { $0.reason = "because" }.unbroken
        #expect(text.hasPrefix("Make a code on paper for all that your machines share\nfor "), "\(text)")
        #expect(text.contains("\nWhoever has the code and a copy of the folder can read all of it"), "\(text)")
        #expect(text.contains("This includes secrets that require you.") && text.hasSuffix("\"because\""), "\(text)")
    }

    /// Before anybody is asked, because the answer would be in vain (attacker 13).
    @Test func anotherPaperThanTheCodesIsRefusedBeforeAnybodyIsAsked() throws {
        let other = try CircleSample()
        try fixture.ask(.paperToCircle, sample)
        for code in [try other.code(for: .paperToCircle), nil] {
            var client = try fixture.client()
            #expect(try client.begin(code: code).message == nil)
        }
        #expect(!fixture.broker.calls.contains("Prepare"))
    }

    @Test func aFoundingSaysWhatFollows() throws {
        let text = try notice(.foundCircle)
        #expect(text.hasPrefix("Share your vault's secrets with machines that you add later\nfor "), "\(text)")
        #expect(!text.contains("Check words"), "\(text)")
    }

    @Test func anEntranceShowsMachinesAndWords() throws {
        let text = try notice(.joinCircle) { $0.machines = ["desk", "laptop"] }.unbroken
        #expect(text.hasPrefix("Share your vault's secrets with other machines\nfor "), "\(text)")
        #expect(text.contains("\nMachines: \"desk\", \"laptop\"\n"), "\(text)")
        #expect(text.contains("\nCheck words, which both machines must show: \(try sample.words)\n"), "\(text)")
        // Another circle, other words.
        let other = try CircleSample()
        let elsewhere = try notice(.joinCircle) { $0.circle = Hex.encode(other.circle.bytes) }.unbroken
        #expect(!elsewhere.contains(try sample.words) && elsewhere.contains("Check words"))
    }

    /// A machine is told apart by its id, which the statement has, and not by what the broker says of it.
    @Test func aRemovalShowsEachMachine() throws {
        let digits = Hex.encode(sample.request.keys.device.bytes).prefix(8)
        let text = try notice(.removeFromCircle) { $0.machines = ["desk"] }.unbroken
        #expect(text.hasPrefix("Remove from the machines that share your vault's secrets\nfor "), "\(text)")
        #expect(text.contains("\nMachines: \"desk\" (\(digits))\n"), "\(text)")
        #expect(text.contains("cannot be undone") && !text.contains("Check words"), "\(text)")
    }

    @Test func aRemovalSaysThatThisMachineIsMeant() throws {
        let leaving = try Statement(
            circle: sample.circle, signer: sample.founder.device, past: [sample.circle],
            .removal([sample.founder.device]))
        let digits = Hex.encode(sample.founder.device.bytes).prefix(8)
        let text = try notice(.removeFromCircle) { $0.statement = Base64.encode(leaving.bytes) }.unbroken
        #expect(text.contains("\nMachines: \"laptop\" (\(digits), this machine)\n"), "\(text)")
    }

    /// A person agrees to no machine that the prompt leaves out.
    @Test func aRemovalOfMoreThanAPromptShowsIsRefused() throws {
        for count in [PromptLimits.machines, PromptLimits.machines + 1] {
            let devices = try (0..<count).map {
                try #require(WriterID(bytes: [UInt8](repeating: UInt8($0), count: 16)))
            }
            let removal = try Statement(
                circle: sample.circle, signer: sample.founder.device, past: [sample.circle], .removal(devices))
            try fixture.ask(.removeFromCircle, sample)
            fixture.broker.change { script in
                script.facts.statement = Base64.encode(removal.bytes)
                script.facts.machines = devices.map { _ in String(repeating: "W", count: CircleLimits.name) }
            }
            var client = try fixture.client()
            let start = try client.begin()
            let isShown = count == PromptLimits.machines
            #expect((start.message != nil) == isShown)
            if isShown { #expect(start.message?.text.unbroken.contains("(0f0f0f0f)") == true) }
        }
    }

    /// However long machines, names and reasons are, the check words are there, on a line of their own.
    @Test func nothingIsHiddenByLength() throws {
        let reason = String(repeating: "\u{7}", count: 512)
        let name = String(repeating: "W", count: CircleLimits.name)
        let joining = try notice(.joinCircle) { facts in
            facts.machines = (0..<1024).map { "\($0)-" + String(repeating: "W", count: 35) }
            facts.reason = reason
        }
        let sample = try CircleSample(name: name)
        let adding = try notice(.addToCircle, sample) { $0.reason = reason }
        #expect(adding.unbroken.contains("\nNew machine: \"\(name)\"\n"), "\(adding)")
        #expect(joining.unbroken.contains("\"15-WWW") && !joining.unbroken.contains("\"16-WWW"), "\(joining)")
        #expect(joining.unbroken.contains("\" and 1008 more\n"), "\(joining)")
        for (text, words) in [(joining, try self.sample.words), (adding, try sample.words)] {
            let lines = text.unbroken.split(separator: "\n")
            #expect(lines.contains("Check words, which both machines must show: \(words)"), "\(text)")
            #expect(text.unicodeScalars.count <= PromptLimits.notice)
            #expect(text.split(separator: "\n").allSatisfy { TextColumns.of(String($0)) <= 72 }, "\(text)")
        }
    }

    // MARK: Each answer is for one request

    @Test func anEarlierAnswerIsNotUsedAgain() throws {
        let fixture = try Fixture(.init(settings: "reuse-limit = 300"))
        let shell = try Puppet(fixture)
        #expect(try shell.perform(.authorize(300)).done)
        let control = try shell.perform(.begin)
        #expect(control.done && control.questions == 0, "\(control)")
        for purpose in [Keychain.Purpose.foundCircle, .joinCircle, .removeFromCircle] {
            try fixture.ask(purpose, sample)
            let outcome = try shell.perform(.begin)
            #expect(outcome.done && outcome.questions == 1, "\(outcome)")
        }
        #expect(fixture.broker.completions.map(\.means) == ["reuse", nil, nil])
    }

    /// Two requests of one process at the same time are asked one after the other, each by itself.
    @Test func noPromptIsShared() throws {
        try fixture.ask(.addToCircle, sample)
        let digest = Hex.encode(try SHA256.digest(Array("second".utf8)))
        fixture.broker.change { $0.companions = [.init(digest: digest, service: "github", account: "me")] }
        for challenge in ["first", "second"] {
            var client = try fixture.client()
            #expect(try client.begin(challenge, code: sample.code).message?.text.hasPrefix("Add a machine") == true)
            #expect(try client.go().message?.style == .secret)
            #expect(try client.go(Fixture.password).isDone)
        }
        #expect(!fixture.broker.calls.contains("Companions"))
        #expect(fixture.broker.completions.map(\.means) == [nil, nil])
    }

    /// The stack for fingers lets everybody in, and the one for any factor nobody.
    @Test func aFingerAloneDoesNotEarnIt() throws {
        for purpose in [Keychain.Purpose.foundCircle, .addToCircle, .paperToCircle, .joinCircle, .removeFromCircle] {
            let fixture = try Fixture(
                .init(prepare: { path in
                    let rules = "auth required pam_permit.so\naccount required pam_permit.so\n"
                    try DurableFile.write(Array(rules.utf8), to: "\(path)/pam/coffer-biometric", mode: 0o644)
                }))
            try fixture.ask(purpose, sample)
            var client = try fixture.client()
            _ = try client.begin(code: code(for: purpose))
            #expect(try client.go().message?.style == .secret)
            #expect(try client.go("wrong").name == .authenticationFailed)
            #expect(fixture.broker.completions.isEmpty && !fixture.broker.calls.contains("ConfirmAcceptance"))
        }
    }
}
