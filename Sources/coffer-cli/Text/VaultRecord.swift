import BrokerProtocol

/// A vault's state as `--json` gives it.
struct VaultRecord: Encodable {
    private let state: String
    private let since: String?
    private let items: Int64?
    private let bound: Bool?
    private let counter: Int64?
    private let boot: [Int64]?

    init(_ vault: Keychain.VaultState) {
        state = vault.state.rawValue
        since = vault.since.map { TimeText($0).iso8601 }
        items = vault.items
        bound = vault.bound
        counter = vault.counter
        boot = vault.boot
    }
}
