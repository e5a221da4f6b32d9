import Item
import Varlink
import Vault

/// The access control that each of several changes will find, if those before it are made. A set keeps what it does
/// not name of the access control that it finds, so the rules must judge what comes of that.
struct AccessForecast {
    /// Bytes, because two different names can be equal in Unicode.
    private struct Name: Hashable {
        let service: [UInt8]
        let account: [UInt8]
        let kind: ItemKind
    }

    private let vault: OpenVault
    /// What the changes so far have set; nil for an item that they have deleted.
    private var changed: [Name: AccessControl?] = [:]
    /// The kinds of each service of which the changes so far have deleted all items.
    private var emptied: [[UInt8]: Set<ItemKind>] = [:]

    init(of vault: OpenVault) { self.vault = vault }

    /// The access control that each set will leave, in the order of the sets.
    static func accesses(after steps: [ApplyStep], in vault: OpenVault) throws -> [AccessControl] {
        var forecast = AccessForecast(of: vault)
        var accesses: [AccessControl] = []
        for step in steps {
            if let access = try forecast.make(step) { accesses.append(access) }
        }
        return accesses
    }

    /// - Returns: the access control that a set leaves; nil for another change.
    private mutating func make(_ step: ApplyStep) throws -> AccessControl? {
        switch step.action {
        case .set(let set):
            let present = try access(step.service, set.account, set.kind)
            let access = try step.naming { () throws(Fault) in try WireAccess.decode(set.access, over: present) }
            changed[name(step.service, set.account, set.kind)] = .some(access)
            return access
        case .delete(let account, let kind, _):
            changed[name(step.service, account, kind)] = .some(nil)
        case .deleteService(let kind):
            let service = Array(step.service.utf8)
            let kinds = kind.map { [$0] } ?? ItemKind.allCases
            changed = changed.filter { $0.key.service != service || !kinds.contains($0.key.kind) }
            emptied[service, default: []].formUnion(kinds)
        }
        return nil
    }

    private func access(_ service: String, _ account: String, _ kind: ItemKind) throws(VaultError) -> AccessControl? {
        if let known = changed[name(service, account, kind)] { return known }
        if emptied[Array(service.utf8)]?.contains(kind) ?? false { return nil }
        return try vault.access(service: service, account: account, kind: kind)
    }

    private func name(_ service: String, _ account: String, _ kind: ItemKind) -> Name {
        Name(service: Array(service.utf8), account: Array(account.utf8), kind: kind)
    }
}
