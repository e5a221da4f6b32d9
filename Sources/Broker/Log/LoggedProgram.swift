import Platform
import Vault

/// The program that did something, as the access log names it.
enum LoggedProgram {
    /// The longest name, in bytes. A path can be this long.
    static let longestName = 4096
    /// The longest control group, in characters.
    private static let longestGroup = 1024

    /// - Parameter resolved: the program that the process ran when it connected to the authenticator, as the kernel
    ///   names it. Without it, the log has only the name that the process gave itself.
    static func of(uid: UInt32, _ process: ProcessIdentity, resolved: String? = nil) -> AccessRecord.Program {
        var name = resolved
        var group: String?
        // `try?`: if the process is gone or its ID belongs to another, the name and control group stay unknown.
        if let stat = try? ProcessStat(pid: process.pid), stat.startTime == process.startTime {
            name = resolved ?? stat.command
            // `try?`: see above.
            group = try? ProcessStat.controlGroup(pid: process.pid)
        }
        return AccessRecord.Program(
            uid: uid, pid: process.pid, name: name, isResolved: resolved != nil,
            controlGroup: group.map { String($0.prefix(longestGroup)) })
    }

    static func of(_ challenge: Challenge) -> AccessRecord.Program {
        of(uid: challenge.uid, challenge.process, resolved: challenge.program)
    }
}
