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

    /// - Returns: nil if no such account exists.
    public static func withUID(_ uid: UInt32) throws(SystemError) -> Account? {
        try unsafe look("find the account with uid \(uid)") { unsafe getpwuid_r(uid, $0, $1, $2, $3) }
    }

    /// - Returns: nil if no such account exists.
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
        try unsafe NameService.look(operation, capacity: 1024, limit: NameServiceLimits.account, empty: passwd(), call)
        { entry in
            unsafe Account(name: String(cString: entry.pw_name), uid: entry.pw_uid, gid: entry.pw_gid)
        }
    }
}
