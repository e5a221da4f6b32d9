import CLinux
import Glibc

/// Gives up rights of this process for good.
public enum ProcessRights {
    /// Becomes another user, with that user's main group only, and can never become anybody else.
    /// - Throws: ``SystemError`` if this process may not do that, or is not exactly that user afterwards.
    public static func drop(to account: Account) throws(SystemError) {
        if geteuid() == 0 {
            try checked("give up the groups") { setgroups(0, nil) }
            try checked("take the group \(account.gid)") { coffer_setresgid(account.gid) }
            try checked("become uid \(account.uid)") { coffer_setresuid(account.uid) }
        }
        try checked("give up new rights") { coffer_set_no_new_privileges() }
        guard getuid() == account.uid, geteuid() == account.uid, account.uid == 0 || setuid(0) != 0 else {
            throw SystemError("become uid \(account.uid)", reason: "the process is uid \(geteuid())")
        }
    }

    /// Has the kernel end this process after this many seconds, even while it waits. 0 cancels that.
    public static func endAfter(seconds: UInt32) { alarm(seconds) }
}
