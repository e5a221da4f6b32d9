import Foundation
import TestSupport
import Testing

/// From the finger on the reader to the value: the real pam_fprintd, a real bus, the real programs.
@Suite(.serialized) struct BiometryTests {
    @Test func aFingerOpensWhatItIsAskedForAndNothingElseDoes() throws {
        let fixture = try FingerFixture()
        try fixture.set("any", "biometry")
        try fixture.set("bound", "biometry-current-set")
        for account in ["any", "bound"] {
            let read = try fixture.read(account)
            #expect(read.code == 0, "\(read)")
            #expect(read.text == "value of \(account)")
        }

        try fixture.fprintd.setTouches([.noMatch])
        let refused = try fixture.read("any")
        #expect(refused.code == 4, "\(refused)")
        #expect(refused.errors.contains("no enrolled finger was recognised"), "\(refused)")
        #expect(refused.output.isEmpty)
        // Failures count. The next tries should not have to wait for them.
        try fixture.fprintd.setTouches([.match])
        #expect(try fixture.read("any").code == 0)

        func refusal(_ words: String, _ location: SourceLocation = #_sourceLocation) throws {
            let outcome = try fixture.read("any")
            #expect(outcome.code == 4, "\(outcome)", sourceLocation: location)
            #expect(outcome.errors.contains(words), "\(outcome)", sourceLocation: location)
            #expect(outcome.output.isEmpty, sourceLocation: location)
        }
        try fixture.fprintd.setReaders(0)
        try refusal("no fingerprint reader")
        try fixture.fprintd.setReaders(1)
        try fixture.logind.changeLidClosed(true)
        try refusal("the lid is closed")
        try fixture.logind.changeLidClosed(false)
        try fixture.logind.setRemote(true, session: "mine")
        try refusal("is not at this machine")
        try fixture.logind.setRemote(false, session: "mine")
        try fixture.logind.setActive(false, session: "mine")
        try refusal("is not the active one")
        try fixture.logind.setActive(true, session: "mine")
        #expect(try fixture.read("any").code == 0)
        try fixture.fprintd.removeAll(of: fixture.user)
        try refusal("enrol one with: fprintd-enroll")

        // No finger is enrolled, so an item that needs one is not made.
        let unreadable = try fixture.coffer("set", "s", "never", "--require", "biometry", input: "x")
        #expect(unreadable.code == 64, "\(unreadable)")
        #expect(unreadable.errors.contains("could never be read here"), "\(unreadable)")
        #expect(unreadable.errors.contains("fprintd-enroll"), "\(unreadable)")
        #expect(try fixture.coffer("exists", "s", "never").code == 3)
    }

    @Test func oneTouchAnswersWhatOneProgramAsksAtOnce() throws {
        let fixture = try FingerFixture("--software")
        let accounts = (0..<5).map { "item-\($0)" }
        for account in accounts { try fixture.set(account, "biometry") }
        // A second question would get an unknown finger.
        try fixture.fprintd.setTouches([.match, .noMatch])
        let answers = try Storm(wishes: accounts.map { Storm.Wish(service: "s", account: $0) }).run(in: fixture.sandbox)
        #expect(answers.map(\.value) == accounts.map { "value of \($0)" }, "\(answers)")
    }

    @Test func aLockedSessionIsAskedForNoFinger() throws {
        let fixture = try FingerFixture("--software")
        let stored = try fixture.coffer(
            "set", "s", "any", "--require", "biometry", "--access", "always", "--this-device-only", input: "v")
        try #require(stored.code == 0, "\(stored)")
        #expect(try fixture.read("any").code == 0)
        try fixture.logind.setLockedHint(true, session: "mine")
        let refused = try fixture.read("any")
        #expect(refused.code == 4, "\(refused)")
        #expect(refused.errors.contains("is locked"), "\(refused)")
    }

    /// Under a lease nobody is asked for a finger, and the enrolled fingers still count.
    @Test func anotherFingerEndsALeaseForWhatIsBoundToTheSet() throws {
        let fixture = try FingerFixture("--software")
        try fixture.set("any", "biometry")
        try fixture.set("bound", "biometry-current-set")
        let broker = try #require(fixture.sandbox.variables["COFFER_SOCKET"])
        let authenticator = fixture.sandbox.directory + "/auth.sock"
        let tree = try ProcessTree()
        let leader = try tree.root.spawn()
        let items = ["any", "bound"].map { ["service": "s", "account": $0] }
        let granted = try leader.call(
            "org.coffer.Keychain.Lease", ["items": items, "seconds": 600], at: broker, authenticator,
            password: "no password is asked for")
        #expect(granted.done == true, "\(granted)")
        let child = try leader.spawn()
        func read(_ account: String) throws -> ProcessTree.Reply {
            try child.call(
                "org.coffer.Keychain.Get", ["service": "s", "account": account], at: broker, authenticator,
                password: "no password is asked for")
        }
        func expectUnasked(_ account: String, _ location: SourceLocation = #_sourceLocation) throws {
            let reply = try read(account)
            let value = Data("value of \(account)".utf8).base64EncodedString()
            #expect(
                reply.leased == true && reply.messages == [] && reply.answer?.contains(value) == true, "\(reply)",
                sourceLocation: location)
        }
        for account in ["any", "bound"] { try expectUnasked(account) }
        try fixture.fprintd.enrol(8, of: fixture.user, template: "somebody else's")
        let lost = try read("bound")
        #expect(lost.leased == true && lost.messages == [] && lost.done != true, "\(lost)")
        #expect(lost.answer?.contains("enrolled fingers changed since") == true, "\(lost)")
        // As without a lease, the new finger reads what any finger reads.
        try expectUnasked("any")
    }

    @Test func anotherFingerKillsWhatIsBoundToTheSetAndNothingElse() throws {
        let fixture = try FingerFixture()
        try fixture.set("any", "biometry")
        try fixture.set("bound", "biometry-current-set")
        let before = try fixture.coffer("doctor")
        #expect(before.text.contains("1 item is bound to the fingers that are enrolled now"), "\(before)")

        try fixture.fprintd.enrol(8, of: fixture.user, template: "somebody else's")
        let lost = try fixture.read("bound")
        #expect(lost.code == 4, "\(lost)")
        #expect(lost.errors.contains("enrolled fingers changed since"), "\(lost)")
        #expect(lost.output.isEmpty)
        #expect(try fixture.read("any").text == "value of any")

        let doctor = try fixture.coffer("doctor")
        #expect(doctor.code == 1, "\(doctor)")
        #expect(doctor.text.contains("TO DO  s/bound: the enrolled fingers changed"), "\(doctor)")
        #expect(!doctor.text.contains("s/any"))
        #expect(doctor.text.contains("biometrics can be used: fingerprint"), "\(doctor)")
        let json = try fixture.coffer("doctor", "--json")
        #expect(json.code == 1)
        #expect(json.text.contains("\"check\" : \"fingers\""), "\(json)")

        // A new item is bound to the fingers that are enrolled now. The old one stays lost, even if its fingers come
        // back.
        try fixture.set("new", "biometry-current-set")
        #expect(try fixture.read("new").text == "value of new")
        try fixture.fprintd.remove(8, of: fixture.user)
        #expect(try fixture.read("bound").code == 4)
        #expect(try fixture.read("new").code == 4)
        #expect(try fixture.read("any").text == "value of any")

        try fixture.set("bound", "biometry-current-set")
        #expect(try fixture.read("bound").text == "value of bound")
        try fixture.fprintd.removeAll(of: fixture.user)
        let none = try fixture.read("bound")
        #expect(none.code == 4, "\(none)")
        try fixture.sandbox.expectTPMEmpty()
    }
}
