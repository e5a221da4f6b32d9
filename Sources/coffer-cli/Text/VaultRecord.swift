import BrokerProtocol

/// A vault's state as `--json` gives it.
struct VaultRecord: Encodable {
    private let state: String
    private let since: String?
    private let items: Int64?
    private let bound: Bool?
    private let counter: Int64?
    private let boot: [Int64]?
    /// Whether the tie to the boot covers the kernel's command line.
    private let commandLine: Keychain.BootCoverage.Part?

    init(_ vault: Keychain.VaultState, _ coverage: Keychain.BootCoverage? = nil) {
        state = vault.state.rawValue
        since = vault.since.map { TimeText($0).iso8601 }
        items = vault.items
        bound = vault.bound
        counter = vault.counter
        boot = vault.boot
        commandLine = coverage?.commandLine
    }
}
