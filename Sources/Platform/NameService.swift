import Glibc

/// Calls the name service's functions that fill in an entry (getpwnam_r(3), getgrnam_r(3)).
enum NameService {
    /// Repeats the call with more room until the entry fits.
    ///
    /// - Parameters:
    ///   - capacity: the room to begin with, in bytes.
    ///   - limit: the room beyond which no more is tried, in bytes.
    ///   - empty: an entry for the call to fill in.
    ///   - value: converts the entry, which is valid only during this call.
    /// - Returns: nil if there is no such entry.
    static func look<Entry, Value>(
        _ operation: String, capacity: Int, limit: Int, empty: Entry,
        _ call: (
            UnsafeMutablePointer<Entry>, UnsafeMutablePointer<CChar>, Int,
            UnsafeMutablePointer<UnsafeMutablePointer<Entry>?>
        ) -> Int32,
        value: (Entry) -> Value
    ) throws(SystemError) -> Value? {
        var capacity = capacity
        while true {
            var entry = empty
            var found: UnsafeMutablePointer<Entry>?
            let buffer = UnsafeMutablePointer<CChar>.allocate(capacity: capacity)
            defer { unsafe buffer.deallocate() }
            let result = unsafe call(&entry, buffer, capacity, &found)
            switch result {
            case 0: return unsafe found == nil ? nil : value(entry)
            case ERANGE where capacity < limit: capacity *= 4
            case EINTR: continue
            // Some name services give these errors for a missing entry.
            case ENOENT, ESRCH: return nil
            default: throw SystemError(operation, errno: result)
            }
        }
    }
}
