import BrokerProtocol
import Cryptography
import Item
import Varlink
import Vault

/// What a call's change makes of an item's access control. A contradiction is refused, never narrowed.
enum WireAccess {
    /// - Parameter present: the item's access control; nil if the item does not exist yet.
    static func decode(_ change: Keychain.AccessChange?, over present: AccessControl?) throws(Fault) -> AccessControl {
        let former = present ?? .whenUnlocked
        do throws(AccessControlError) { return try change?.applied(to: former) ?? former } catch { throw Fault(error) }
    }
}

/// Decodes times in messages, in milliseconds since 1970-01-01 UTC.
enum WireTime {
    /// - Returns: nil for "never", which 0 also means.
    static func decode(_ milliseconds: Int64?) throws(Fault) -> UInt64? {
        guard let milliseconds, milliseconds != 0 else { return nil }
        guard let time = UInt64(exactly: milliseconds) else {
            throw Fault(.invalidArgument, "an expiry cannot be before 1970")
        }
        return time
    }
}

/// Decodes secrets, which are base64 in messages.
enum WireValue {
    static func decode(_ text: String) throws(Fault) -> SecretBytes {
        do throws(CryptographyError) {
            if let value = try SecretBytes(base64Encoded: text) { return value }
        } catch {
            throw Fault(.failed, "the broker has no memory for the value just now", advice: "try again in a moment")
        }
        throw Fault(.invalidArgument, "the value is not base64")
    }
}
