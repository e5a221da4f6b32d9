import BrokerProtocol
import Cryptography
import Varlink

/// Decodes secrets, which are base64 in messages.
enum WireValue {
    static func decode(_ text: String) throws(Fault) -> SecretBytes {
        do throws(CryptographyError) {
            if let value = try SecretBytes(base64Encoded: text) { return value }
        } catch {
            throw Fault(.failed, "The broker has no memory for the value just now; try again in a moment.")
        }
        throw Fault(.invalidArgument, "The value is not base64.")
    }
}
