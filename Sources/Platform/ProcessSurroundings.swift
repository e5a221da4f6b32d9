import CLinux
import Glibc

/// What a process inherits, and should not trust.
public enum ProcessSurroundings {
    /// Empties the environment: modules and the programs they start see nothing that a caller set.
    public static func clearEnvironment() throws(SystemError) {
        try checked("clear the environment") { clearenv() }
        // The search path that programs started by modules may need.
        try checked("set the search path") { unsafe setenv("PATH", "/usr/sbin:/usr/bin:/sbin:/bin", 1) }
    }

    /// Sets one variable, for modules that know no other way to be told. Before other threads begin.
    public static func set(_ name: String, to value: String) throws(SystemError) {
        try checked("set \(name)") { unsafe setenv(name, value, 1) }
    }

    /// Closes all descriptors from a number on.
    public static func closeDescriptors(from first: Int32) throws(SystemError) {
        try checked("close inherited descriptors") { coffer_close_from(first) }
    }

    /// Takes over a descriptor that was passed by number: programs started later do not get it.
    public static func adopt(_ number: Int32) throws(SystemError) -> Descriptor {
        try checked("take over descriptor \(number)") { fcntl(number, F_SETFD, FD_CLOEXEC) }
        return Descriptor(adopting: number)
    }

    /// The uid whose rights this process has.
    public static var effectiveUser: UInt32 { geteuid() }
}
