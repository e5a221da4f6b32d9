import Authorization
import BrokerProtocol
import Cryptography
import Foundation
import TestSupport
import Testing
import Varlink

@testable import Authenticator

/// A conversation about a finger, with any broker: what the authenticator signs, and what an item is bound to.
@Suite(.serialized) struct FingerTests {
    /// A fixture with a reader, an active session, and an enrolled finger of the caller.
    private struct Scene {
        let logind: LogindMock
        let fprintd: FprintdMock
        let fixture: Fixture

        /// - Parameter asks: whether the biometric service shows a text, and so waits for the client while a finger is asked for.
        init(enrolled: Bool = true, asks: Bool = false) throws {
            let logind = try LogindMock()
            let fprintd = try FprintdMock(address: logind.address)
            try logind.setLidClosed(false)
            try logind.add(session: "mine", uid: geteuid())
            try logind.countProcesses(to: "mine")
            let permit = "auth required pam_permit.so\naccount required pam_permit.so\n"
            let password =
                "auth [success=1 default=ignore] pam_exec.so expose_authtok quiet CHECK\n"
                + "auth requisite pam_deny.so\n"
            fixture = try Fixture(
                Fixture.Options(
                    settings: """
                        system-bus = \(logind.address)
                        fingerprint-directory = \(fprintd.storage.path)
                        silent-services = coffer-biometric
                        """,
                    prepare: { path in
                        try Self.text.write(toFile: path + "/text", atomically: true, encoding: .utf8)
                        let touch = asks ? "auth optional pam_echo.so file=\(path)/text\n" : ""
                        try (touch + permit).write(
                            toFile: path + "/pam/coffer-biometric", atomically: true, encoding: .utf8)
                        let check = password.replacingOccurrences(of: "CHECK", with: path + "/pam/check")
                        try (check + permit).write(
                            toFile: path + "/pam/coffer-passcode", atomically: true, encoding: .utf8)
                    }))
            self.logind = logind
            self.fprintd = fprintd
            if enrolled { try fprintd.enrol(7, of: fixture.account.name, template: "a") }
        }

        private static let text = "Touch the reader"

        /// Begins, and goes on until the biometric service asks.
        func touch(_ client: inout TestClient, _ challenge: String) throws {
            let notice = try client.begin(challenge).message?.text ?? ""
            try #require(notice.hasPrefix("Read "), "\(notice)")
            let question = try client.go().message?.text ?? ""
            try #require(question.contains(Self.text), "\(question)")
        }

        /// Enrols a finger that is not in the set.
        func enrolAnother() throws { try fprintd.enrol(8, of: fixture.account.name, template: "b") }
        func removeIt() throws { try fprintd.remove(8, of: fixture.account.name) }

        /// The digest, as the authenticator reports it.
        func set() throws -> [UInt8] {
            var client = try fixture.client()
            let hex = try client.call(BrokerProtocol.Authentication.Biometry()).get().currentSet
            return try #require(hex.flatMap(Hex.decode))
        }

        /// Binds the record's key to a set, as an enrolment does.
        func bind(to set: [UInt8]) throws {
            let name = [0, 11] + [UInt8](repeating: 18, count: 32)
            try fixture.registry.replace(fixture.record, with: fixture.record.with(biometrySet: set, key: name))
        }

        func ask(for kind: String) {
            fixture.broker.change { $0.facts.authorizations = [.init(kind: kind)] }
        }

        func begin(enrolment kinds: [String]) throws -> Fault? {
            fixture.broker.change { script in
                script.facts = BrokerInterface.Describe.Reply(
                    owner: "user:\(geteuid())", vault: fixture.record.vault.hex, purposes: [.enrolment], service: nil,
                    account: nil, reason: nil, authorizations: [], alternatives: [[]],
                    enrolment: kinds)
                script.adopted = []
            }
            var client = try fixture.client()
            let step = try client.begin()
            if step.fault == nil {
                #expect(step.isDone, "nobody is asked")
                #expect(step.message == nil)
            }
            return step.fault
        }
    }

    @Test func aSetThatIsEnrolledIsSignedFor() throws {
        let scene = try Scene()
        try scene.bind(to: scene.set())
        scene.ask(for: "biometry-current-set")
        var client = try scene.fixture.client()
        #expect(try client.authenticate("").isDone)
        #expect(scene.fixture.broker.calls.contains("Complete"))
    }

    @Test func aSetThatChangedIsNotSignedFor() throws {
        let scene = try Scene()
        try scene.bind(to: scene.set())
        scene.ask(for: "biometry-current-set")
        var client = try scene.fixture.client()
        #expect(try client.begin().message?.style == .info)
        // A finger is enrolled while the person is asked.
        try scene.fprintd.enrol(8, of: scene.fixture.account.name, template: "b")
        let fault = try client.go().fault
        #expect(fault?.details.reason == "biometry")
        #expect(fault?.details.message?.contains("enrolled fingers changed") == true)
        #expect(!scene.fixture.broker.calls.contains("Prepare"))

        // A finger is enrolled before.
        var later = try scene.fixture.client()
        #expect(try later.begin().fault?.details.reason == "biometry")
        #expect(!scene.fixture.broker.calls.contains("Prepare"))
        // The other requirement still works.
        scene.ask(for: "biometry-any")
        var other = try scene.fixture.client()
        #expect(try other.authenticate("").isDone)
    }

    /// Somebody who knows the login password enrols a finger for the moment in which one is asked for.
    @Test func aFingerThatIsEnrolledForAMomentCountsForNothing() throws {
        let scene = try Scene(asks: true)
        try scene.bind(to: scene.set())
        scene.ask(for: "biometry-current-set")
        let digest = Hex.encode(try SHA256.digest(Array("second".utf8)))
        let companion = BrokerInterface.Companion(digest: digest, service: "github", account: "me", reason: nil)
        scene.fixture.broker.change { $0.companions = [companion] }
        var first = try scene.fixture.client()
        try scene.touch(&first, "first")
        try scene.enrolAnother()
        try scene.removeIt()
        let fault = try first.go().fault
        #expect(fault?.details.reason == "biometry")
        #expect(fault?.details.message?.contains("changed while you were asked") == true)
        // No other request has a yes by it.
        var second = try scene.fixture.client()
        #expect(try !second.begin("second").isDone)
        #expect(!scene.fixture.broker.calls.contains("Prepare"))
    }

    @Test func noOtherFingerCountsBeforeThePasswordIsAskedFor() throws {
        let scene = try Scene(asks: true)
        try scene.bind(to: scene.set())
        scene.fixture.ask(for: [.read], ["biometry-current-set", "passcode"])
        var early = try scene.fixture.client()
        #expect(try early.begin().message?.style == .info)
        try scene.enrolAnother()
        #expect(try early.go().fault?.details.message?.contains("enrolled fingers changed") == true)
        try scene.removeIt()

        var held = try scene.fixture.client()
        try scene.touch(&held, "held")
        try scene.enrolAnother()
        #expect(try held.go().fault?.details.reason == "biometry")
        try scene.removeIt()

        var honest = try scene.fixture.client()
        #expect(try honest.authenticate(Fixture.password).isDone)
        #expect(scene.fixture.broker.calls.count { $0 == "Prepare" } == 2)
    }

    @Test func aSetThatChangesBetweenTwoSignaturesIsNotSignedFor() throws {
        let scene = try Scene()
        try scene.bind(to: scene.set())
        scene.fixture.ask(for: [.read], ["presence", "biometry-current-set"])
        let (fprintd, name) = (scene.fprintd, scene.fixture.account.name)
        // `try?`: a failure shows below, because nothing is refused then.
        scene.fixture.broker.change {
            $0.before["Prepare"] = { try? fprintd.enrol(8, of: name, template: "b") }
        }
        var client = try scene.fixture.client()
        let fault = try client.authenticate("").fault
        #expect(fault?.details.message?.contains("enrolled fingers changed") == true)
        #expect(scene.fixture.broker.calls.count { $0 == "Prepare" } == 1)
    }

    /// Both take the same PAM service. A taken-over broker names them together (attacker 9).
    @Test func aPromptForAnyFingerAnswersNoneForTheSet() throws {
        let scene = try Scene()
        try scene.bind(to: scene.set())
        scene.ask(for: "biometry-any")
        let digest = Hex.encode(try SHA256.digest(Array("second".utf8)))
        let companion = BrokerInterface.Companion(digest: digest, service: "github", account: "me", reason: nil)
        scene.fixture.broker.change { $0.companions = [companion] }
        var first = try scene.fixture.client()
        #expect(try first.begin("first").message?.text.contains("2 times") == true)
        #expect(try first.go().isDone)
        scene.ask(for: "biometry-current-set")
        var second = try scene.fixture.client()
        #expect(try second.begin("second").message?.text.hasPrefix("Read ") == true)
    }

    /// The session is not locked, by the word of logind. Any program of the user can change that word.
    @Test(arguments: [true, nil] as [Bool?])
    func noFingerIsAskedForUnlessTheBrokerKnowsThatNoScreenIsLocked(locked: Bool?) throws {
        let scene = try Scene()
        scene.ask(for: "biometry-any")
        scene.fixture.broker.change { $0.facts.screenLocked = locked }
        var refused = try scene.fixture.client()
        let fault = try refused.begin().fault
        #expect(fault?.details.reason == "biometry")
        #expect(fault?.details.message?.contains("one of your sessions is locked") == true)
        #expect(!scene.fixture.broker.calls.contains("Prepare"))
        scene.fixture.broker.change { $0.facts.screenLocked = false }
        var client = try scene.fixture.client()
        #expect(try client.authenticate("").isDone)
    }

    @Test func anotherProgramsConversationKeepsTheFingerAway() throws {
        let scene = try Scene()
        let fixture = scene.fixture
        scene.ask(for: "biometry-any")
        do {
            // As another program of this user does while its conversation is open.
            let other = try OpenConversations.enter(
                registryDirectory: fixture.path + "/registry", uid: fixture.account.uid, program: 1)
            var refused = try fixture.client()
            let fault = try refused.begin().fault
            #expect(fault?.details.reason == "biometry")
            #expect(fault?.details.message?.contains("another request is waiting for your answer") == true)
            other.keep()
        }
        var first = try fixture.client()
        #expect(try first.authenticate("").isDone)
    }

    @Test func nothingEnrolledNothingBound() throws {
        let scene = try Scene(enrolled: false)
        for kinds in [["biometry-any"], ["biometry-current-set"], ["biometry-any", "biometry-current-set"]] {
            let fault = try scene.begin(enrolment: kinds)
            #expect(fault?.name == .authenticationInvalidArgument)
            #expect(fault?.details.advice?.contains("fprintd-enroll") == true)
        }
        // fprintd knows a finger, but nothing is stored of it.
        try scene.fprintd.enrol(7, of: scene.fixture.account.name, template: "a")
        #expect(try scene.begin(enrolment: ["biometry-any"]) == nil)
        try FileManager.default.removeItem(atPath: scene.fprintd.storage.path + "/" + scene.fixture.account.name)
        #expect(try scene.begin(enrolment: ["biometry-current-set"])?.name == .authenticationInvalidArgument)
        #expect(!scene.fixture.broker.calls.contains("ProvideKey"))
    }

    @Test func aKeyIsRegisteredOnceForASet() throws {
        let scene = try Scene()
        let set = try scene.set()
        let name = [0, 11] + [UInt8](repeating: 18, count: 32)
        scene.fixture.broker.change { $0.keyName = name }
        #expect(try scene.begin(enrolment: ["biometry-any"]) == nil)
        #expect(!scene.fixture.broker.calls.contains("ProvideKey"))
        #expect(try scene.fixture.registry.record(for: scene.fixture.record.owner) == scene.fixture.record)
        #expect(try scene.begin(enrolment: ["biometry-current-set"]) == nil)
        #expect(scene.fixture.broker.calls.suffix(3) == ["Describe", "ProvideKey", "ConfirmEnrolment"])
        let bound = scene.fixture.record.with(biometrySet: set, key: name)
        #expect(try scene.fixture.registry.record(for: scene.fixture.record.owner) == bound)
        #expect(try scene.begin(enrolment: ["biometry-current-set"]) == nil)
        #expect(try scene.fixture.registry.record(for: scene.fixture.record.owner) == bound)
        // The broker gives the presence key as the key of the fingers.
        scene.fixture.broker.change { $0.keyName = scene.fixture.record.objects[.presence] ?? [] }
        #expect(try scene.begin(enrolment: ["biometry-current-set"])?.name == .notCompleted)
        #expect(try scene.fixture.registry.record(for: scene.fixture.record.owner) == bound)
    }

    /// As above, with a real conversation of the other program's. It asks for a password.
    @Test func anotherProgramsQuestionKeepsTheFingerAway() throws {
        let scene = try Scene()
        do {
            let other = try Puppet(scene.fixture)
            #expect(try other.perform(.open).error == nil)
            scene.ask(for: "biometry-any")
            var refused = try scene.fixture.client()
            let fault = try refused.begin().fault
            #expect(fault?.details.message?.contains("another request is waiting for your answer") == true)
            withExtendedLifetime(other) {}
        }
        #expect(eventually { scene.fixture.conversations.isEmpty })
        var client = try scene.fixture.client()
        #expect(try client.authenticate("").isDone)
    }

    @Test func anEnrolmentThatTheBrokerRefusesIsSaid() throws {
        let scene = try Scene()
        let refusal = Varlink.encode(Fault(.brokerFailed, "no"))
        scene.fixture.broker.change { $0.raw["ConfirmEnrolment"] = refusal }
        #expect(try scene.begin(enrolment: ["biometry-any"])?.name == .notCompleted)
    }

    /// Another conversation of the same person's changes the record while the broker makes the key.
    @Test func aKeyIsNotRegisteredOverAChangedRecord() throws {
        let scene = try Scene()
        let (registry, record) = (scene.fixture.registry, scene.fixture.record)
        let other = record.with(
            biometrySet: [UInt8](repeating: 1, count: 32), key: [0, 11] + [UInt8](repeating: 19, count: 32))
        scene.fixture.broker.change { script in
            script.keyName = [0, 11] + [UInt8](repeating: 18, count: 32)
            // `try?`: a failure shows below, because nothing is refused then.
            script.before["ProvideKey"] = { try? registry.replace(record, with: other) }
        }
        #expect(try scene.begin(enrolment: ["biometry-current-set"])?.name == .notCompleted)
        #expect(try registry.record(for: record.owner) == other)
        #expect(!scene.fixture.broker.calls.contains("ConfirmEnrolment"))
    }

    @Test func anEnrolmentEarnsNoSignature() throws {
        let scene = try Scene()
        for kinds in [["presence"], [], ["biometry-any", "biometry-any"], ["unlock"]] {
            #expect(try scene.begin(enrolment: kinds)?.name == .authenticationChallengeRefused)
        }
        scene.fixture.broker.change { script in
            script.facts.enrolment = ["biometry-any"]
            script.facts.purposes = [.enrolment, .read]
        }
        var client = try scene.fixture.client()
        #expect(try client.begin().name == .authenticationChallengeRefused)
        #expect(!scene.fixture.broker.calls.contains("Prepare"))
    }
}
