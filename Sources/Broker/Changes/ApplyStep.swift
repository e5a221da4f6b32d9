import BrokerProtocol
import Cryptography
import Item
import Varlink
import Vault

/// One change of `Apply`, checked as far as the vault is not needed for it.
struct ApplyStep: Sendable {
    enum Action: Sendable {
        case set(Store)
        case delete(account: String, kind: ItemKind, ifRevision: ItemRevision?)
        case deleteService(ItemKind?)
    }

    /// What a set stores.
    struct Store: Sendable {
        let account: String
        let kind: ItemKind
        let value: SecretBytes
        let access: Keychain.AccessChange?
        /// Base64.
        let password: String?
        let expires: UInt64?
        let revision: ItemRevision?
        let wire: Keychain.Change
    }

    /// The change's number, from 1.
    let number: Int
    let service: String
    let action: Action

    /// - Parameter secrets: counts the value.
    /// - Throws: `InvalidArgument` if members are missing, or do not belong to the action; `LimitExceeded`.
    init(_ change: Keychain.Change, number: Int, secrets: SecretAllowance) throws(Fault) {
        self.number = number
        service = change.service
        do throws(Fault) { action = try Self.action(change, secrets) } catch { throw error.about(change: number) }
    }

    private static func action(_ change: Keychain.Change, _ secrets: SecretAllowance) throws(Fault) -> Action {
        guard (change.account == nil) == (change.action == .deleteService) else {
            throw Fault(.invalidArgument, "an item's account is needed, and deleteService takes none")
        }
        let account = change.account ?? ""
        let revision = try WireRevision.decode(change.ifRevision)
        guard change.action == .set else {
            guard change.hasNoContent, change.action == .delete || revision == nil else {
                throw Fault(.invalidArgument, "it has members that only another action takes")
            }
            return change.action == .delete
                ? .delete(account: account, kind: change.kind ?? .genericPassword, ifRevision: revision)
                : .deleteService(change.kind)
        }
        guard let value = change.value else { throw Fault(.invalidArgument, "a set needs a value") }
        return .set(
            Store(
                account: account, kind: change.kind ?? .genericPassword, value: try secrets.decode(value),
                access: change.access, password: change.applicationPassword,
                expires: try change.expires.map { (time) throws(Fault) in try WireTime.decode(time) ?? 0 },
                revision: revision, wire: change.withoutSecrets))
    }

    /// What a set stores; nil for another change.
    var stored: Store? { if case .set(let store) = action { store } else { nil } }

    /// The state that the item must be in; nil for any.
    var revision: ItemRevision? {
        switch action {
        case .set(let store): store.revision
        case .delete(_, _, let revision): revision
        case .deleteService: nil
        }
    }

    /// Does something for this change, and names the change in an error.
    func naming<Value>(_ body: () throws(Fault) -> Value) throws(Fault) -> Value {
        do throws(Fault) { return try body() } catch { throw error.about(change: number) }
    }

    /// The change for the vault.
    ///
    /// - Parameters:
    ///   - access: what the item will have.
    ///   - password: the application password, stretched, if the item takes one.
    func change(_ access: AccessControl?, _ password: StretchedPassword?) -> PlannedChange {
        switch action {
        case .set(let store):
            let wire = store.wire
            let draft = ItemDraft(
                service: service, account: store.account, kind: store.kind, value: store.value,
                access: access ?? .whenUnlocked, label: wire.label, comment: wire.comment, attributes: wire.attributes,
                expires: store.expires, applicationPassword: password)
            return .set(draft, mode: ItemDraft.Mode(wire.mode), ifRevision: store.revision)
        case .delete(let account, let kind, let revision):
            return .delete(service: service, account: account, kind: kind, ifRevision: revision)
        case .deleteService(let kind): return .deleteService(service, kind: kind)
        }
    }
}

extension Keychain.Change {
    /// Whether it has nothing that only a set takes.
    fileprivate var hasNoContent: Bool {
        value == nil && access == nil && label == nil && comment == nil && attributes == nil && expires == nil
            && mode == nil && applicationPassword == nil
    }

    fileprivate var withoutSecrets: Keychain.Change {
        var bare = self
        bare.value = nil
        bare.applicationPassword = nil
        return bare
    }
}

extension Fault {
    /// The same error, naming the change that it is about.
    ///
    /// - Parameter number: from 1.
    func about(change number: Int) -> Fault {
        guard let message = details.message else { return self }
        var fault = self
        fault.details.message = "change \(number): \(message)"
        return fault
    }
}
