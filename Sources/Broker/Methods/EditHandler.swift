import BrokerProtocol
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
        guard let access = method.access else {
            guard method.applicationPassword == nil, method.newApplicationPassword == nil else {
                throw Fault(.invalidArgument, "only a change of access takes an application password")
            }
            _ = try request.redeem(method.challenge)
            let program = request.program()
            let item = try await request.vaultActor.use { state in
                let item = try state.vault.find(
                    service: method.service, account: method.account, kind: method.kind ?? .genericPassword)
                let changed = try state.vault.edit(item, changes: changes)
                state.note(AccessRecord(.edit, by: program, of: .init(changed), reason: method.reason))
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
            reason: method.reason,
            mayUnlock: method.unlock ?? false, applicationPassword: password, challenge: nil, redeemed: granted,
            deed: .change,
            enrolled: enrolled)
        let edited = try await reader.change(request, for: .edit) { vault, item, value in
            try OwnerPrecondition.check(access, in: vault.record)
            return try vault.reseal(
                item, value: value, access: access, applicationPassword: stretched, changes: changes)
        }
        return .reply(Keychain.ChangedItemReply(edited))
    }

    static func logged(_ method: Keychain.Edit) -> LoggedCall? {
        LoggedCall(
            event: .edit, service: method.service, account: method.account, kind: method.kind, reason: method.reason)
    }
}
