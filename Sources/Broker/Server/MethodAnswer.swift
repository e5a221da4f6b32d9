import BrokerProtocol
import Cryptography

/// A method's answer before it is encoded.
enum MethodAnswer: Sendable {
    case reply(any Codable & Sendable)
    /// One reply, or one for each item if the caller accepts several.
    case items([Keychain.Item])
    /// A secret and its item. It is encoded into memory that is wiped after sending.
    case value(SecretBytes, Keychain.Item)
}
