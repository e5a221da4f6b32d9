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

    /// The program that a login of the account starts.
    ///
    /// - Returns: nil if no such account exists.
    public static func shell(ofUID uid: UInt32) throws(SystemError) -> String? {
        try unsafe NameService.look(
            "find the account with uid \(uid)", capacity: 1024, limit: NameServiceLimits.account, empty: passwd(),
            { unsafe getpwuid_r(uid, $0, $1, $2, $3) }
        ) { entry in
            unsafe String(cString: entry.pw_shell)
        }
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

/// A group as the name service knows it (getgrnam_r(3)).
public struct Group: Hashable, Sendable {
    public let name: String
    public let gid: UInt32
    /// The names of the accounts that the group's own entry lists. Accounts that have it as their main group may be missing.
    public let members: [String]

    public init(name: String, gid: UInt32, members: [String] = []) {
        self.name = name
        self.gid = gid
        self.members = members
    }

    /// - Returns: nil if no such group exists.
    public static func withGID(_ gid: UInt32) throws(SystemError) -> Group? {
        try unsafe look("find the group with number \(gid)") { unsafe getgrgid_r(gid, $0, $1, $2, $3) }
    }

    /// - Returns: nil if no such group exists.
    public static func named(_ name: String) throws(SystemError) -> Group? {
        try unsafe look("find the group \(name)") { unsafe getgrnam_r(name, $0, $1, $2, $3) }
    }

    private static func look(
        _ operation: String,
        _ call: (
            UnsafeMutablePointer<group>, UnsafeMutablePointer<CChar>, Int,
            UnsafeMutablePointer<UnsafeMutablePointer<group>?>
        ) -> Int32
    ) throws(SystemError) -> Group? {
        // The entry contains the group's members, so large groups need more room.
        try unsafe NameService.look(operation, capacity: 4096, limit: NameServiceLimits.group, empty: group(), call) {
            entry in
            var members: [String] = []
            var next = unsafe entry.gr_mem
            while let place = unsafe next, let member = unsafe place.pointee {
                members.append(unsafe String(cString: member))
                unsafe next = place + 1
            }
            return unsafe Group(name: String(cString: entry.gr_name), gid: entry.gr_gid, members: members)
        }
    }
}

extension Account {
    /// Whether the name service lists the account as a member now (getgrouplist(3)). A process's own list of groups outlives a removal, so it is not
    /// used. If the name service cannot answer, the account is no member.
    public func isMember(of gid: UInt32) -> Bool {
        if self.gid == gid { return true }
        var capacity: Int32 = 64
        while true {
            var count = capacity
            var groups = [gid_t](repeating: 0, count: Int(capacity))
            let result = unsafe getgrouplist(name, self.gid, &groups, &count)
            if result >= 0 { return groups.prefix(Int(count)).contains(gid) }
            guard capacity < NameServiceLimits.groups else { return false }
            capacity = min(max(count, capacity * 2), NameServiceLimits.groups)
        }
    }
}

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
