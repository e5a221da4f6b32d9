import Authorization
import BrokerProtocol
import Item
import Platform
import Testing
import Varlink

@testable import Broker
@testable import Vault

/// Every combination of access control and state of the vault, against the value type and the rules: 4 classes × 2 × 32 sets × 3 operators × 4 states.
struct AccessRuleTests {
    static func access(_ row: AccessRow) throws(AccessControlError) -> AccessControl {
        try AccessControl(
            row.accessibility, isThisDeviceOnly: row.thisDeviceOnly, requirements: Set(row.require),
            anyIsEnough: row.joined == .or)
    }

    @Test("all combinations: contradictions cannot be made, everything else is what was asked for")
    func construction() {
        #expect(AccessRow.all.count == 4 * 2 * 32 * 3)
        for row in AccessRow.all where row.joined != .and {
            do throws(AccessControlError) {
                let access = try Self.access(row)
                #expect(!row.isContradiction, "\(row)")
                #expect(access.accessibility == row.accessibility && access.requirements == Set(row.require), "\(row)")
                #expect(access.anyIsEnough == (row.joined == .or), "\(row)")
                let isImplied = [.always, .passcodeSet].contains(row.accessibility)
                #expect(access.isThisDeviceOnly == (row.thisDeviceOnly || isImplied), "\(row)")
                #expect(try AccessControl(decoding: access.encoded) == access, "\(row)")
            } catch { #expect(row.isContradiction, "\(row): \(error)") }
        }
    }

    @Test("the wire refuses what cannot be made, and narrows nothing")
    func wire() {
        for row in AccessRow.all where row.joined != .and {
            let wire = Keychain.AccessChange(
                accessibility: row.accessibility, thisDeviceOnly: row.thisDeviceOnly, require: row.require,
                any: row.joined == .or)
            do throws(AccessControlError) {
                let access = try PartialAccess(wire).applied(to: nil)
                #expect(!row.isContradiction && access.requirements.inOrder == row.require, "\(row)")
                #expect(access.anyIsEnough == wire.any, "\(row)")
            } catch { #expect(row.isContradiction, "\(row)") }
        }
        let twice = Keychain.AccessChange(require: [.userPresence, .userPresence])
        #expect(throws: AccessControlError.namedTwice) { try PartialAccess(twice).applied(to: nil) }
    }

    @Test("all combinations in all states: what a read asks for, and by which sets of signatures")
    func rules() throws {
        let item = try #require(ItemID(bytes: [UInt8](repeating: 1, count: 16)))
        var judged = 0
        for row in AccessRow.all where !row.isContradiction {
            let access = try Self.access(row)
            let metadata = Metadata(service: "s", account: "a", created: 1, modified: 1, valueSet: 1)
            let summary = ItemSummary(
                id: item, version: 1, metadata: metadata, access: access,
                revision: ItemRevision(digest: [UInt8](repeating: 1, count: 32)))
            // As many slots as ways, of the item's own class and scope. No other class and no weaker scope opens it.
            let slots = Slot.shapes(for: access).filter { $0.keyClass != .recovery }
            let plan = ReadPlan(
                item: item, version: 1, accessibility: access.accessibility,
                alternatives: slots.map { slot in
                    ReadPlan.Alternative(
                        agreements: slot.requirements.roles.map { ReadPlan.Agreement(role: $0, point: [4]) },
                        passwordSalt: slot.requirements.contains(.applicationPassword) ? [1] : nil)
                })
            #expect(slots.allSatisfy { $0.keyClass == KeyClass(access) }, "\(row)")
            #expect(slots.allSatisfy { $0.keyClass.isThisDeviceOnly == access.isThisDeviceOnly }, "\(row)")
            #expect((Slot.shapes(for: access).count > slots.count) == !access.isThisDeviceOnly, "\(row)")
            for state in AccessRow.State.allCases {
                let lock: VaultActor.LockState
                switch state {
                case .none: continue
                case .sealed: lock = .sealed
                case .locked: lock = .locked(since: 1)
                case .unlocked: lock = .unlocked(since: 1)
                }
                for (unlocking, password) in [(false, false), (false, true), (true, false), (true, true)] {
                    let facts = ReadFacts(
                        caller: Caller(uid: 1, process: ProcessIdentity(pid: 1, startTime: 1), connection: 1),
                        vaultOwner: .user(1), item: summary, plan: plan, lock: lock, mayUnlock: unlocking,
                        hasPassword: password, granted: nil)
                    let expected = row.outcome(in: state, unlocking: unlocking, password: password)
                    #expect(Self.judged(facts) == expected, "\(row) \(state) \(unlocking) \(password)")
                    judged += 1
                }
            }
        }
        // 1 + 5 + 18 × 3 sets with their operators, for 8 classes and scopes, in 3 states, called in 4 ways.
        #expect(judged == (1 + 5 + 18 * 3) * 8 * 3 * 4)
    }

    private static func judged(_ facts: ReadFacts) -> AccessRow.Outcome? {
        do throws(Fault) {
            let missing = try ReadRules.judge(facts)
            if missing.isEmpty { return .value }
            let subject = Challenge.Subject(item: facts.item.id, version: 1, service: "s", account: "a")
            let request = missing.request(.read, subject)
            let choice = request.choice
            return .person(
                request.purposes, choice.alternatives.map { $0.map { choice.authorizations[$0].kind.rawValue } })
        } catch {
            switch error.name {
            case .locked: return .locked
            case .applicationPasswordRequired: return .passwordRequired
            case .invalidArgument: return .passwordRefused
            default: return nil
            }
        }
    }
}
