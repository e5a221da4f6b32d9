import BrokerProtocol
import Foundation
import Item
import TestSupport
import Testing
import Varlink
import Vault

@testable import Broker

/// One change of several, before the vault is looked at.
struct ApplyStepTests {
    private let budgets = UserBudgets.usual

    private func step(_ change: Keychain.Change, number: Int = 3) throws(Fault) -> ApplyStep {
        try ApplyStep(change, number: number, secrets: SecretAllowance(budgets, for: 1000))
    }

    private func refusal(_ change: Keychain.Change) throws -> Fault {
        try #require(throws: Fault.self) { try step(change) }
    }

    private func delete(_ edit: (inout Keychain.Change) -> Void = { _ in }) -> Keychain.Change {
        var change = Keychain.Change(action: .delete, service: "s", account: "a")
        edit(&change)
        return change
    }

    private func set(_ edit: (inout Keychain.Change) -> Void = { _ in }) -> Keychain.Change {
        var change = Keychain.Change(action: .set, service: "s", account: "a", value: someValue)
        edit(&change)
        return change
    }

    @Test("a deletion has nothing that only a set takes, whichever it is")
    func content() throws {
        let members: [(inout Keychain.Change) -> Void] = [
            { $0.value = someValue }, { $0.access = Keychain.AccessChange(whole: .presence) }, { $0.label = "l" },
            { $0.comment = "c" }, { $0.attributes = [:] }, { $0.expires = 0 }, { $0.mode = .new },
            { $0.applicationPassword = someValue }, { $0.field = "otp" }, { $0.fieldKind = .secret },
        ]
        for (number, member) in members.enumerated() {
            let refused = try refusal(delete(member))
            #expect(refused.name == .invalidArgument, "\(number)")
            #expect(refused.details.message == "change 3: it has members that only another action takes", "\(number)")
        }
    }

    @Test("what each action takes is taken, and what it does not take is refused by the change's number")
    func actions() throws {
        let revision = String(repeating: "0", count: 32)
        guard case .delete(let service, let account, let kind, let required) = try step(delete()).change else {
            Issue.record("a deletion is something else")
            return
        }
        #expect(service == "s" && account == "a" && kind == .genericPassword && required == nil)
        guard
            case .putAside(_, _, let key, let wanted) = try step(
                delete {
                    $0.bin = true
                    $0.kind = .key
                    $0.ifRevision = revision
                }
            ).change
        else {
            Issue.record("it goes into the bin")
            return
        }
        #expect(key == .key && wanted?.description == revision)
        guard case .delete = try step(delete { $0.bin = false }).change else {
            Issue.record("it goes for good")
            return
        }
        let all = Keychain.Change(action: .deleteService, service: "s", kind: .key)
        guard case .deleteService("s", .key?) = try step(all).change else {
            Issue.record("a service's deletion is something else")
            return
        }
        let wrong: [Keychain.Change] = [
            Keychain.Change(action: .deleteService, service: "s", account: "a"),
            Keychain.Change(action: .deleteService, service: "s", ifRevision: revision),
            Keychain.Change(action: .deleteService, service: "s", bin: false),
            Keychain.Change(action: .delete, service: "s"), delete { $0.ifRevision = "x" }, set { $0.value = nil },
            set { $0.bin = false }, set { $0.account = nil }, set { $0.expires = -1 }, set { $0.field = "" },
            set { $0.value = "!" },
        ]
        for (number, change) in wrong.enumerated() {
            let refused = try refusal(change)
            #expect(refused.name == .invalidArgument, "\(number)")
            #expect(refused.details.message?.hasPrefix("change 3: ") == true, "\(number): \(refused)")
        }
    }

    @Test("a set has what it was given; its password is kept for later, and a deletion has none")
    func stored() throws {
        let change = set {
            $0.applicationPassword = someValue
            $0.expires = 5
            $0.field = "otp"
            $0.mode = .existing
            $0.label = "l"
        }
        let step = try step(change, number: 1)
        #expect(step.number == 1 && step.password == someValue)
        guard case .set(let draft, .existing, nil) = step.change else {
            Issue.record("a set is something else")
            return
        }
        #expect(draft.expires == 5 && draft.field == .otp && draft.label == "l" && draft.value.count == 5)
        #expect(draft.kind == .genericPassword && draft.judgedAccess == nil)
        guard case .set(let judged, .existing, nil) = step.judged(.always, nil) else {
            Issue.record("it is another change once it was judged")
            return
        }
        #expect(judged.judgedAccess == .always)
        #expect(try self.step(delete()).password == nil)
        guard case .delete = try self.step(delete()).judged(.always, nil) else {
            Issue.record("a deletion is judged like a set")
            return
        }
        guard case .set(let plain, _, _) = try self.step(set { $0.expires = 0 }).change else { return }
        #expect(plain.expires == 0 && plain.field == .secret)
    }

    @Test("an error without words gets none, and each other one names the change")
    func naming() throws {
        let step = try step(delete())
        let named = try #require(throws: Fault.self) {
            try step.naming { () throws(Fault) in throw Fault(.notFound, "nothing is there") }
        }
        #expect(named.details.message == "change 3: nothing is there")
        let silent = try #require(throws: Fault.self) {
            try step.naming { () throws(Fault) in throw Fault(.notFound) }
        }
        #expect(silent == Fault(.notFound))
    }
}
