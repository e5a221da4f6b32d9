import Coffer

/// A keychain that shows what is in the bins of its vaults.
protocol BinListing: KeychainBackend {
    /// The items of a service that are in the bin. Of one name, the one that was put there last comes first.
    func deletedItems(of service: String, in vault: VaultName) async throws(KeychainError) -> [ItemAttributes]
}

extension BrokerBackend: BinListing {}
