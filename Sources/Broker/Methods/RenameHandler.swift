import BrokerProtocol
import Cryptography
import Varlink
import Vault

/// `Rename`: gives an item another service and account. A prompt names an item by these. If an item requires a
/// person, renaming it requires the same. Otherwise a person could allow a harmless name and give out another item.
enum RenameHandler: MethodHandler {
    static func answer(_ method: Keychain.Rename, _ request: Request) async throws(Fault) -> MethodAnswer {
        try ItemReader.check(reason: method.reason)
        let granted = try request.redeem(method.challenge)
        let password = try request.secrets.decode(applicationPassword: method.applicationPassword)
        let newName = Challenge.Name(service: method.newService, account: method.newAccount)
        let item: ItemSummary
        switch try await renameUngated(method, newName, request, hasPassword: password != nil) {
        case .renamed(let renamed): return .reply(Keychain.ItemReply(item: Keychain.Item(renamed)))
        case .gated(let gated): item = gated
        }
        // A person is asked by name, so the value is sealed anew under the new one.
        let stretched = try await RotateHandler.stretch(password, for: item, request)
        let reader = ItemReader(
            service: method.service, account: method.account, kind: method.kind ?? .genericPassword,
            choice: .all, reason: method.reason,
            mayUnlock: method.unlock ?? false, applicationPassword: password, challenge: nil, redeemed: granted,
            deed: .rename(to: newName),
            includesExpired: true)
        let renamed = try await reader.read(request, for: .rename) { vault, item, values in
            try vault.rename(
                item, service: newName.service, account: newName.account, values: values,
                applicationPassword: stretched)
        }
        return .reply(Keychain.ItemReply(item: Keychain.Item(renamed)))
    }

    private enum Step: Sendable {
        case renamed(ItemSummary)
        /// It has requirements, and nothing was done.
        case gated(ItemSummary)
    }

    private static func renameUngated(
        _ method: Keychain.Rename, _ newName: Challenge.Name, _ request: Request, hasPassword: Bool
    ) async throws(Fault) -> Step {
        let program = request.program()
        return try await request.vaultActor.use { state in
            let item = try state.vault.find(
                service: method.service, account: method.account, kind: method.kind ?? .genericPassword,
                includingExpired: true)
            // An impossible change is refused before anybody is prompted.
            try state.vault.checkName(newName.service, newName.account, for: item)
            guard item.access.requirements.isEmpty else { return .gated(item) }
            guard !hasPassword else { throw Faults.applicationPasswordUnknown }
            let renamed = try state.vault.rename(item, service: newName.service, account: newName.account)
            state.note(
                AccessRecord(
                    .rename, by: program, of: .init(item), reason: method.reason, detail: newName.detail))
            return .renamed(renamed)
        }
    }

    static func logged(_ method: Keychain.Rename) -> LoggedCall? {
        LoggedCall(
            event: .rename, service: method.service, account: method.account, kind: method.kind, reason: method.reason)
    }
}
