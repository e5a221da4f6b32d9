import BrokerProtocol
import Cryptography
import Item
import TestSupport
import Testing
import Varlink
import Vault

@testable import Broker

/// What a read counts of its user's room for secrets.
@Suite(.timeLimit(.minutes(5)))
struct ReadAllowanceTests {
    private static let size = 100
    private let fixture: VaultFixture

    init() throws { fixture = try VaultFixture() }

    /// A vault that has an item with two fields.
    private func prepared() async throws -> VaultActor {
        let vaultActor = try await fixture.make(1)
        try await vaultActor.use { state in
            let fields: [FieldName] = [.secret, "pin"]
            for field in fields {
                let value = try SecretBytes(copying: [UInt8](repeating: 7, count: Self.size))
                var draft = ItemDraft(service: "s", account: "a", value: value)
                draft.field = field
                try state.vault.set(draft)
            }
        }
        return vaultActor
    }

    /// How much is counted while the values are used.
    private func counted(_ choice: FieldChoice) async throws -> Int {
        let reader = ItemReader(
            service: "s", account: "a", kind: .genericPassword, choice: choice, reason: nil, mayUnlock: false,
            applicationPassword: nil, challenge: nil)
        let budgets = fixture.budgets
        let before = budgets.held(.secrets, by: 1)
        return try await reader.read(fixture.request(), for: .read) { _, _, _ in
            budgets.held(.secrets, by: 1) - before
        }
    }

    @Test("values of several fields are counted for as long as the call lasts, and one alone is not")
    func fields() async throws {
        let vaultActor = try await prepared()
        // From then on, the item's keys are kept. They count, too.
        for choice in [FieldChoice.all, .one(.secret)] { _ = try await counted(choice) }
        let before = fixture.budgets.held(.secrets, by: 1)
        #expect(try await counted(.all) == 2 * SecureHeap.room(for: Self.size))
        #expect(try await counted(.one(.secret)) == 0)
        #expect(fixture.budgets.held(.secrets, by: 1) == before)
        await vaultActor.close()
    }

    @Test("values that are read together are counted until they are answered")
    func together() async throws {
        let vaultActor = try await prepared()
        let reader = JointReader(
            names: [
                Keychain.ItemName(service: "s", account: "a"),
                Keychain.ItemName(service: "s", account: "a", field: "pin"),
            ], reason: nil, mayUnlock: false, challenge: nil)
        _ = try await reader.read(fixture.request())
        let before = fixture.budgets.held(.secrets, by: 1)
        let request = try fixture.request()
        let items = try await reader.read(request)
        #expect(items.map(\.value.count) == [Self.size, Self.size])
        let held = withExtendedLifetime(request) { fixture.budgets.held(.secrets, by: 1) }
        #expect(held - before == 2 * SecureHeap.room(for: Self.size))
        await vaultActor.close()
    }
}
