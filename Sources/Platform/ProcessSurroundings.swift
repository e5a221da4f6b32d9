import CLinux
import Glibc

/// Replaces what a process inherits and should not trust.
public enum ProcessSurroundings {
    /// Empties the environment, so that modules and their programs see nothing that a caller set.
    public static func clearEnvironment() throws(SystemError) {
        try checked("clear the environment") { clearenv() }
        // Programs that modules start may need a search path.
        try checked("set the search path") { unsafe setenv("PATH", "/usr/sbin:/usr/bin:/sbin:/bin", 1) }
    }

    /// Sets one variable, for modules that can be told no other way. Call it before other threads start.
    public static func set(_ name: String, to value: String) throws(SystemError) {
        try checked("set \(name)") { unsafe setenv(name, value, 1) }
    }

    /// Closes all descriptors from this number on.
    public static func closeDescriptors(from first: Int32) throws(SystemError) {
        try checked("close inherited descriptors") { coffer_close_from(first) }
    }

    /// Takes over a descriptor that was passed by number. Programs that are started later do not inherit it.
    public static func adopt(_ number: Int32) throws(SystemError) -> Descriptor {
        try checked("take over descriptor \(number)") { fcntl(number, F_SETFD, FD_CLOEXEC) }
        return Descriptor(adopting: number)
    }

    /// The effective uid of this process.
    public static var effectiveUser: UInt32 { geteuid() }
}
