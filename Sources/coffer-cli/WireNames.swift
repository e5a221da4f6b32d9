import BrokerProtocol

/// The command line speaks the wire's own types, not the library's.
typealias Keychain = BrokerProtocol.Keychain
