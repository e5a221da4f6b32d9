import Authorization
import BrokerProtocol
import Foundation
import Item
import Platform
import TestSupport
import Testing
import Varlink

/// Vaults of accounts that have no person to ask: root's rights, and their limits.
@Suite(.timeLimit(.minutes(30)), .enabled(if: OwnProcess.effectiveUser == 0, "needs root"), .serialized)
struct ServiceVaultTests {
    private let accounts: ThrowAwayAccounts

    init() throws { accounts = try ThrowAwayAccounts(2) }

    private var service: String { accounts.names[0] }

    private func forService<Method: VarlinkMethod>(_ method: Method) -> Keychain.InVault<Method> {
        Keychain.InVault(method, .init(user: service))
    }

    /// A broker with an unlocked service vault, and root's connection to it.
    private func prepared() async throws -> (ThrowAwayBroker, WireClient) {
        let broker = try await throwAwayBroker()
        let root = try broker.client()
        let id = try await challenge { try await root.call(Keychain.CreateVault(owner: service)) }
        try await broker.authenticator.grant(id)
        let made = try await root.call(Keychain.CreateVault(owner: service, challenge: id)).vault
        #expect(made.state == .unlocked)
        for (account, access) in [
            ("always", AccessControl.Accessibility.always), ("first", .afterFirstUnlock), ("open", .whenUnlocked),
        ] {
            _ = try await root.call(
                forService(
                    Keychain.Set(
                        service: "s", account: account, value: someValue, access: .init(accessibility: access))))
        }
        return (broker, root)
    }

    private func get(_ account: String) -> Keychain.InVault<Keychain.Get> {
        forService(Keychain.Get(service: "s", account: account))
    }

    @Test("root makes it once, fills it, reads and locks it; the registry's record says what it is")
    func root() async throws {
        let (broker, root) = try await prepared()
        let record = try #require(try broker.authenticator.registry.record(for: .user(accounts.uids[0])))
        #expect(record.isService && record.ownerName == service)
        #expect(
            try await fault { try await root.call(Keychain.CreateVault(owner: service)) }.name == .alreadyExists)
        #expect(try await root.call(forService(Keychain.List())).items.count == 3)
        #expect(try await root.call(get("open")).value == someValue)
        #expect(try await root.call(forService(Keychain.Lock())).vault.state == .locked)
        #expect(try await fault { try await root.call(get("open")) }.name == .locked)
        #expect(try await root.call(forService(Keychain.Status())).vault.state == .locked)
        let log = try await root.call(forService(Keychain.Log())).records
        #expect(log.contains { $0.event == "lock" && $0.uid == 0 } && log.contains { $0.event == "create" })
        _ = try await root.call(forService(Keychain.Delete(service: "s", account: "open")))
        // Root's own vault is not affected.
        #expect(try await root.call(Keychain.Status()).vault.state == .none)
        await broker.stop()
    }

    @Test("its account reads `always` at any time, `after-first-unlock` when root has unlocked, and asks nobody")
    func account() async throws {
        let (broker, _) = try await prepared()
        let folder = broker.folder
        await broker.stop()
        let again = try await throwAwayBroker(folder: folder, authenticator: broker.authenticator)
        let owner = try await OtherUser(again, accounts.uids[0])
        #expect(try await owner.say("Get", #""service":"s","account":"always""#).contains(someValue))
        #expect(try await owner.say("Get", #""service":"s","account":"first""#).contains("Locked"))
        let root = try again.client()
        let unlock = forService(Keychain.Unlock())
        let id = try await challenge { try await root.call(unlock) }
        try await again.authenticator.grant(id)
        let open = try await root.call(forService(Keychain.Unlock(challenge: id))).vault
        #expect(open.state == .unlocked)
        for account in ["always", "first", "open"] {
            #expect(try await owner.say("Get", #""service":"s","account":"\#(account)""#).contains(someValue))
        }
        _ = try await owner.say("Lock")
        #expect(try await owner.say("Get", #""service":"s","account":"first""#).contains(someValue))
        #expect(try await owner.say("Get", #""service":"s","account":"open""#).contains("Locked"))
        await again.stop()
    }

    @Test("its account is told what root must do, and nobody is asked for it")
    func accountOfLocked() async throws {
        let (broker, root) = try await prepared()
        let owner = try await OtherUser(broker, accounts.uids[0])
        #expect(try await root.call(forService(Keychain.Lock())).vault.state == .locked)
        let item = #""service":"s","account":"open""#
        let calls = [
            ("Unlock", ""), ("Get", item), ("Get", item + #","unlock":true"#),
            ("GetAll", #""items":[{\#(item)}],"unlock":true"#),
        ]
        for (method, parameters) in calls {
            let answer = try await owner.say(method, parameters)
            #expect(answer.contains("org.coffer.Keychain.Locked"), "\(method): \(answer)")
            #expect(answer.contains("have root run: coffer unlock --user \(service)"), "\(method): \(answer)")
        }
        let status = try await owner.say("Status")
        #expect(status.contains(#""service":true"#) && !status.contains("recovery"), "\(status)")
        for (method, parameters) in [("NewRecoveryCode", ""), ("ConfirmRecoveryCode", #""characters":"AAAAA""#)] {
            let answer = try await owner.say(method, parameters)
            #expect(answer.contains("NotPermitted"), "\(method): \(answer)")
        }
        await broker.stop()
    }

    @Test("nobody makes an item there that cannot be read")
    func gated() async throws {
        let (broker, root) = try await prepared()
        let refused = try await fault {
            try await root.call(
                forService(Keychain.Set(service: "s", account: "g", value: someValue, access: .presence)))
        }
        #expect(refused.name == .invalidArgument && refused.details.message?.contains("never be read") == true)
        let edited = try await fault {
            try await root.call(forService(Keychain.Edit(service: "s", account: "open", access: .presence)))
        }
        #expect(edited.name == .invalidArgument)
        let change = Keychain.Change(
            action: .set, service: "s", account: "g", value: someValue, access: .init(whole: .presence))
        let applied = try await fault {
            try await root.call(forService(Keychain.Apply(changes: [change])))
        }
        #expect(applied.name == .invalidArgument && applied.details.message?.hasPrefix("change 1: ") == true)
        await broker.stop()
    }

    @Test("root reads nothing there that asks for more than an open keychain")
    func rootsGated() async throws {
        let broker = try await throwAwayBroker()
        let owner = try await OtherUser(broker, accounts.uids[0])
        #expect(try await owner.pass("Unlock").contains("unlocked"))
        let gated =
            #""service":"s","account":"g","value":"\#(someValue)","access":{"accessibility":"always","#
            + #""thisDeviceOnly":true,"require":["presence"],"any":false}"#
        #expect(try await owner.say("Set", gated).contains("item"))
        // A person's vault that root declares to be a service's, because root owns the record.
        let registry = broker.authenticator.registry
        let record = try #require(try registry.record(for: .user(accounts.uids[0])))
        let path = registry.path(of: record.owner)
        let text = try String(contentsOfFile: path, encoding: .utf8)
        try text.replacingOccurrences(of: "\"format\"", with: "\"service\" : true, \"format\"").write(
            toFile: path, atomically: false, encoding: .utf8)
        let root = try broker.client()
        let refused = try await fault { try await root.call(get("g")) }
        #expect(refused.name == .notPermitted)
        let edit = Keychain.Edit(service: "s", account: "g", access: AccessControl.whenUnlocked)
        #expect(try await fault { try await root.call(forService(edit)) }.name == .notPermitted)
        await broker.stop()
    }

    @Test("a person's keychain is not root's, and other accounts name nobody's")
    func notPermitted() async throws {
        let (broker, root) = try await prepared()
        let person = try await OtherUser(broker, accounts.uids[1])
        #expect(try await person.pass("Unlock").contains("unlocked"))
        let theirs = Keychain.InVault(Keychain.List(), .init(user: accounts.names[1]))
        let refused = try await fault { try await root.call(theirs) }
        #expect(refused.name == .notPermitted && refused.details.message?.contains("person") == true)
        #expect(
            try await fault { try await root.call(Keychain.CreateVault(owner: accounts.names[1])) }.name
                == .alreadyExists)
        // Everybody but root gets one answer, no matter whether the account, its vault or the right is missing.
        var answers: Set<String> = []
        for name in [service, accounts.names[1], "root", "no-such-account"] {
            for (method, parameters) in [("List", ""), ("Get", #""service":"s","account":"always","#), ("Unlock", "")] {
                answers.insert(try await person.say(method, parameters + #""user":"\#(name)""#))
            }
            answers.insert(try await person.say("CreateVault", #""owner":"\#(name)""#))
        }
        #expect(answers.count == 1 && answers.first?.contains("NotPermitted") == true, "\(answers)")
        #expect(try await fault { try await root.call(Keychain.CreateVault(owner: "root")) }.name == .invalidArgument)
        let nobody = try await fault { try await root.call(Keychain.CreateVault(owner: "no-such-account")) }
        #expect(nobody.name == .notFound)
        await broker.stop()
    }
}
