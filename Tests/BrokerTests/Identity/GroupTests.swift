import Broker
import BrokerProtocol
import Foundation
import Platform
import TestSupport
import Testing
import Varlink

/// Group vaults, with real accounts, groups and processes of this machine.
@Suite(.timeLimit(.minutes(30)), .enabled(if: OwnProcess.effectiveUser == 0, "needs root"), .serialized)
struct GroupTests {
    /// Ada and Bob are members. Their own vaults and the group's are open. Carol is not a member.
    private struct Company {
        let accounts: ThrowAwayAccounts
        let broker: ThrowAwayBroker
        let clock: TestClock
        let ada: OtherUser
        let bob: OtherUser
        let carol: OtherUser

        /// Parameters with the group's name.
        func inGroup(_ parameters: String = "") -> String {
            (parameters.isEmpty ? "" : parameters + ",") + #""group":"\#(accounts.group)""#
        }

        init() async throws {
            accounts = try ThrowAwayAccounts(3)
            let clock = TestClock()
            self.clock = clock
            var options = Broker.Options.patient
            options.clock = clock.clock
            broker = try await throwAwayBroker(options: options) { $0.idleLock = 0 }
            try accounts.join(0)
            try accounts.join(1)
            ada = try await OtherUser(broker, accounts.uids[0])
            // The processes themselves belong to the group, and still do when the accounts no longer do.
            bob = try await OtherUser(broker, accounts.uids[1], groups: [accounts.gid])
            carol = try await OtherUser(broker, accounts.uids[2], groups: [accounts.gid])
            for user in [ada, bob, carol] { #expect(try await user.pass("Unlock").contains("unlocked")) }
            #expect(try await ada.pass("Unlock", inGroup()).contains("unlocked"))
            #expect(try await ada.say("Set", inGroup(Self.item + #","value":"\#(someValue)""#)).contains("item"))
            let gated =
                #""service":"s","account":"gated","value":"\#(someValue)","access":{"accessibility":"#
                + #""when-unlocked","thisDeviceOnly":false,"require":["presence"],"any":false}"#
            #expect(try await bob.say("Set", inGroup(gated)).contains("item"))
        }

        static let item = #""service":"s","account":"a""#
        static let gated = #""service":"s","account":"gated""#

        func get(_ user: OtherUser, _ item: String = item) async throws -> String {
            try await user.say("Get", inGroup(item))
        }
    }

    @Test("members read what any of them stored; the log names who did; nobody's own vault has it")
    func members() async throws {
        let company = try await Company()
        for member in [company.ada, company.bob] {
            #expect(try await company.get(member).contains(someValue))
            #expect(try await member.say("List").contains(#""items":[]"#))
            #expect(try await member.say("Get", Company.item).contains("NotFound"))
        }
        let log = try await company.ada.say("Log", company.inGroup())
        for uid in company.accounts.uids.prefix(2) { #expect(log.contains(#""uid":\#(uid)"#)) }
        #expect(!log.contains(#""uid":\#(company.accounts.uids[2])"#))
        #expect(try await company.bob.say("VerifyLog", company.inGroup()).contains(#""whole":true"#))
        await company.broker.stop()
    }

    @Test("an item that asks for a person asks the one who reads")
    func presence() async throws {
        let company = try await Company()
        let asked = try await company.get(company.bob, Company.gated)
        let id = try OtherUser.challenge(in: asked)
        // The question is Bob's. The authenticator gets no facts for Ada's process.
        await #expect(throws: Fault.self) {
            try await company.broker.authenticator.grant(
                id, uid: company.ada.uid, process: company.ada.process.identity)
        }
        #expect(try await company.bob.pass("Get", company.inGroup(Company.gated)).contains(someValue))
        #expect(try await company.ada.pass("Get", company.inGroup(Company.gated)).contains(someValue))
        await company.broker.stop()
    }

    /// Every method that takes a group and makes no vault.
    private static let methods: [(String, String)] = [
        ("Get", Company.item), ("Get", Company.gated), ("Exists", Company.item), ("Show", Company.item), ("List", ""),
        ("Search", #""text":"s""#), ("Edit", Company.item + #","label":"x""#), ("Delete", Company.item),
        ("Rename", Company.item + #","newService":"t","newAccount":"t""#), ("Lock", ""), ("Status", ""), ("Log", ""),
        ("VerifyLog", ""),
    ]
    private static let making = [("Set", Company.item + #","value":"""#), ("Unlock", "")]

    @Test("a group that is missing, foreign, left or without a keychain is one and the same answer")
    func alike() async throws {
        let company = try await Company()
        let empty = try ThrowAwayAccounts(0)
        try company.accounts.leave(1)
        try Tool.output("gpasswd", ["--add", company.accounts.names[0], empty.group])
        let foreign = company.inGroup
        func named(_ group: String, _ parameters: String) -> String {
            (parameters.isEmpty ? "" : parameters + ",") + #""group":"\#(group)""#
        }
        for (method, parameters) in Self.methods + Self.making {
            let missing = try await company.carol.say(method, named("no-such-group", parameters))
            #expect(missing.contains("org.coffer.Keychain.NotFound"), "\(method): \(missing)")
            #expect(try await company.carol.say(method, foreign(parameters)) == missing, "\(method), foreign")
            #expect(try await company.bob.say(method, foreign(parameters)) == missing, "\(method), left")
            #expect(try await company.carol.say(method, named(empty.group, parameters)) == missing, "\(method), none")
            if Self.making.contains(where: { $0.0 == method }) { continue }
            #expect(try await company.ada.say(method, named(empty.group, parameters)) == missing, "\(method), no vault")
        }
        #expect(try await company.get(company.ada).contains(someValue))
        await company.broker.stop()
    }

    @Test("removing a member ends access at once: with the vault open, and what a person has granted")
    func removal() async throws {
        let company = try await Company()
        let id = try OtherUser.challenge(in: try await company.get(company.bob, Company.gated))
        try await company.broker.authenticator.grant(id, uid: company.bob.uid, process: company.bob.process.identity)
        #expect(try await company.get(company.bob).contains(someValue))
        try company.accounts.leave(1)
        let granted = try await company.bob.say("Get", company.inGroup(Company.gated + #","challenge":"\#(id)""#))
        #expect(granted.contains("NotFound") && !granted.contains(someValue))
        let plain = try await company.get(company.bob)
        #expect(plain.contains("NotFound") && !plain.contains(someValue))
        // A member who comes back finds everything. Nothing that was granted before goes to another.
        try company.accounts.join(1)
        #expect(try await company.get(company.bob).contains(someValue))
        await company.broker.stop()
    }

    @Test("a member's lock closes the group's keychain to him, the last one's wipes its keys")
    func lastLock() async throws {
        let company = try await Company()
        #expect(try await company.ada.say("Lock").contains(#""state":"locked""#))
        let closed = try await company.get(company.ada)
        #expect(closed.contains("Locked") && !closed.contains(someValue))
        #expect(try await company.ada.say("Unlock", company.inGroup()).contains("Locked"))
        #expect(try await company.get(company.bob).contains(someValue))
        #expect(try await company.bob.say("Status", company.inGroup()).contains(#""state":"unlocked""#))
        #expect(try await company.bob.say("Lock").contains(#""state":"locked""#))
        // Carol's own vault is open all the time. It keeps nothing open, because she is not a member.
        #expect(try await company.bob.say("Status", company.inGroup()).contains(#""state":"locked""#))
        #expect(try await company.bob.pass("Unlock").contains("unlocked"))
        #expect(try await company.get(company.bob).contains("Locked"))
        #expect(try await company.bob.pass("Unlock", company.inGroup()).contains("unlocked"))
        #expect(try await company.get(company.bob).contains(someValue))
        await company.broker.stop()
    }

    @Test("whatever an item's class: to a member whose own keychain is locked the group's is closed")
    func everyClass() async throws {
        let company = try await Company()
        let classes = ["when-unlocked", "after-first-unlock", "always"]
        for name in classes {
            let access =
                #""access":{"accessibility":"\#(name)","thisDeviceOnly":\#(name == "always"),"require":[],"any":false}"#
            let item = #""service":"s","account":"\#(name)","value":"\#(someValue)","# + access
            #expect(try await company.ada.say("Set", company.inGroup(item)).contains("item"))
        }
        func get(_ user: OtherUser, _ name: String) async throws -> String {
            try await company.get(user, #""service":"s","account":"\#(name)""#)
        }
        for name in classes { #expect(try await get(company.ada, name).contains(someValue), "\(name)") }
        #expect(try await company.ada.say("Lock").contains(#""state":"locked""#))
        for name in classes {
            let closed = try await get(company.ada, name)
            #expect(closed.contains("Locked") && !closed.contains(someValue), "\(name): \(closed)")
            // The group's vault is open all the time.
            #expect(try await get(company.bob, name).contains(someValue), "\(name)")
        }
        await company.broker.stop()
    }

    @Test("`Lock` of a group's keychain wipes at once, and ends what members were asked")
    func lockGroup() async throws {
        let company = try await Company()
        let id = try OtherUser.challenge(in: try await company.get(company.bob, Company.gated))
        #expect(try await company.ada.say("Lock", company.inGroup()).contains(#""state":"locked""#))
        await #expect(throws: Fault.self) {
            try await company.broker.authenticator.grant(
                id, uid: company.bob.uid, process: company.bob.process.identity)
        }
        #expect(try await company.get(company.bob).contains("Locked"))
        // Both in one conversation: the group's vault and the item.
        let both = try await company.bob.pass("Get", company.inGroup(Company.gated + #","unlock":true"#))
        #expect(both.contains(someValue))
        await company.broker.stop()
    }

    @Test("a member's lock ends what he was asked about the group's keychain")
    func lockDropsQuestions() async throws {
        let company = try await Company()
        _ = try await company.ada.say("Lock", company.inGroup())
        let id = try OtherUser.challenge(in: try await company.bob.say("Unlock", company.inGroup()))
        _ = try await company.bob.say("Lock")
        await #expect(throws: Fault.self) {
            try await company.broker.authenticator.grant(
                id, uid: company.bob.uid, process: company.bob.process.identity)
        }
        #expect(try await company.ada.say("Status", company.inGroup()).contains(#""state":"locked""#))
        await company.broker.stop()
    }

    @Test("keys that only a removed member kept are wiped within a minute, without anybody's call")
    func abandoned() async throws {
        let company = try await Company()
        _ = try await company.ada.say("Lock")
        try company.accounts.leave(1)
        #expect(try await company.ada.say("Status", company.inGroup()).contains(#""state":"unlocked""#))
        company.clock.advance(by: .seconds(61))
        let deadline = ContinuousClock.now + patience
        while try await !company.ada.say("Status", company.inGroup()).contains(#""state":"locked""#) {
            try #require(ContinuousClock.now < deadline)
            try await Task.sleep(for: .milliseconds(5))
        }
        await company.broker.stop()
    }

    @Test("items that hang on one person are refused in a group's keychain")
    func refused() async throws {
        let company = try await Company()
        for (access, require) in [("passcode-set", ""), ("when-unlocked", #""biometry-current-set""#)] {
            let wire =
                #","access":{"accessibility":"\#(access)","thisDeviceOnly":true,"require":[\#(require)],"any":false}"#
            let set = try await company.ada.say(
                "Set", company.inGroup(#""service":"s","account":"one","value":""\#(wire)"#))
            #expect(set.contains("InvalidArgument"), "\(set)")
            let edit = try await company.ada.say("Edit", company.inGroup(Company.item + wire))
            #expect(edit.contains("InvalidArgument"), "\(edit)")
        }
        await company.broker.stop()
    }

    @Test("a group's keychain has no recovery code: its secrets are not one member's to take along")
    func recovery() async throws {
        let company = try await Company()
        for method in ["NewRecoveryCode", "ConfirmRecoveryCode"] {
            let answer = try await company.ada.say(method, company.inGroup(#""characters":"AAAAA""#))
            #expect(answer.contains("NotPermitted"), "\(answer)")
        }
        #expect(try await !company.ada.say("Status", company.inGroup("")).contains("recovery"))
        await company.broker.stop()
    }

    @Test("a number that now belongs to another group is another owner")
    func renamed() async throws {
        let company = try await Company()
        let other = "\(company.accounts.group)x"
        try company.accounts.renameGroup(to: other)
        #expect(try await company.get(company.ada).contains("NotFound"))
        let answer = try await company.ada.say("Get", Company.item + #","group":"\#(other)""#)
        #expect(answer.contains("NotPermitted") && !answer.contains(someValue))
        #expect(answer.contains("coffer vault set-aside --group \(company.accounts.gid)"), "\(answer)")
        // Nobody can use it, so root need not insist.
        let setAside = Keychain.InVault(Keychain.SetAsideVault(), .init(group: other))
        #expect(try await company.broker.client().call(setAside).file != nil)
        await company.broker.stop()
    }

    @Test("a grant is good for the keychain that it was for")
    func otherKeychain() async throws {
        let company = try await Company()
        _ = try await company.bob.say("Lock")
        let id = try OtherUser.challenge(in: try await company.bob.say("Unlock"))
        try await company.broker.authenticator.grant(id, uid: company.bob.uid, process: company.bob.process.identity)
        let answer = try await company.bob.say("Unlock", company.inGroup(#""challenge":"\#(id)""#))
        #expect(answer.contains("ChallengeRefused"))
        #expect(
            try await company.bob.say("Get", company.inGroup(Company.item + #","user":"root""#)).contains(
                "InvalidArgument"))
        await company.broker.stop()
    }
}
