import BrokerProtocol

/// The condition of a vault when a call arrives. With the method, it decides if the call is admitted.
typealias VaultCondition = Keychain.VaultState.State
