import CLinux
import Glibc

/// Rights that a process gives up for good.
public enum ProcessRights {
    /// Becomes another user, with that user's main group and no other, and can never be anybody else again.
    /// - Throws: where this process may not, or has not become exactly that user.
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

    /// Lets the kernel end this process after so many seconds, whatever it is waiting for; 0 takes that back.
    public static func endAfter(seconds: UInt32) { alarm(seconds) }
}
