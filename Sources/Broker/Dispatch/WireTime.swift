import BrokerProtocol
import Varlink

/// Times between wire and vault.
enum WireTime {
    /// - Returns: nil for never, which is also what 0 says.
    static func decode(_ milliseconds: Int64?) throws(Fault) -> UInt64? {
        guard let milliseconds, milliseconds != 0 else { return nil }
        guard let time = UInt64(exactly: milliseconds) else {
            throw Fault(.invalidArgument, "An expiry cannot be before 1970.")
        }
        return time
    }
}
