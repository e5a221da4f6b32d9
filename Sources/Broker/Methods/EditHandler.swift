import BrokerProtocol
import Item
import Varlink
import Vault

/// `Edit`: changes what the call names. A change of policy reads the secret and seals it again, so it needs
/// the same as reading.
enum EditHandler: MethodHandler {
    static func answer(_ method: Keychain.Edit, _ request: Request) async throws(Fault) -> MethodAnswer {
        try ItemReader.check(reason: method.reason)
        let changes = MetadataChanges(
            label: method.label, comment: method.comment, attributes: method.attributes ?? [:],
            expires: try method.expires.map { (time) throws(Fault) in try WireTime.decode(time) ?? 0 })
        var unset: Set<FieldName> = []
        for name in method.unset ?? [] { if let field = try WireField.decode(name) { unset.insert(field) } }
        guard unset.isEmpty || method.access == nil else {
            throw Fault(.invalidArgument, "a field cannot be removed together with a change of access")
        }
        let revision = try WireRevision.decode(method.ifRevision)
        guard revision == nil || method.access == nil else {
            throw Fault(.invalidArgument, "a change of access takes no ifRevision")
        }
        guard let access = method.access else {
            guard method.applicationPassword == nil, method.newApplicationPassword == nil else {
                throw Fault(.invalidArgument, "only a change of access takes an application password")
            }
            _ = try request.redeem(method.challenge)
            let program = request.program()
            let item = try await request.vaultActor.use { [unset] state in
                let item = try Self.item(of: method, ifRevision: revision, in: state.vault)
                let changed =
                    unset.isEmpty
                    ? try state.vault.edit(item, changes: changes)
                    : try state.vault.edit(item, removing: unset, changes: changes)
                let detail = Array(unset).sorted { $0.text < $1.text }.detail.map { "\($0) removed" }
                state.note(
                    AccessRecord(
                        .edit, by: program, of: .init(changed), reason: method.reason,
                        detail: unset.isEmpty ? nil : detail ?? "secret removed"))
                return changed
            }
            return .reply(Keychain.ChangedItemReply(item: Keychain.Item(item)))
        }
        try await OwnerPrecondition.check(access, in: request.vaultActor.record())
        let granted = try request.redeem(method.challenge)
        let enrolled = try await EnrolmentPrecondition.check(access, granted: granted, request)
        let password = try request.secrets.decode(applicationPassword: method.applicationPassword)
        let newPassword = try request.secrets.decode(applicationPassword: method.newApplicationPassword) ?? password
        let stretched: StretchedPassword?
        if access.requirements.contains(.applicationPassword) {
            guard let newPassword else { throw Faults.applicationPasswordRequired }
            stretched = try await request.core.applicationPasswords.stretch(newPassword, for: request)
        } else {
            guard method.newApplicationPassword == nil else { throw Faults.applicationPasswordUnknown }
            stretched = nil
        }
        let reader = ItemReader(
            service: method.service, account: method.account, kind: method.kind ?? .genericPassword,
            choice: .all, reason: method.reason,
            mayUnlock: method.unlock ?? false, applicationPassword: password, challenge: nil, redeemed: granted,
            deed: .change,
            enrolled: enrolled)
        let edited = try await reader.change(request, for: .edit) { vault, item, values in
            try OwnerPrecondition.check(access, in: vault.record)
            return try vault.reseal(
                item, values, access: access, applicationPassword: stretched, changes: changes)
        }
        return .reply(Keychain.ChangedItemReply(edited))
    }

    /// - Throws: `.outdated` if a revision is given, and the item is in another state, has expired or is missing;
    ///   otherwise as ``OpenVault/find(service:account:kind:includingExpired:)``.
    private static func item(
        of method: Keychain.Edit, ifRevision revision: ItemRevision?, in vault: OpenVault
    ) throws(VaultError) -> ItemSummary {
        let outdated = VaultError(
            .outdated, "the item was changed or deleted since it was looked at", advice: "look at it again")
        let item: ItemSummary
        do throws(VaultError) {
            item = try vault.find(
                service: method.service, account: method.account, kind: method.kind ?? .genericPassword)
        } catch {
            throw revision != nil && error.code == .notFound ? outdated : error
        }
        guard revision == nil || revision == item.revision else { throw outdated }
        return item
    }

    static func logged(_ method: Keychain.Edit) -> LoggedCall? {
        LoggedCall(
            event: .edit, service: method.service, account: method.account, kind: method.kind, reason: method.reason)
    }
}
