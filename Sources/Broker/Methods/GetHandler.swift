import BrokerProtocol
import Item
import Varlink
import Vault

/// `Get`: an item's secret, or one that it had before.
enum GetHandler: MethodHandler {
    static func answer(_ method: Keychain.Get, _ request: Request) async throws(Fault) -> MethodAnswer {
        if let revision = method.revision { return try await answer(method, revision, request) }
        let reader = ItemReader(
            service: method.service, account: method.account, kind: method.kind ?? .genericPassword,
            choice: try WireField.decode(method.field).map(FieldChoice.one), reason: method.reason,
            mayUnlock: method.unlock ?? false,
            applicationPassword: try request.secrets.decode(applicationPassword: method.applicationPassword),
            challenge: method.challenge, version: try method.version.map(WireVersion.decode),
            forOthers: method.forOthers ?? false)
        return try await reader.read(request, for: .read) { _, item, values in
            // One field was asked for.
            .value(values[0].value, Keychain.Item(item))
        }
    }

    /// A value that another machine has set at the same time. Reading it takes what reading the item takes now.
    private static func answer(
        _ method: Keychain.Get, _ revision: String, _ request: Request
    ) async throws(Fault) -> MethodAnswer {
        try SharingPrecondition.checkUnlocked(request)
        guard method.version == nil else {
            throw Fault(.invalidArgument, "a value is named by its version or by its revision, not by both")
        }
        let (name, field) = (try SharingWire.revision(revision), try WireField.decode(method.field) ?? .secret)
        let (opened, present) = try await request.vaultActor.use { state in
            let item = try state.vault.find(
                service: method.service, account: method.account, kind: method.kind ?? .genericPassword)
            let opened = try state.vault.value(of: name, in: field, of: item.id, state.keys)
            // A field whose present value never came to this machine is guarded as the item's others are.
            return (opened, item.metadata.field(field)?.name ?? item.metadata.fields.first?.name ?? .secret)
        }
        let reader = ItemReader(
            service: opened.item.metadata.service, account: opened.item.metadata.account,
            kind: opened.item.metadata.kind, choice: .one(present), reason: method.reason, mayUnlock: false,
            applicationPassword: nil, challenge: method.challenge, loggedField: field,
            forOthers: method.forOthers ?? false)
        return try await reader.read(request, for: .read) { _, item, _ in
            // It may have got another name, and another item its own.
            guard item.id == opened.item.id else { throw Faults.challengeRefused }
            return .value(opened.value, Keychain.Item(item))
        }
    }

    static func logged(_ method: Keychain.Get) -> LoggedCall? {
        LoggedCall(
            event: .read, service: method.service, account: method.account, kind: method.kind, reason: method.reason)
    }
}
