import Authorization
import BrokerProtocol
import Foundation
import Item
import Platform
import TestSupport
import Testing
import Varlink

@testable import Broker
@testable import Vault

/// One damaged item must not end the use of all others, and a look at a vault must not end the use of any.
@Suite(.timeLimit(.minutes(10)))
struct DamagedItemTests {
    /// Flips a bit of an item's sealed value.
    private static func damage(_ account: String, in vault: OpenVault) throws {
        let item = try vault.find(service: "s", account: account)
        let key = try vault.read { (snapshot) throws(VaultError) in
            try snapshot.value(of: snapshot.present(item, now: 0)).field.valueKey
        }
        try vault.database.write { (rows) throws(VaultError) in
            guard var sealed = try rows.sealedValue(key) else { throw .notFound }
            sealed[sealed.count / 2] ^= 1
            try rows.removeValue(key)
            try rows.put(sealedValue: sealed, under: key)
        }
        vault.forget()
    }

    @Test("a damaged value is an error for its item alone, which it names, and it can be set again or deleted")
    func oneValue() async throws {
        let fixture = try VaultFixture()
        let vaultActor = try await fixture.make(1)
        try await vaultActor.use { state in
            for account in ["one", "two", "three"] { _ = try fixture.read(account, state) }
            try Self.damage("one", in: state.vault)
            try Self.damage("three", in: state.vault)
        }
        for _ in 0..<2 {
            let refused = try await fault {
                try await vaultActor.use { state in _ = try fixture.read("one", state, stores: false) }
            }
            #expect(refused.name == .damaged && refused.details.kind == Keychain.damagedItem, "\(refused)")
            #expect(refused.details.message?.hasSuffix(": s/one") == true, "\(refused)")
            #expect(refused.details.advice?.contains("coffer set") == true, "\(refused)")
            // That would take what is whole of it, too, and on all machines that share it.
            #expect(refused.details.advice?.contains("coffer rm") == false, "\(refused)")
            try await vaultActor.use { state in _ = try fixture.read("two", state, stores: false) }
        }
        #expect(try await vaultActor.condition() == .unlocked)
        try await vaultActor.use { state in
            _ = try fixture.read("one", state)
            _ = try state.vault.delete(service: "s", account: "three")
            _ = try state.vault.verify()
        }
    }

    /// A call of sharing that meets damage of one item.
    private enum SharingOfDamage: SharingHandler {
        typealias Method = Sync.State

        static func reply(to method: Sync.State, _ request: Request) async throws(Fault) -> MethodAnswer {
            throw Fault(
                VaultError.damaged(
                    "an item's fields are foreign or changed", of: ItemName(service: "bank", account: "me"), .row))
        }
    }

    @Test("attacker 1: what a service that shares is answered, and writes into the journal, names no item")
    func sharing() async throws {
        let request = try VaultFixture().request(1, .none)
        let refused = try await fault { _ = try await SharingOfDamage.answer(Sync.State(), request) }
        #expect(refused.name == .damaged && refused.details.kind == Keychain.damagedItem, "\(refused)")
        let words = (refused.details.message ?? "") + (refused.details.advice ?? "")
        #expect(words.contains("coffer doctor") && !words.contains("bank") && !words.contains("/me"), "\(refused)")
    }

    @Test("damage that may concern more than one item closes the vault, and it stays refused")
    func theIndex() async throws {
        let fixture = try VaultFixture()
        let vaultActor = try await fixture.make(1)
        try await vaultActor.use { state in
            for account in ["one", "two"] { _ = try fixture.read(account, state) }
            let term = try state.vault.keys.term(service: "s", account: "one", kind: .genericPassword)
            try state.vault.database.write { (rows) throws(VaultError) in try rows.put(posting: term, items: []) }
            state.vault.forget()
        }
        for account in ["one", "two"] {
            let refused = try await fault {
                try await vaultActor.use { state in _ = try fixture.read(account, state, stores: false) }
            }
            #expect(refused.name == .damaged && refused.details.kind == nil, "\(refused)")
        }
    }

    @Test("a diagnosis tells of damage, and leaves the vault as usable as it was", arguments: [true, false])
    func diagnosis(isOneValue: Bool) async throws {
        let first = try await throwAwayBroker()
        let owner = Owner.user(OwnProcess.effectiveUser)
        do {
            let client = try first.client()
            try await first.makeVault(client)
            for account in ["one", "two"] {
                _ = try await client.call(Keychain.Set(service: "s", account: account, value: someValue))
            }
        }
        await first.stop()
        let folder = first.configuration.vaultDirectory
        let vault = try OpenVault(
            directory: folder, record: try #require(try first.authenticator.registry.record(for: owner)),
            sealer: SoftwareSealer(directory: folder))
        if isOneValue {
            try Self.damage("one", in: vault)
        } else {
            let term = try vault.keys.term(service: "s", account: "one", kind: .genericPassword)
            try vault.database.write { (rows) throws(VaultError) in try rows.put(posting: term, items: []) }
        }
        try vault.close()
        let broker = try await throwAwayBroker(folder: first.folder)
        let client = try broker.client()
        for _ in 0..<2 {
            let findings = try await client.call(Keychain.Diagnose()).findings
            let found = try #require(findings.first { $0.check == Keychain.Check.verification.rawValue })
            #expect(found.verdict == .problem, "\(found)")
            #expect(found.message.contains("s/one") == isOneValue, "\(found)")
            #expect(found.advice?.contains("coffer set") == isOneValue, "\(found)")
            let items = try await client.call(Keychain.List()).items.map(\.account)
            #expect(items == ["one", "two"])
        }
        await broker.stop()
    }
}
