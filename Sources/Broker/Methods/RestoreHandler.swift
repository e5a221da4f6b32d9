import BrokerProtocol
import Cryptography
import Item
import Varlink
import Vault

/// `Restore`: makes a former value the present one. The former value is read for this, which prompts if reading it
/// prompts. It never leaves the broker.
enum RestoreHandler: MethodHandler {
    static func answer(_ method: Keychain.Restore, _ request: Request) async throws(Fault) -> MethodAnswer {
        let granted = try request.redeem(method.challenge)
        let password = try request.secrets.decode(applicationPassword: method.applicationPassword)
        let named = try method.version.map { (version) throws(Fault) in try WireVersion.decode(version) }
        let field = try WireField.decode(method.field)
        let (former, salt) = try await request.vaultActor.use { try Self.former(named, field, method, $0.vault) }
        let stretched = try await RotateHandler.stretch(password, for: former, salt: salt, request)
        let reader = ItemReader(
            service: method.service, account: method.account, kind: method.kind ?? .genericPassword,
            reason: method.reason,
            mayUnlock: method.unlock ?? false, applicationPassword: password, challenge: nil, version: former.version,
            redeemed: granted)
        let restored = try await reader.change(request, for: .set) { vault, item, values in
            // A former value is that of one field.
            try vault.restore(item, value: values[0].value, applicationPassword: stretched)
        }
        return .reply(Keychain.ChangedItemReply(restored))
    }

    /// The former value of a version; the newest one of the field if none is named.
    ///
    /// - Returns: also the salt that the application password of the item's other fields has.
    private static func former(
        _ version: UInt64?, _ field: FieldName?, _ method: Keychain.Restore, _ vault: OpenVault
    ) throws -> (item: ItemSummary, salt: [UInt8]?) {
        let kind = method.kind ?? .genericPassword
        let newest = try vault.history(service: method.service, account: method.account, kind: kind).versions.first {
            $0.field == field ?? .secret
        }?.version
        guard let version = version ?? newest else {
            throw Fault(.notFound, "the item has no former value, or no longer")
        }
        let (item, restored) = try vault.look(
            service: method.service, account: method.account, kind: kind, field.map(FieldChoice.one), version: version
        ) { view in
            guard view.isFormer else {
                throw Fault(.invalidArgument, "version \(version) is the item's present value, not a former one")
            }
            return (view.item, view.fields[0])
        }
        let check = try vault.passwordCheck(
            service: method.service, account: method.account, kind: kind, beside: restored)
        return (item, check?.salt)
    }

    static func logged(_ method: Keychain.Restore) -> LoggedCall? {
        LoggedCall(
            event: .set, service: method.service, account: method.account, kind: method.kind, reason: method.reason)
    }
}
