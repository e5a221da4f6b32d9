import BrokerProtocol
import Cryptography
import Varlink
import Vault

/// `Restore`: makes a former value the present one. The former value is read for this, which prompts if reading it
/// prompts. It never leaves the broker.
enum RestoreHandler: MethodHandler {
    static func answer(_ method: Keychain.Restore, _ request: Request) async throws(Fault) -> MethodAnswer {
        let granted = try request.redeem(method.challenge)
        let password = try request.secrets.decode(applicationPassword: method.applicationPassword)
        let named = try method.version.map { (version) throws(Fault) in try WireVersion.decode(version) }
        let former: ItemSummary = try await request.vaultActor.use { try Self.former(named, method, $0.vault) }
        let stretched = try await RotateHandler.stretch(password, for: former, request)
        let reader = ItemReader(
            service: method.service, account: method.account, kind: method.kind ?? .genericPassword,
            reason: method.reason,
            mayUnlock: method.unlock ?? false, applicationPassword: password, challenge: nil, version: former.version,
            redeemed: granted)
        let restored = try await reader.change(request, for: .set) { vault, item, value in
            try vault.restore(item, value: value, applicationPassword: stretched)
        }
        return .reply(Keychain.ChangedItemReply(restored))
    }

    /// The former value of a version; the newest one if none is named.
    private static func former(
        _ version: UInt64?, _ method: Keychain.Restore, _ vault: OpenVault
    ) throws -> ItemSummary {
        let kind = method.kind ?? .genericPassword
        let newest = try vault.history(service: method.service, account: method.account, kind: kind).versions.first?
            .version
        guard let version = version ?? newest else {
            throw Fault(.notFound, "the item has no former value, or no longer")
        }
        return try vault.look(service: method.service, account: method.account, kind: kind, version: version) { view in
            guard view.isFormer else {
                throw Fault(.invalidArgument, "version \(version) is the item's present value, not a former one")
            }
            return view.item
        }
    }

    static func logged(_ method: Keychain.Restore) -> LoggedCall? {
        LoggedCall(
            event: .set, service: method.service, account: method.account, kind: method.kind, reason: method.reason)
    }
}
