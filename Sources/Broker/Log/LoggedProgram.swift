import Platform
import Vault

/// Who did something, as the access log has it.
enum LoggedProgram {
    /// A name in bytes: as long as a path can be.
    static let longestName = 4096
    /// In characters.
    private static let longestGroup = 1024

    /// - Parameter resolved: what the process ran when it connected to the authenticator, by the kernel's word; without it there is only what it calls itself.
    static func of(uid: UInt32, _ process: ProcessIdentity, resolved: String? = nil) -> AccessRecord.Program {
        var name = resolved
        var group: String?
        // A process that is gone, or another one by now, leaves these unknown.
        if let stat = try? ProcessStat(pid: process.pid), stat.startTime == process.startTime {
            name = resolved ?? stat.command
            // As above.
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
