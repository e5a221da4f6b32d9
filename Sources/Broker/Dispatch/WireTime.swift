import BrokerProtocol
import Varlink

/// Decodes times in messages, in milliseconds since 1970-01-01 UTC.
enum WireTime {
    /// - Returns: nil for "never", which 0 also means.
    static func decode(_ milliseconds: Int64?) throws(Fault) -> UInt64? {
        guard let milliseconds, milliseconds != 0 else { return nil }
        guard let time = UInt64(exactly: milliseconds) else {
            throw Fault(.invalidArgument, "An expiry cannot be before 1970.")
        }
        return time
    }
}
