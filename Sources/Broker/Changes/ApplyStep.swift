import BrokerProtocol
import Item
import Varlink
import Vault

/// One change of `Apply`, checked as far as the vault is not needed for it.
struct ApplyStep: Sendable {
    /// The change's number, from 1.
    let number: Int
    /// The change for the vault. A set has no application password yet.
    let change: PlannedChange
    /// The application password of a set, in base64.
    let password: String?

    /// - Parameter secrets: counts the value.
    /// - Throws: `InvalidArgument` if members are missing, or do not belong to the action; `LimitExceeded`.
    init(_ change: Keychain.Change, number: Int, secrets: SecretAllowance) throws(Fault) {
        self.number = number
        password = change.action == .set ? change.applicationPassword : nil
        do throws(Fault) { self.change = try Self.planned(change, secrets) } catch {
            throw error.about(change: number)
        }
    }

    private static func planned(_ change: Keychain.Change, _ secrets: SecretAllowance) throws(Fault) -> PlannedChange {
        guard (change.account == nil) == (change.action == .deleteService) else {
            throw Fault(.invalidArgument, "an item's account is needed, and deleteService takes none")
        }
        let account = change.account ?? ""
        let revision = try WireRevision.decode(change.ifRevision)
        guard change.action == .set else {
            guard change.hasNoContent, change.action == .delete || (revision == nil && change.bin == nil) else {
                throw Fault(.invalidArgument, "it has members that only another action takes")
            }
            guard change.action == .delete else { return .deleteService(change.service, kind: change.kind) }
            let kind = change.kind ?? .genericPassword
            return change.bin ?? false
                ? .putAside(service: change.service, account: account, kind: kind, ifRevision: revision)
                : .delete(service: change.service, account: account, kind: kind, ifRevision: revision)
        }
        guard let value = change.value else { throw Fault(.invalidArgument, "a set needs a value") }
        guard change.bin == nil else { throw Fault(.invalidArgument, "only a deletion takes bin") }
        var draft = ItemDraft(
            service: change.service, account: account, kind: change.kind ?? .genericPassword,
            value: try secrets.decode(value), access: PartialAccess(change.access), label: change.label,
            comment: change.comment, attributes: change.attributes,
            expires: try change.expires.map { (time) throws(Fault) in try WireTime.decode(time) ?? 0 })
        draft.field = try WireField.decode(change.field) ?? .secret
        draft.fieldKind = change.fieldKind
        return .set(draft, mode: ItemDraft.Mode(change.mode), ifRevision: revision)
    }

    /// Does something for this change, and names the change in an error.
    func naming<Value>(_ body: () throws(Fault) -> Value) throws(Fault) -> Value {
        do throws(Fault) { return try body() } catch { throw error.about(change: number) }
    }

    /// The change as it was judged.
    ///
    /// - Parameters:
    ///   - access: what the item of a set will have; nil for another change.
    ///   - password: the application password, stretched, if the item takes one.
    func judged(_ access: AccessControl?, _ password: StretchedPassword?) -> PlannedChange {
        guard case .set(var draft, let mode, let revision) = change else { return change }
        draft.judgedAccess = access
        draft.applicationPassword = password
        return .set(draft, mode: mode, ifRevision: revision)
    }
}

extension Keychain.Change {
    /// Whether it has nothing that only a set takes.
    fileprivate var hasNoContent: Bool {
        value == nil && access == nil && label == nil && comment == nil && attributes == nil && expires == nil
            && mode == nil && applicationPassword == nil && field == nil && fieldKind == nil
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
