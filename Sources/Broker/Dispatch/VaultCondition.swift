import BrokerProtocol

/// What a vault is in when a call arrives. Decides, with the method, whether the call is let in at all.
typealias VaultCondition = Keychain.VaultState.State
