import Authorization
import BrokerProtocol
import Cryptography
import Dispatch
import Foundation
import Item
import Platform
import TPM
import TestSupport
import Testing
import Varlink

@testable import Broker
@testable import Vault

/// The same table against a real broker: what it stores, what a read asks for, and what it gives for exactly that. It
/// gives nothing for less.
@Suite(.timeLimit(.minutes(30)))
struct AccessBrokerTests {
    private static let password = Data("open".utf8).base64EncodedString()

    /// The rows that an item of this vault can have: they do not contradict themselves, and the vault is not bound and
    /// has no key for a current set yet.
    private static let rows = AccessRow.all.filter { row in
        !row.isContradiction && !row.needsBoundVault && !row.require.contains(.biometryCurrentSet)
            && (row.joined != .and || row.require.count < 2)
            && (row.accessibility != .always || row.thisDeviceOnly)
    }

    /// A row's place in the table is its item's account.
    private static func account(_ index: Int) -> String { "row-\(index)" }

    /// A vault with an item for every row, and a broker that has just started with it.
    /// - Parameter rows: their places.
    private func stocked(
        _ rows: [Int], _ start: (ThrowAwayBroker?) async throws -> ThrowAwayBroker,
        sealer: (ThrowAwayBroker) throws -> any Sealer
    ) async throws -> ThrowAwayBroker {
        let first = try await start(nil)
        try await first.makeVault(first.client())
        await first.stop()
        // Directly in the vault, because the broker takes no biometric item if no finger is enrolled.
        let owner = Owner.user(OwnProcess.effectiveUser)
        let record = try #require(try first.authenticator.registry.record(for: owner))
        let (directory, sealer) = (first.configuration.vaultDirectory, try sealer(first))
        // Not on a thread that other tests' tasks need, because files and scrypt take time.
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            DispatchQueue(label: "stock").async {
                continuation.resume(with: Result { try Self.stock(rows, directory, record, sealer) })
            }
        }
        return try await start(first)
    }

    private static func stock(
        _ rows: [Int], _ directory: String, _ record: RegistryRecord, _ sealer: any Sealer
    ) throws {
        let vault = try OpenVault(directory: directory, record: record, sealer: sealer)
        let password = try StretchedPassword(SecretBytes(copying: Array("open".utf8)))
        for index in rows {
            let row = Self.rows[index]
            try vault.set(
                ItemDraft(
                    service: "s", account: Self.account(index), value: SecretBytes(copying: Array("value".utf8)),
                    access: AccessRuleTests.access(row), applicationPassword: row.takesPassword ? password : nil))
        }
    }

    private func software(_ rows: [Int]) async throws -> ThrowAwayBroker {
        try await stocked(rows) { earlier in
            try await throwAwayBroker(folder: earlier?.folder, authenticator: earlier?.authenticator)
        } sealer: {
            SoftwareSealer(directory: $0.configuration.vaultDirectory)
        }
    }

    private func get(
        _ index: Int, unlocking: Bool = false, password: Bool = false, challenge: String? = nil
    ) -> Keychain.Get {
        Keychain.Get(
            service: "s", account: Self.account(index), unlock: unlocking,
            applicationPassword: password ? Self.password : nil, challenge: challenge)
    }

    /// The result of a read, before anybody is asked.
    private func outcome(_ call: Keychain.Get, _ client: WireClient, _ broker: ThrowAwayBroker) async throws
        -> (AccessRow.Outcome?, challenge: String?)
    {
        do {
            let reply = try await client.call(call)
            return (reply.value == someValue ? .value : nil, nil)
        } catch let fault as Fault {
            switch fault.name {
            case .notFound: return (.absent, nil)
            case .locked: return (.locked, nil)
            case .applicationPasswordRequired: return (.passwordRequired, nil)
            case .invalidArgument: return (.passwordRefused, nil)
            case .authenticationRequired:
                let id = try #require(fault.details.challenge)
                let purposes = (fault.details.purposes ?? []).compactMap(Keychain.Purpose.init(rawValue:))
                let line = try broker.authenticator.connect()
                let facts = try await line.call(Self.describe(id))
                let ways = facts.alternatives.map { $0.map { facts.authorizations[Int($0)].kind } }
                #expect(facts.purposes == purposes)
                // Describing it has spent it. This client only looked.
                await line.close()
                return (.person(purposes, ways), id)
            default: return (nil, nil)
            }
        }
    }

    private static func describe(_ id: String) throws -> BrokerInterface.Describe {
        TestAuthenticator.describe(
            id, uid: OwnProcess.effectiveUser, try TestAuthenticator.thisProcess())
    }

    /// Makes these of a fresh question's signatures, and repeats the call. On a busy machine a signature may come too
    /// late. Then it starts again, as the broker says.
    private func read(
        _ call: Keychain.Get, signing kinds: [String], _ client: WireClient, _ broker: ThrowAwayBroker
    ) async throws -> Fault.Name? {
        for _ in 0..<3 {
            do {
                return try await readOnce(call, signing: kinds, client, broker)
            } catch let fault as Fault where fault.details.message?.contains("came too late") == true {}
        }
        return try await readOnce(call, signing: kinds, client, broker)
    }

    private func readOnce(
        _ call: Keychain.Get, signing kinds: [String], _ client: WireClient, _ broker: ThrowAwayBroker
    ) async throws -> Fault.Name? {
        let id = try await challenge { try await client.call(call) }
        let line = try broker.authenticator.connect()
        let facts = try await line.call(Self.describe(id))
        let owner = Owner.user(OwnProcess.effectiveUser)
        for kind in kinds {
            let index = try #require(facts.authorizations.firstIndex { $0.kind == kind })
            try await broker.authenticator.sign(id, index, facts.authorizations[index], owner: owner, line)
        }
        var repeated = call
        repeated.challenge = id
        do {
            let value = try await client.call(repeated).value
            await line.close()
            #expect(value == someValue)
            return nil
        } catch let fault as Fault {
            await line.close()
            return fault.name
        }
    }

    /// Every row's outcome in a state.
    private func check(_ rows: [Int], in state: AccessRow.State, _ broker: ThrowAwayBroker) async throws {
        let client = try broker.client()
        for index in rows {
            let row = Self.rows[index]
            for (unlocking, password) in [(false, false), (true, false), (true, true)] {
                let expected = row.outcome(in: state, unlocking: unlocking, password: password)
                // scrypt takes time for the right password. So it is tried only if nothing else is needed.
                if password, expected == .value { continue }
                let call = get(index, unlocking: unlocking, password: password)
                let (found, _) = try await outcome(call, client, broker)
                #expect(found == expected, "\(row) \(state) \(unlocking) \(password)")
            }
            guard case .person(let purposes, let ways) = row.outcome(in: state, unlocking: false, password: false)
            else { continue }
            #expect(purposes == [.read])
            for way in ways {
                #expect(try await read(get(index), signing: way, client, broker) == nil, "\(row) \(state) \(way)")
                for missing in way.indices {
                    var lesser = way
                    lesser.remove(at: missing)
                    #expect(
                        try await read(get(index), signing: lesser, client, broker) == .challengeRefused,
                        "\(row) \(state) \(lesser)")
                }
            }
        }
    }

    private func unlock(_ broker: ThrowAwayBroker) async throws {
        _ = try await broker.call(broker.client(), Keychain.Unlock()) { Keychain.Unlock(challenge: $0) }
    }

    @Test("sealed, unlocked, locked: every row is asked for what the table says, and given for exactly that")
    func reading() async throws {
        let rows = Array(Self.rows.indices)
        let broker = try await software(rows)
        try await check(rows, in: .sealed, broker)
        try await unlock(broker)
        try await check(rows, in: .unlocked, broker)
        _ = try await broker.client().call(Keychain.Lock())
        try await check(rows, in: .locked, broker)
        await broker.stop()
    }

    @Test("with the application password each row that has one is read, and with a wrong one none")
    func passwords() async throws {
        // One scope of one class. The password's part is the same in all of them, and scrypt takes time.
        let rows = Self.rows.indices.filter {
            Self.rows[$0].takesPassword && Self.rows[$0].accessibility == .always
        }
        let broker = try await software(rows)
        let client = try broker.client()
        for index in rows {
            let row = Self.rows[index]
            let call = get(index, password: true)
            var wrong = call
            wrong.applicationPassword = "c2h1dA=="
            if case .person(_, let ways) = row.outcome(in: .sealed, unlocking: false, password: true) {
                #expect(try await read(call, signing: ways[0], client, broker) == nil, "\(row)")
                #expect(
                    try await read(wrong, signing: ways[0], client, broker) == .applicationPasswordRefused, "\(row)")
            } else {
                #expect(try await client.call(call).value == someValue, "\(row)")
                #expect(
                    try await fault { try await client.call(wrong) }.name == .applicationPasswordRefused, "\(row)")
            }
        }
        await broker.stop()
    }

    @Test(
        "writing, replacing, editing and deleting take nobody, in every state, whatever the access control; renaming nobody where reading takes nobody"
    )
    func writing() async throws {
        let broker = try await software([])
        let client = try broker.client()
        // Biometric items need an enrolled finger. Application passwords take time, so each state tries them once.
        let rows = Self.rows.filter {
            !$0.require.contains(.biometryAny) && (!$0.takesPassword || $0.require.count == 1)
        }
        for state in [AccessRow.State.sealed, .unlocked, .locked] {
            if state == .unlocked { try await unlock(broker) }
            if state == .locked { _ = try await client.call(Keychain.Lock()) }
            for row in rows where !row.takesPassword || row.accessibility == .whenUnlocked {
                let access = try AccessRuleTests.access(row)
                let set = Keychain.Set(
                    service: "s", account: "a", value: someValue, access: access,
                    applicationPassword: row.takesPassword ? Self.password : nil)
                #expect(try await client.call(set).replaced == nil, "\(row) \(state)")
                let replaced = try await client.call(set)
                #expect(replaced.replaced != nil && replaced.item.access == access, "\(row) \(state)")
                _ = try await client.call(Keychain.Edit(service: "s", account: "a", label: "l"))
                let rename = Keychain.Rename(service: "s", account: "a", newService: "s", newAccount: "b")
                var name = "a"
                if row.require.isEmpty {
                    _ = try await client.call(rename)
                    name = "b"
                } else {
                    _ = try await fault { try await client.call(rename) }
                }
                let shown = try await client.call(Keychain.Show(service: "s", account: name)).item
                #expect(shown.label == "l" && shown.access == access, "\(row) \(state)")
                _ = try await client.call(Keychain.Delete(service: "s", account: name))
            }
            #expect(try await client.call(Keychain.Status()).vault.state.rawValue == state.rawValue)
        }
        await broker.stop()
    }

    @Test(
        "what cannot be kept is refused, saying why, and nothing is stored; before there is a vault everything asks for one"
    )
    func refused() async throws {
        let broker = try await throwAwayBroker()
        let client = try broker.client()
        let refused = AccessRow.all.filter { $0.joined != .and && ($0.isContradiction || $0.needsBoundVault) }
        func set(_ row: AccessRow) -> Keychain.Set {
            Keychain.Set(
                service: "s", account: "a", value: someValue,
                access: .init(
                    accessibility: row.accessibility, thisDeviceOnly: row.thisDeviceOnly, require: row.require,
                    any: row.joined == .or))
        }
        let absent = Keychain.Get(service: "s", account: "a", unlock: true)
        #expect(try await fault { try await client.call(absent) }.name == .notFound)
        #expect(try await fault { try await client.call(set(refused[0])) }.details.purposes == ["create"])
        try await broker.makeVault(client)
        for row in refused {
            let fault = try await fault { try await client.call(set(row)) }
            #expect(fault.name == .invalidArgument, "\(row)")
            if !row.isContradiction {
                #expect(fault.details.message?.contains("bound to the login password") == true, "\(row)")
            }
        }
        #expect(try await client.call(Keychain.List()).items.isEmpty)
        await broker.stop()
    }

    @Test("a few rows on a TPM: each kind of key, “and”, “or”, and half an “and”")
    func onATPM() async throws {
        let tpm = try SWTPM()
        let rows = Self.rows.indices.filter { index in
            let row = Self.rows[index]
            return row.accessibility == .always && !row.takesPassword
                && (row.require.count == 1 || row.require == [.biometryAny, .devicePasscode])
        }
        #expect(rows.count == 5)
        let broker = try await stocked(rows) { earlier in
            try await ThrowAwayBroker(
                folder: earlier?.folder, authenticator: earlier?.authenticator, configure: { $0.sealer = .tpm }
            ) { _ in TPMSealer(TPMAccess.patient(tpm.configuration)) }
        } sealer: { _ in
            TPMSealer(TPMAccess.patient(tpm.configuration))
        }
        try await check(rows, in: .sealed, broker)
        #expect(try tpm.leftovers() == [])
        await broker.stop()
    }
}
