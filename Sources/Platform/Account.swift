import Glibc

/// An account as the name service knows it (getpwuid_r(3)).
public struct Account: Hashable, Sendable {
    public let name: String
    public let uid: UInt32
    public let gid: UInt32

    public init(name: String, uid: UInt32, gid: UInt32) {
        self.name = name
        self.uid = uid
        self.gid = gid
    }

    /// - Returns: nil when no such account exists.
    public static func withUID(_ uid: UInt32) throws(SystemError) -> Account? {
        try unsafe look("find the account with uid \(uid)") { unsafe getpwuid_r(uid, $0, $1, $2, $3) }
    }

    /// - Returns: nil when no such account exists.
    public static func named(_ name: String) throws(SystemError) -> Account? {
        try unsafe look("find the account \(name)") { unsafe getpwnam_r(name, $0, $1, $2, $3) }
    }

    private static func look(
        _ operation: String,
        _ call: (
            UnsafeMutablePointer<passwd>, UnsafeMutablePointer<CChar>, Int,
            UnsafeMutablePointer<UnsafeMutablePointer<passwd>?>
        ) -> Int32
    ) throws(SystemError) -> Account? {
        var capacity = 1024
        while true {
            var entry = unsafe passwd()
            var found: UnsafeMutablePointer<passwd>?
            let buffer = UnsafeMutablePointer<CChar>.allocate(capacity: capacity)
            defer { unsafe buffer.deallocate() }
            let result = unsafe call(&entry, buffer, capacity, &found)
            switch result {
            case 0:
                guard unsafe found != nil else { return nil }
                return unsafe Account(name: String(cString: entry.pw_name), uid: entry.pw_uid, gid: entry.pw_gid)
            case ERANGE where capacity < 1 << 20: capacity *= 4
            case EINTR: continue
            // What some name services answer for an account that is not there.
            case ENOENT, ESRCH: return nil
            default: throw SystemError(operation, errno: result)
            }
        }
    }
}
