import Authorization
import BrokerProtocol
import Cryptography
import TestSupport
import Testing
import Varlink

@testable import Broker
@testable import Vault

/// What an admitted call may do, apart from any method: ask a person, take the answer, and hold secrets.
@Suite(.timeLimit(.minutes(30)))
struct RequestTests {
    private let sample: CoreSample
    private let room = SecureHeap.room(for: SecretAllowance.key)

    init() throws { sample = try CoreSample() }

    private var held: Int { sample.core.budgets.held(.secrets, by: sample.caller.uid) }

    @Test("a question counts the secrets of all its signatures and one root more, for as long as it is open")
    func asked() throws {
        let request = sample.request()
        let asked = try request.ask(for: .vault(.unlock), vault: VaultID.random())
        #expect(asked.name == .authenticationRequired && asked.details.purposes == ["unlock"])
        #expect(asked.details.leased == nil)
        #expect(held == 2 * room)
        let bare = try request.ask(for: .enrolment([.biometryAny]), vault: VaultID.random())
        #expect(held == 3 * room)
        for fault in [asked, bare] { sample.core.challenges.drop(try #require(fault.details.challenge)) }
        #expect(held == 0)
    }

    @Test("a user whose secrets fill their room is asked nothing, and no question is left open")
    func full() throws {
        let budgets = sample.core.budgets
        try budgets.take(budgets.limits.secrets.user - 2 * room + 1, of: .secrets, for: sample.caller.uid)
        let request = sample.request()
        let refusal = try #require(throws: Fault.self) {
            try request.ask(for: .vault(.unlock), vault: VaultID.random())
        }
        #expect(refusal.name == .limitExceeded)
        #expect(!sample.core.challenges.hasOpen(of: sample.caller.process))
        budgets.give(back: 1, of: .secrets, for: sample.caller.uid)
        #expect(try request.ask(for: .vault(.unlock), vault: VaultID.random()).name == .authenticationRequired)
    }

    private func granted(_ owner: Owner) throws -> Challenge.ID {
        let (store, caller) = (sample.core.challenges, sample.caller)
        let id = try store.issue(.vault(.unlock), to: caller, owner: owner, vault: VaultID.random())
        _ = try store.describe(id, uid: caller.uid, process: caller.process, connection: 9)
        _ = try store.begin(id, 0, connection: 9)
        try store.finish(id, 0, connection: 9, agreement: nil)
        return id
    }

    @Test("a grant is taken once, for its own vault; a call without one needs none")
    func redeemed() throws {
        let request = sample.request()
        let none = try request.redeem(nil)?.challenge.id
        #expect(none == nil)
        let id = try granted(.user(1000))
        #expect(try request.redeem(id)?.challenge.id == id)
        for refused in [id, "unknown", try granted(.group(1000))] {
            #expect(throws: Faults.challengeRefused) { _ = try request.redeem(refused) }
        }
    }

    @Test("a group's vault is used only while the member's own is open, before and after the item is read")
    func own() async throws {
        let group = Owner.group(7)
        try sample.request(group, as: .member, own: .unlocked).requireOwnOpen()
        for own in [.locked, .sealed, VaultCondition.none, nil] as [VaultCondition?] {
            #expect(throws: Faults.ownLocked) { try sample.request(group, as: .member, own: own).requireOwnOpen() }
        }
        // Others have no vault of their own that matters.
        try sample.request().requireOwnOpen()
        try sample.request(.user(7), as: .root).requireOwnOpen()
        try await sample.request().confirmOwn()
        try await sample.request(group, as: .member, own: .locked).confirmOwn()
        // It was open when the call came.
        let late = try await fault { try await sample.request(group, as: .member, own: .unlocked).confirmOwn() }
        #expect(late == Faults.ownLocked)
    }

    @Test("a part of a call has an allowance of its own, and gives it back when it is done")
    func parts() throws {
        let request = sample.request()
        try request.secrets.take(SecretAllowance.key)
        func part() throws -> Int {
            let part = request.withOwnAllowance()
            try part.secrets.take(SecretAllowance.key, times: 3)
            return withExtendedLifetime(part) { held }
        }
        #expect(try part() == 4 * room)
        #expect(held == room)
        withExtendedLifetime(request) {}
    }

    @Test("a stretched password counts as a secret before it is made, one to be stored and one that is tried")
    func stretched() async throws {
        let passwords = sample.core.applicationPasswords
        let password = try SecretBytes(copying: Array("open".utf8))
        let salt = [UInt8](repeating: 1, count: 16)
        let request = sample.request()
        let fresh = try await passwords.stretch(password, for: request)
        #expect(held == room && fresh.salt != salt)
        let again = try await passwords.stretch(password, salt: salt, for: request)
        #expect(held == 2 * room && again.salt == salt)
        let tried = try await passwords.attempt(password, salt: salt, at: .random(), for: request)
        #expect(held == 3 * room && tried.key == again.key)
        let budgets = sample.core.budgets
        #expect(budgets.held(.stretches, by: sample.caller.uid) == 0)
        try budgets.take(budgets.limits.secrets.user - held, of: .secrets, for: sample.caller.uid)
        #expect(try await fault { try await passwords.stretch(password, for: request) }.name == .limitExceeded)
        let item = try ItemID.random()
        for _ in 0...GuessLimits.free {
            let refused = try await fault {
                try await passwords.attempt(password, salt: salt, at: item, for: request)
            }
            // A try without room is none that counts.
            #expect(refused.name == .limitExceeded)
        }
        withExtendedLifetime(request) {}
    }

    @Test("a try whose password was not stretched does not count")
    func untried() async throws {
        let (budgets, request, item) = (sample.core.budgets, sample.request(), try ItemID.random())
        let password = try SecretBytes(copying: Array("open".utf8))
        try budgets.take(budgets.limits.stretches.user, of: .stretches, for: sample.caller.uid)
        defer { budgets.give(back: budgets.limits.stretches.user, of: .stretches, for: sample.caller.uid) }
        for _ in 0...GuessLimits.free {
            let refused = try await fault {
                try await sample.core.applicationPasswords.attempt(
                    password, salt: [UInt8](repeating: 1, count: 16), at: item, for: request)
            }
            #expect(refused.name == .limitExceeded)
        }
        withExtendedLifetime(request) {}
    }

    @Test("what a method does without a vault is its own; a list of changes makes one only if it stores something")
    func withoutVault() throws {
        func permission(_ method: some VarlinkMethod, _ condition: VaultCondition) throws -> Permission {
            let entry = try #require(KeychainMethods.entries[type(of: method).name])
            let call = try #require(entry.prepare(Keychain.InVault(method, .init())))
            return entry.permission(for: call, in: condition)
        }
        let deleting = Keychain.Apply(changes: [Keychain.Change(action: .delete, service: "s", account: "a")])
        let stored = Keychain.Change(action: .set, service: "s", account: "a")
        let storing = Keychain.Apply(changes: deleting.changes + [stored])
        let get = Keychain.Get(service: "s", account: "a")
        #expect(try permission(deleting, .none) == .allowed && permission(storing, .none) == .creation)
        #expect(try permission(Keychain.Unlock(), .none) == .creation && permission(get, .none) == .absent)
        #expect(try permission(Keychain.List(), .none) == .allowed)
        for condition in [VaultCondition.sealed, .locked, .unlocked] {
            #expect(try permission(Keychain.Unlock(), condition) == .allowed && permission(get, condition) == .allowed)
        }
        // A method takes its own parameters and no other's.
        let entry = try #require(KeychainMethods.entries[Keychain.Get.name])
        #expect(entry.prepare(Keychain.InVault(Keychain.Unlock(), .init()))?.mayMakeVault == nil)
    }
}
