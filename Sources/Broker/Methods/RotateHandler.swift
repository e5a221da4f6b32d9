import BrokerProtocol
import Cryptography
import Varlink
import Vault

/// `Rotate`: a fresh key for one item. The secret is read for this, which prompts if a read prompts. It never leaves
/// the broker.
enum RotateHandler: MethodHandler {
    static func answer(_ method: Keychain.Rotate, _ request: Request) async throws(Fault) -> MethodAnswer {
        let granted = try request.redeem(method.challenge)
        let password = try request.secrets.decode(applicationPassword: method.applicationPassword)
        let present = try await request.vaultActor.use {
            try $0.vault.find(service: method.service, account: method.account, kind: method.kind ?? .genericPassword)
        }
        let stretched = try await stretch(password, for: present, request)
        let reader = ItemReader(
            service: method.service, account: method.account, kind: method.kind ?? .genericPassword, choice: .all,
            reason: nil,
            mayUnlock: method.unlock ?? false, applicationPassword: password, challenge: nil, redeemed: granted)
        let item = try await reader.read(request, for: .rotate) { vault, item, values in
            try vault.rotate(item, values, applicationPassword: stretched)
        }
        return .reply(Keychain.ItemReply(item: Keychain.Item(item)))
    }

    /// The fresh key is stored under the same application password, even if this read did not need it. Every way to
    /// read the item stays.
    ///
    /// - Parameter salt: that of fields that are not sealed anew; nil if all are.
    static func stretch(
        _ password: SecretBytes?, for item: ItemSummary, salt: [UInt8]? = nil, _ request: Request
    ) async throws(Fault) -> StretchedPassword? {
        guard item.access.requirements.contains(.applicationPassword) else {
            if password != nil { throw Faults.applicationPasswordUnknown }
            return nil
        }
        guard let password else { throw Faults.applicationPasswordRequired }
        return try await request.core.applicationPasswords.stretch(password, salt: salt, for: request)
    }

    static func logged(_ method: Keychain.Rotate) -> LoggedCall? {
        LoggedCall(event: .rotate, service: method.service, account: method.account, kind: method.kind)
    }
}
