import Foundation
import TestSupport
import Testing

/// From the finger on the reader to the value: the real pam_fprintd, a real bus, the real programs.
@Suite(.serialized) struct BiometryTests {
    @Test func aFingerOpensWhatItIsAskedForAndNothingElseDoes() throws {
        let stage = try FingerFixture()
        try stage.set("any", "biometry")
        try stage.set("bound", "biometry-current-set")
        for account in ["any", "bound"] {
            let read = try stage.read(account)
            #expect(read.code == 0, "\(read)")
            #expect(read.text == "value of \(account)")
        }

        try stage.fprintd.setTouches([.noMatch])
        let refused = try stage.read("any")
        #expect(refused.code == 4, "\(refused)")
        #expect(refused.errors.contains("no enrolled finger was recognised"), "\(refused)")
        #expect(refused.output.isEmpty)
        // Failures count. The next tries should not have to wait for them.
        try stage.fprintd.setTouches([.match])
        #expect(try stage.read("any").code == 0)

        func refusal(_ words: String, _ location: SourceLocation = #_sourceLocation) throws {
            let outcome = try stage.read("any")
            #expect(outcome.code == 4, "\(outcome)", sourceLocation: location)
            #expect(outcome.errors.contains(words), "\(outcome)", sourceLocation: location)
            #expect(outcome.output.isEmpty, sourceLocation: location)
        }
        try stage.fprintd.setReaders(0)
        try refusal("no fingerprint reader")
        try stage.fprintd.setReaders(1)
        try stage.logind.changeLidClosed(true)
        try refusal("the lid is closed")
        try stage.logind.changeLidClosed(false)
        try stage.logind.setRemote(true, session: "mine")
        try refusal("is not at this machine")
        try stage.logind.setRemote(false, session: "mine")
        try stage.logind.setActive(false, session: "mine")
        try refusal("is not the active one")
        try stage.logind.setActive(true, session: "mine")
        #expect(try stage.read("any").code == 0)
        try stage.fprintd.removeAll(of: stage.user)
        try refusal("enrol one with: fprintd-enroll")

        // No finger is enrolled, so an item that needs one is not made.
        let unreadable = try stage.coffer("set", "s", "never", "--require", "biometry", input: "x")
        #expect(unreadable.code == 64, "\(unreadable)")
        #expect(unreadable.errors.contains("could never be read here"), "\(unreadable)")
        #expect(unreadable.errors.contains("fprintd-enroll"), "\(unreadable)")
        #expect(try stage.coffer("exists", "s", "never").code == 3)
    }

    @Test func oneTouchAnswersWhatOneProgramAsksAtOnce() throws {
        let stage = try FingerFixture("--software")
        let accounts = (0..<5).map { "item-\($0)" }
        for account in accounts { try stage.set(account, "biometry") }
        // A second question would get an unknown finger.
        try stage.fprintd.setTouches([.match, .noMatch])
        let answers = try Storm(wishes: accounts.map { Storm.Wish(service: "s", account: $0) }).run(in: stage.sandbox)
        #expect(answers.map(\.value) == accounts.map { "value of \($0)" }, "\(answers)")
    }

    @Test func aLockedSessionIsAskedForNoFinger() throws {
        let stage = try FingerFixture("--software")
        let stored = try stage.coffer(
            "set", "s", "any", "--require", "biometry", "--access", "always", "--this-device-only", input: "v")
        try #require(stored.code == 0, "\(stored)")
        #expect(try stage.read("any").code == 0)
        try stage.logind.setLockedHint(true, session: "mine")
        let refused = try stage.read("any")
        #expect(refused.code == 4, "\(refused)")
        #expect(refused.errors.contains("is locked"), "\(refused)")
    }

    /// Under a lease nobody is asked for a finger, and the enrolled fingers still count.
    @Test func anotherFingerEndsALeaseForWhatIsBoundToTheSet() throws {
        let stage = try FingerFixture("--software")
        try stage.set("any", "biometry")
        try stage.set("bound", "biometry-current-set")
        let broker = try #require(stage.sandbox.variables["COFFER_SOCKET"])
        let authenticator = stage.sandbox.directory + "/auth.sock"
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
        try stage.fprintd.enrol(8, of: stage.user, template: "somebody else's")
        let lost = try read("bound")
        #expect(lost.leased == true && lost.messages == [] && lost.done != true, "\(lost)")
        #expect(lost.answer?.contains("enrolled fingers changed since") == true, "\(lost)")
        // As without a lease, the new finger reads what any finger reads.
        try expectUnasked("any")
    }

    @Test func anotherFingerKillsWhatIsBoundToTheSetAndNothingElse() throws {
        let stage = try FingerFixture()
        try stage.set("any", "biometry")
        try stage.set("bound", "biometry-current-set")
        let before = try stage.coffer("doctor")
        #expect(before.text.contains("1 item is bound to the fingers that are enrolled now"), "\(before)")

        try stage.fprintd.enrol(8, of: stage.user, template: "somebody else's")
        let lost = try stage.read("bound")
        #expect(lost.code == 4, "\(lost)")
        #expect(lost.errors.contains("enrolled fingers changed since"), "\(lost)")
        #expect(lost.output.isEmpty)
        #expect(try stage.read("any").text == "value of any")

        let doctor = try stage.coffer("doctor")
        #expect(doctor.code == 1, "\(doctor)")
        #expect(doctor.text.contains("TO DO  s/bound: the enrolled fingers changed"), "\(doctor)")
        #expect(!doctor.text.contains("s/any"))
        #expect(doctor.text.contains("biometrics can be used: fingerprint"), "\(doctor)")
        let json = try stage.coffer("doctor", "--json")
        #expect(json.code == 1)
        #expect(json.text.contains("\"check\" : \"fingers\""), "\(json)")

        // A new item is bound to the fingers that are enrolled now. The old one stays lost, even if its fingers come
        // back.
        try stage.set("new", "biometry-current-set")
        #expect(try stage.read("new").text == "value of new")
        try stage.fprintd.remove(8, of: stage.user)
        #expect(try stage.read("bound").code == 4)
        #expect(try stage.read("new").code == 4)
        #expect(try stage.read("any").text == "value of any")

        try stage.set("bound", "biometry-current-set")
        #expect(try stage.read("bound").text == "value of bound")
        try stage.fprintd.removeAll(of: stage.user)
        let none = try stage.read("bound")
        #expect(none.code == 4, "\(none)")
        try stage.sandbox.expectTPMEmpty()
    }
}
