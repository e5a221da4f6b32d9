import BrokerProtocol
import Cryptography

/// What a method answers with, before it is put into words for the wire.
enum MethodAnswer: Sendable {
    case reply(any Codable & Sendable)
    /// One reply, or one for each item where the caller takes several.
    case items([Keychain.Item])
    /// A value and its item. Written into memory that is wiped after it was sent.
    case value(SecretBytes, Keychain.Item)
}
