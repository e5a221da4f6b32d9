import BrokerProtocol
import Varlink
import Vault

/// `List`: all items, those of one service, or those of some of its accounts, expired ones too. Or those in the bin. It never shows their
/// secrets (`ShownItem`).
enum ListHandler: MethodHandler {
    static func answer(_ method: Keychain.List, _ request: Request) async throws(Fault) -> MethodAnswer {
        let accounts = try accounts(of: method)
        guard request.condition != .none else { return .items([]) }
        let kind = method.kind
        return .items(
            try await request.vaultActor.use { state in
                if method.deleted ?? false {
                    try state.vault.deletedItems(service: method.service, kind: kind)
                } else if let accounts {
                    try state.vault.list(service: accounts.service, accounts: accounts.names, kind: kind)
                } else {
                    try state.vault.list(service: method.service, kind: kind)
                }
            })
    }

    /// - Returns: nil if the call names no accounts.
    private static func accounts(of method: Keychain.List) throws(Fault) -> (service: String, names: [String])? {
        guard let names = method.accounts else { return nil }
        guard method.deleted != true else {
            throw Fault(.invalidArgument, "the items of the bin are listed of all accounts")
        }
        guard let service = method.service else {
            throw Fault(.invalidArgument, "accounts are of a service, and the call names none")
        }
        guard names.count <= JointReadLimits.items else {
            throw Fault(
                .limitExceeded, "one call lists \(JointReadLimits.items) accounts at most",
                advice: "list the whole service")
        }
        return (service, names)
    }
}
