import BrokerProtocol
import Cryptography
import Item
import Varlink
import Vault

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

/// Decodes names of fields in messages.
enum WireField {
    /// - Returns: nil if the call names none.
    static func decode(_ text: String?) throws(Fault) -> FieldName? {
        guard let text else { return nil }
        guard let name = FieldName(text) else {
            throw Fault(
                .invalidArgument,
                "a field's name has 1 to \(ItemLimits.fieldName) bytes, and no control characters")
        }
        return name
    }
}

/// Decodes revisions in messages.
enum WireRevision {
    /// - Returns: nil if the call names none.
    static func decode(_ text: String?) throws(Fault) -> ItemRevision? {
        guard let text else { return nil }
        guard let revision = ItemRevision(text) else {
            throw Fault(.invalidArgument, "ifRevision is not the revision of an item", advice: "take it from the item")
        }
        return revision
    }
}
