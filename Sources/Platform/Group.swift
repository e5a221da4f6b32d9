import Glibc

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
