import BrokerProtocol
import Cryptography
import Item
import Varlink
import Vault

/// `Set`: stores a secret. It needs no person and no unlocked vault; only making a missing vault needs a person.
/// All that the call does not name stays as it is, above all the access control; the vault decides that.
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
        let access = try await request.vaultActor.use { [draft] state in try state.vault.access(after: draft) }
        // It may change while fingers are checked or a password is stretched.
        draft.judgedAccess = access
        try await OwnerPrecondition.check(access, in: request.vaultActor.record())
        _ = try await EnrolmentPrecondition.check(access, granted: granted, request)
        if let given = try request.secrets.decode(applicationPassword: method.applicationPassword) {
            guard access.requirements.contains(.applicationPassword) else { throw Faults.applicationPasswordUnknown }
            draft.applicationPassword = try await request.core.applicationPasswords.stretch(given, for: request)
        } else if access.requirements.contains(.applicationPassword) {
            throw Faults.applicationPasswordRequired
        }
        let mode = ItemDraft.Mode(method.mode)
        let program = request.program()
        let stored = try await request.vaultActor.change { [draft] state in
            try OwnerPrecondition.check(access, in: state.record)
            let (item, replaced) = try state.vault.set(draft, mode: mode, ifRevision: revision)
            state.note(AccessRecord(.set, by: program, of: .init(item), detail: replaced == nil ? nil : "replaced"))
            // The vault decides if it keeps the former value. `try?`: the new value is stored already, so the call
            // succeeds. For example, an item that has already expired does not list its former values.
            let history =
                replaced == nil
                ? nil : try? state.vault.history(service: method.service, account: method.account, kind: kind)
            let former = history?.versions.first { $0.version == item.version - 1 }
            return Keychain.Set.Reply(
                item: Keychain.Item(item), replaced: replaced.map { Int64(clamping: $0) },
                former: former.map { Int64(clamping: $0.version) })
        }
        var reply = stored.value
        reply.protected = stored.protected
        return .reply(reply)
    }

    static func logged(_ method: Keychain.Set) -> LoggedCall? {
        LoggedCall(event: .set, service: method.service, account: method.account, kind: method.kind)
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
