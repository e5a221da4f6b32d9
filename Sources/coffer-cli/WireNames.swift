import BrokerProtocol

/// Administration speaks the wire's own types. Commands about items speak the library's.
typealias Keychain = BrokerProtocol.Keychain
