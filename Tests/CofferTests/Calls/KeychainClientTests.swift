import BrokerProtocol
import Glibc
import TestSupport
import Testing
import Varlink

@testable import Coffer
@testable import CofferClient

/// Calls that block, as commands make them. The broker and the authenticator are played here.
@Suite("Calls of commands")
struct KeychainClientTests {
    private static let done = FakeServer.Step.answer(Authentication.Step(message: nil, done: true))
    private static let value = FakeServer.Step.answer(Wire.Get.Reply(value: "QUI=", item: PlayedBroker.item()))

    private static func client(_ broker: PlayedBroker) -> KeychainClient {
        KeychainClient(paths: broker.paths, caller: geteuid())
    }

    private static func error(_ call: () throws(KeychainError) -> Void) -> KeychainError? {
        do throws(KeychainError) { try call() } catch { return error }
        return nil
    }

    @Test("a call that needs nobody is not answered with a question")
    func needsNobody() throws {
        let broker = try PlayedBroker([
            "Show": [PlayedBroker.need([.read]), .fault(.notFound, Fault.Details()), .fault(.locked, "m")]
        ])
        let client = Self.client(broker)
        let show = Wire.Show(service: "s", account: "me")
        let question = Self.error { () throws(KeychainError) in _ = try client.call(show) }
        #expect(question?.code == .protocolViolation)
        let absent = Self.error { () throws(KeychainError) in _ = try client.call(show) }
        #expect(absent?.code == .notFound && absent?.message == "s/me: there is no such item")
        let locked = Self.error { () throws(KeychainError) in _ = try client.call(show) }
        #expect(locked?.code == .locked && locked?.message == "m")
    }

    @Test("a person who gives up is asked once, and the challenge is taken back")
    func givingUp() throws {
        let broker = try PlayedBroker(["Get": [PlayedBroker.need([.read])]])
        let client = Self.client(broker)
        var looked: [[Wire.Purpose]] = []
        let error = Self.error { () throws(KeychainError) in
            _ = try client.call(Wire.Get(service: "s", account: "me")) { purposes throws(KeychainError) in
                looked.append(purposes)
                throw .cancelledByPerson
            }
        }
        #expect(error?.code == .cancelled && looked == [[.read]])
        let withdrawn = try broker.server.calls("Withdraw").map { try $0.parameters(Wire.Withdraw.self)?.challenge }
        #expect(withdrawn == ["c1"])
        #expect(broker.server.calls("Get").count == 1 && broker.authenticator.calls("Begin").isEmpty)
    }

    @Test("a question for nothing is taken back, and nobody is looked for")
    func nothing() throws {
        let broker = try PlayedBroker(["Get": [PlayedBroker.need([])]])
        let client = Self.client(broker)
        let error = Self.error { () throws(KeychainError) in
            _ = try client.call(Wire.Get(service: "s")) { _ throws(KeychainError) in
                Issue.record("somebody is asked for nothing")
                throw .cancelledByPerson
            }
        }
        #expect(error?.code == .requestOutdated && broker.server.calls("Withdraw").count == 1)
    }

    /// Attacker 9: nobody reads a text when root opens a service vault, and the broker may call any challenge an unlocking.
    @Test("an unlocking is answered by a challenge for unlocking only")
    func unlocking() throws {
        let broker = try PlayedBroker(
            [
                "Unlock": [PlayedBroker.need([.read]), .fault(.locked, "m")],
                "Get": [PlayedBroker.need([.read]), Self.value],
            ],
            authenticator: ["Begin": [Self.done]])
        let client = Self.client(broker)
        let error = Self.error { () throws(KeychainError) in
            _ = try client.call(Wire.Unlock()) { _ throws(KeychainError) in SilentPrompter() }
        }
        #expect(error?.code == .locked)
        _ = try client.call(Wire.Get(service: "s", account: "me")) { _ throws(KeychainError) in SilentPrompter() }
        let purposes = try broker.authenticator.calls("Begin").map {
            try $0.parameters(Authentication.Begin.self)?.purposes
        }
        #expect(purposes == [["create", "unlock"], nil])
    }

    @Test("under a lease nobody is looked for")
    func leased() throws {
        var details = Fault.Details(challenge: "c1", purposes: ["read"])
        details.leased = true
        let broker = try PlayedBroker(
            ["Get": [.fault(.authenticationRequired, details), Self.value]], authenticator: ["Begin": [Self.done]])
        let client = Self.client(broker)
        let reply = try client.call(Wire.Get(service: "s", account: "me")) { _ throws(KeychainError) in
            Issue.record("somebody is asked")
            throw .cancelledByPerson
        }
        #expect(reply.value == "QUI=")
        let challenges = try broker.server.calls("Get").map { try $0.parameters(Wire.Get.self)?.challenge }
        #expect(challenges == [nil, "c1"])
    }

    @Test("a lease that has ended costs the person one question")
    func endedLease() throws {
        var details = Fault.Details(challenge: "c1", purposes: ["read"])
        details.leased = true
        let broker = try PlayedBroker(
            ["Get": [.fault(.authenticationRequired, details), PlayedBroker.need([.read]), Self.value]],
            authenticator: ["Begin": [.fault(.authenticationChallengeRefused, "ended"), Self.done]])
        let client = Self.client(broker)
        var looked = 0
        _ = try client.call(Wire.Get(service: "s", account: "me")) { _ throws(KeychainError) in
            looked += 1
            return SilentPrompter()
        }
        let challenges = try broker.server.calls("Get").map { try $0.parameters(Wire.Get.self)?.challenge }
        #expect(looked == 1 && challenges == [nil, nil, "c1"])
    }

    /// The code is the person's word about the machine, and nothing else needs it.
    @Test("a code that was typed goes with the question that it is for")
    func code() throws {
        let broker = try PlayedBroker(
            [
                "Add": [
                    PlayedBroker.need([.unlock]), PlayedBroker.need([.addToCircle]),
                    .answer(Sync.Add.Reply(path: "p")),
                ], "AddPaper": [PlayedBroker.need([.paperToCircle]), .answer(Nothing())],
            ], authenticator: ["Begin": [Self.done]])
        let client = Self.client(broker)
        let find = { (_: [Wire.Purpose]) throws(KeychainError) -> any Prompter in SilentPrompter() }
        _ = try client.call(Sync.Add(code: "d"), code: TypedCode("123", isAttested: true), prompter: find)
        _ = try client.call(Sync.AddPaper(keys: "k"), code: TypedCode("456"), prompter: find)
        let begun = try broker.authenticator.calls("Begin").map {
            try #require(try $0.parameters(Authentication.Begin.self))
        }
        #expect(begun.map(\.code) == [nil, "123", "456"] && begun.map(\.attested) == [nil, true, nil])
    }

    @Test("only root renews the authenticator's signing key")
    func signingKey() throws {
        let broker = try PlayedBroker(
            [:],
            authenticator: [
                "RenewSigningKey": [
                    .answer(Authentication.RenewSigningKey.Reply(former: 3)),
                    .fault(.authenticationFailed, Fault.Details(reason: "denied")),
                    .fault(.authenticationFailed, Fault.Details(reason: "password")),
                ]
            ])
        let client = Self.client(broker)
        #expect(try client.renewSigningKey() == 3)
        for code in [KeychainError.Code.notPermitted, .wrongPassword] {
            let error = Self.error { () throws(KeychainError) in _ = try client.renewSigningKey() }
            #expect(error?.code == code)
        }
    }

    @Test("what of a vault was moved aside is told, also if the rest was not")
    func setAside() throws {
        let moved = Wire.SetAsideVault.Reply(owner: "user:7", stamp: "t1", file: "/f")
        let broker = try PlayedBroker(
            ["SetAsideVault": [.answer(moved)]],
            authenticator: [
                "SetAside": [
                    .answer(Authentication.SetAside.Reply(record: "/r", copy: "/c")),
                    .fault(.brokerUnavailable, "gone"),
                    .fault(.notCompleted, .init(message: "no copy", advice: "copy it by hand", kind: "failed")),
                ]
            ])
        let client = Self.client(broker)
        let place = try client.setAsideVault(isForced: true)
        #expect(place.file == "/f" && place.record == "/r" && place.copy == "/c")
        let error = Self.error { () throws(KeychainError) in _ = try client.setAsideVault(isForced: false) }
        #expect(error?.code == .brokerUnreachable && error?.message.contains("aside (to /f)") == true)
        #expect(error?.advice.hasSuffix("run the same command again") == true)
        let noCopy = Self.error { () throws(KeychainError) in _ = try client.setAsideVault(isForced: true) }
        #expect(noCopy?.advice == "copy it by hand" && noCopy?.message.contains("registry") == false)
        let forced = try broker.server.calls("SetAsideVault").map { try $0.parameters(Wire.SetAsideVault.self)?.force }
        #expect(forced == [true, nil, true])
        let calls = broker.authenticator.calls("SetAside")
        let call = try #require(try calls.first?.parameters(Authentication.SetAside.self))
        #expect(call.owner == "user:7" && call.stamp == "t1")
    }

    @Test("a renewal of all keys asks as often as the items need, and for nothing else")
    func rotateAll() throws {
        let renewed = Wire.RotateAll.Reply(items: 5, passwords: [PlayedBroker.item("a")], revoked: true)
        let need = PlayedBroker.need([.rotate])
        let broker = try PlayedBroker(
            ["RotateAll": [need, need, .answer(renewed), need]], authenticator: ["Begin": [Self.done]])
        let client = Self.client(broker)
        let find = { (_: [Wire.Purpose]) throws(KeychainError) -> any Prompter in SilentPrompter() }
        let keys = try client.rotateAll(["1": [65, 66]], prompts: 1, prompter: find)
        #expect(keys.items == 5 && keys.isRevoked && keys.passwords.map(\.account) == ["a"])
        #expect(broker.authenticator.calls("Begin").count == 2)
        let call = try #require(try broker.server.calls("RotateAll").first?.parameters(Wire.RotateAll.self))
        #expect(call.applicationPasswords?.map(\.password) == ["QUI="])
        // Two more, and then no third one.
        let error = Self.error { () throws(KeychainError) in
            _ = try client.rotateAll([:], prompts: 1, prompter: find)
        }
        #expect(error?.code == .requestOutdated && broker.authenticator.calls("Begin").count == 4)
        let other = try PlayedBroker(["RotateAll": [PlayedBroker.need([.read])]])
        let wrong = Self.error { () throws(KeychainError) in
            _ = try Self.client(other).rotateAll([:], prompts: 1, prompter: find)
        }
        #expect(wrong?.code == .protocolViolation && other.server.calls("Withdraw").count == 1)
    }

    @Test("a renewal whose answer is lost may have been made, and is right to repeat")
    func rotateAllInterrupted() throws {
        let find = { (_: [Wire.Purpose]) throws(KeychainError) -> any Prompter in SilentPrompter() }
        for (steps, isUnknown) in [([PlayedBroker.need([.rotate]), .close], true), ([FakeServer.Step.close], false)] {
            let broker = try PlayedBroker(["RotateAll": steps], authenticator: ["Begin": [Self.done]])
            let error = Self.error { () throws(KeychainError) in
                _ = try Self.client(broker).rotateAll([:], prompts: 1, prompter: find)
            }
            #expect(error?.code == .brokerUnreachable, "\(String(describing: error))")
            #expect(error?.message.contains("it is not known whether the keys were renewed") == isUnknown)
            #expect(error?.advice.contains("run the command again") == isUnknown)
        }
    }
}
