import Authorization
import BrokerProtocol
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

        init(enrolled: Bool = true) throws {
            let logind = try LogindMock()
            let fprintd = try FprintdMock(address: logind.address)
            try logind.setLidClosed(false)
            try logind.add(session: "mine", uid: geteuid())
            try logind.countProcesses(to: "mine")
            let permit = "auth required pam_permit.so\naccount required pam_permit.so\n"
            fixture = try Fixture(
                Fixture.Options(
                    settings: """
                        system-bus = \(logind.address)
                        fingerprint-directory = \(fprintd.storage.path)
                        silent-services = coffer-biometric
                        """,
                    prepare: { path in
                        try permit.write(toFile: path + "/pam/coffer-biometric", atomically: true, encoding: .utf8)
                    }))
            self.logind = logind
            self.fprintd = fprintd
            if enrolled { try fprintd.enrol(7, of: fixture.account.name, template: "a") }
        }

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
