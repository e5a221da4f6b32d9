import Authorization
import BrokerProtocol
import Foundation
import Platform
import TestSupport
import Testing
import Varlink

@testable import Authenticator

/// The broker refuses one step, or is too slow. The conversation then ends there, and says so.
@Suite(.timeLimit(.minutes(30))) struct BrokerTroubleTests {
    private static let refusal = Varlink.encode(Fault(.brokerFailed, "no"))
    private static let success = Varlink.encode(VarlinkReply(Nothing()))

    private static func successor(of record: RegistryRecord) throws -> RegistryRecord {
        let fresh = record.objects.mapValues { $0.prefix(2) + $0.dropFirst(2).map { $0 ^ 0x80 } }.mapValues(Array.init)
        return RegistryRecord(
            vault: try VaultID.random(), owner: record.owner, ownerName: record.ownerName, created: record.created,
            sealer: record.sealer, authenticatorKey: record.authenticatorKey, storageKey: nil, objects: fresh)
    }

    /// A renewal of a vault with one item, and its successor.
    private func renewing() throws -> (Fixture, RegistryRecord) {
        let fixture = try Fixture()
        let next = try Self.successor(of: fixture.record)
        fixture.broker.change { script in
            script.facts.purposes = [.rotate]
            (script.facts.service, script.facts.account) = (nil, nil)
            script.facts.items = [.init(service: "github", account: "me")]
            script.facts.authorizations = [.init(kind: "unlock"), .init(kind: "presence")]
            script.facts.alternatives = [[0, 1]]
            script.adopted = []
            script.successor = next
        }
        return (fixture, next)
    }

    private func end(_ fixture: Fixture) throws -> Fault? {
        var client = try fixture.client()
        return try client.authenticate(Fixture.password).fault
    }

    @Test func aVaultThatDoesNotOpenIsNotRenewed() throws {
        let (fixture, _) = try renewing()
        fixture.broker.change { $0.refusedCompletions = [Self.refusal] }
        #expect(try end(fixture)?.name == .notCompleted)
        #expect(!fixture.broker.calls.contains("Renew"))
    }

    @Test func withoutNewKeysNothingGoesOn() throws {
        let (fixture, _) = try renewing()
        fixture.broker.change { $0.raw["Renew"] = Self.refusal }
        #expect(try end(fixture)?.name == .notCompleted)
        #expect(fixture.broker.calls == ["Describe", "Prepare", "Complete", "Renew", "Refuse"])
    }

    @Test func anItemThatIsNotReadIsNotLeftOutOfARenewal() throws {
        let (fixture, _) = try renewing()
        fixture.broker.change { $0.refusedCompletions = [Self.success, Self.refusal] }
        #expect(try end(fixture)?.name == .notCompleted)
        #expect(fixture.broker.completions.count == 2 && !fixture.broker.calls.contains("Succeed"))
    }

    /// The keys are renewed, and only the broker has not taken them up.
    @Test func aSuccessorThatIsNotTakenUpIsSaid() throws {
        let (fixture, next) = try renewing()
        fixture.broker.change { $0.raw["AdoptSuccessor"] = Self.refusal }
        let fault = try #require(try end(fixture))
        #expect(fault.name == .notCompleted && fault.details.advice?.contains("coffer unlock") == true, "\(fault)")
        #expect(try fixture.registry.record(for: next.owner) == next)
    }

    /// Another conversation of the same person's changes the record meanwhile.
    @Test func aRecordThatWasChangedMeanwhileIsNotReplaced() throws {
        let (fixture, _) = try renewing()
        let (registry, record) = (fixture.registry, fixture.record)
        let other = record.with(
            biometrySet: [UInt8](repeating: 1, count: 32), key: [0, 11] + [UInt8](repeating: 0x55, count: 32))
        fixture.broker.change { script in
            // `try?`: a failure shows below, because nothing is refused then.
            script.before["Succeed"] = { try? registry.replace(record, with: other) }
        }
        #expect(try end(fixture)?.name == .notCompleted)
        #expect(try registry.record(for: record.owner) == other)
        #expect(!fixture.broker.calls.contains("AdoptSuccessor"))
    }

    /// A restarted broker waits for the decision for a while only.
    @Test func aDecisionThatComesTooLateRegistersNothing() throws {
        let (fixture, _) = try renewing()
        let broker = fixture.broker
        broker.change { script in
            script.before["Succeed"] = {
                broker.change { $0.before["Complete"] = { Thread.sleep(forTimeInterval: 12.5) } }
            }
        }
        let fault = try #require(try end(fixture))
        #expect(fault.name == .notCompleted && fault.details.message?.contains("took too long") == true, "\(fault)")
        #expect(try fixture.registry.record(for: fixture.record.owner) == fixture.record)
        #expect(!broker.calls.contains("AdoptSuccessor"))
        broker.change { $0.before = [:] }
    }

    @Test func aNewVaultThatDoesNotOpenIsSaid() throws {
        let fixture = try Fixture(.init(hasVault: false))
        fixture.broker.change { $0.refusedCompletions = [Self.refusal] }
        #expect(try end(fixture)?.name == .notCompleted)
        #expect(fixture.broker.completions.count == 1)
    }

    /// Another conversation of the same person's makes a vault meanwhile.
    @Test func aSecondNewVaultIsNotRegistered() throws {
        let fixture = try Fixture(.init(hasVault: false))
        let registry = fixture.registry
        let other = try Self.successor(of: fixture.record)
        fixture.broker.change { script in
            // `try?`: as above.
            script.before["Provision"] = { try? registry.write(other) }
        }
        #expect(try end(fixture)?.name == .notCompleted)
        #expect(try registry.record(for: other.owner) == other)
        #expect(!fixture.broker.calls.contains("AdoptVault"))
    }

    @Test func anEntranceThatTheBrokerRefusesIsSaid() throws {
        let fixture = try Fixture()
        try fixture.ask(.joinCircle, CircleSample())
        fixture.broker.change { $0.raw["ConfirmAcceptance"] = Self.refusal }
        #expect(try end(fixture)?.name == .notCompleted)
    }

    /// The fields of the broker's word are passed on for a failure of the TPM only.
    @Test func onlyTheTPMsFailuresHaveANumber() throws {
        let fixture = try Fixture()
        for (name, kind, shown) in [
            (Fault.Name.brokerDamaged, "lockout", "damaged"), (.brokerFailed, "lockout", "failed"),
            (.brokerTPM, "l\u{1b}k", "l\\u{1b}k"),
        ] {
            let answer = Varlink.encode(Fault(name, Fault.Details(message: "no", kind: kind, code: 0x921)))
            fixture.broker.change { $0.raw["Prepare"] = answer }
            let fault = try #require(try end(fixture))
            #expect(fault.name == .notCompleted && fault.details.kind == shown, "\(fault)")
            #expect(fault.details.code == (name == .brokerTPM ? 0x921 : 0), "\(fault)")
        }
    }
}
