import Glibc

/// The calls of the name service that fill in an entry (getpwnam_r(3), getgrnam_r(3)).
enum NameService {
    /// Calls with as much room as it takes.
    ///
    /// - Parameters:
    ///   - capacity: bytes to begin with; `limit` is where more room is not tried any more.
    ///   - empty: an entry to be filled in.
    ///   - value: reads what was found, while it is there.
    /// - Returns: nil when there is no such entry.
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
            // What some name services answer for an entry that is not there.
            case ENOENT, ESRCH: return nil
            default: throw SystemError(operation, errno: result)
            }
        }
    }
}
