import BrokerProtocol
import Cryptography
import Item
import Varlink
import Vault

/// `Set`: stores a field of an item. It needs no person and no unlocked vault; only making a missing vault needs a
/// person, and a field beside others that have an application password. All that the call does not name stays as it is,
/// above all the access control; the vault decides that.
enum SetHandler: MethodHandler {
    static func answer(_ method: Keychain.Set, _ request: Request) async throws(Fault) -> MethodAnswer {
        let granted = try request.redeem(method.challenge)
        let value = try request.secrets.decode(method.value)
        let kind = method.kind ?? .genericPassword
        let revision = try WireRevision.decode(method.ifRevision)
        var draft = ItemDraft(
            service: method.service, account: method.account, kind: kind, value: value,
            access: PartialAccess(method.access), label: method.label, comment: method.comment,
            attributes: method.attributes,
            expires: try method.expires.map { (time) throws(Fault) in try WireTime.decode(time) ?? 0 })
        draft.field = try WireField.decode(method.field) ?? .secret
        draft.fieldKind = method.fieldKind
        let access = try await request.vaultActor.use { [draft] state in try state.vault.access(after: draft) }
        // It may change while fingers are checked or a password is stretched.
        draft.judgedAccess = access
        try await OwnerPrecondition.check(access, in: request.vaultActor.record())
        let enrolled = try await EnrolmentPrecondition.check(access, granted: granted, request)
        let given = try request.secrets.decode(applicationPassword: method.applicationPassword)
        guard access.requirements.contains(.applicationPassword) == (given != nil) else {
            throw given == nil ? Faults.applicationPasswordRequired : Faults.applicationPasswordUnknown
        }
        let field = draft.field
        let check = try await request.vaultActor.use { state in
            try state.vault.passwordCheck(
                service: method.service, account: method.account, kind: kind, beside: field)
        }
        if let given {
            draft.applicationPassword = try await request.core.applicationPasswords.stretch(
                given, salt: check?.salt, for: request)
        }
        let mode = ItemDraft.Mode(method.mode)
        let program = request.program()
        guard let check else {
            let stored = try await request.vaultActor.change { [draft] state in
                try OwnerPrecondition.check(access, in: state.record)
                let (item, replaced) = try state.vault.set(draft, mode: mode, ifRevision: revision)
                state.note(
                    AccessRecord(
                        .set, by: program, of: .init(item),
                        detail: Self.detail(of: field, isReplaced: replaced != nil)))
                return Self.reply(item, field, replaced, in: state.vault)
            }
            return .reply(stored.value.protected(stored.protected))
        }
        // The other fields have a password, and the item must not have two.
        let reader = ItemReader(
            service: method.service, account: method.account, kind: kind, choice: .one(check.field), reason: nil,
            mayUnlock: true, applicationPassword: given, challenge: nil, redeemed: granted, enrolled: enrolled,
            loggedField: field)
        let stored = try await reader.change(request, for: .set) { [draft] vault, _, _ in
            try OwnerPrecondition.check(access, in: vault.record)
            let (item, replaced) = try vault.set(draft, mode: mode, ifRevision: revision)
            return Self.reply(item, field, replaced, in: vault)
        }
        return .reply(stored.value.protected(stored.protected))
    }

    private static func detail(of field: FieldName, isReplaced: Bool) -> String? {
        let parts = [[field].detail, isReplaced ? "replaced" : nil].compactMap(\.self)
        return parts.isEmpty ? nil : parts.joined(separator: ", ")
    }

    private static func reply(
        _ item: ItemSummary, _ field: FieldName, _ replaced: UInt64?, in vault: OpenVault
    ) -> Keychain.Set.Reply {
        guard let replaced else { return Keychain.Set.Reply(item: Keychain.Item(item)) }
        // The vault decides if it keeps the former value. `try?`: the new value is stored already, so the call
        // succeeds. For example, an item that has already expired does not list its former values.
        let history = try? vault.history(
            service: item.metadata.service, account: item.metadata.account, kind: item.metadata.kind)
        let former = history?.versions.first { $0.field == field }
        return Keychain.Set.Reply(
            item: Keychain.Item(item), replaced: Int64(clamping: replaced),
            former: former.map { Int64(clamping: $0.version) })
    }

    static func logged(_ method: Keychain.Set) -> LoggedCall? {
        LoggedCall(event: .set, service: method.service, account: method.account, kind: method.kind)
    }
}

extension Keychain.Set.Reply {
    fileprivate func protected(_ isProtected: Bool?) -> Self {
        var reply = self
        reply.protected = isProtected
        return reply
    }
}

extension ItemDraft.Mode {
    init(_ wire: Keychain.SetMode?) {
        switch wire ?? .replace {
        case .replace: self = .replace
        case .new: self = .new
        case .existing: self = .existing
        }
    }
}
