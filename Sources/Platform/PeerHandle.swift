import Glibc

/// The kernel's own pidfd of the process at the other end of a Unix socket (socket(7), SO_PEERPIDFD). It belongs to the very process that connected,
/// even if another process has its ID by now.
public enum PeerHandle {
    /// SO_PEERPIDFD exists since Linux 6.5. Glibc's headers may be older.
    public static let option: Int32 = 77

    /// Whether an error means that this kernel has no such option. Any other error means that there is no such process, and nothing else must be
    /// tried.
    public static func isMissing(errno: Int32) -> Bool { errno == ENOPROTOOPT }

    /// - Parameter option: another number acts like a kernel without the option.
    /// - Returns: nil if the kernel has no such option.
    static func of(_ socket: Int32, option: Int32 = PeerHandle.option) throws(SystemError) -> Descriptor? {
        var number: Int32 = -1
        var size = socklen_t(MemoryLayout<Int32>.size)
        do throws(SystemError) {
            try checked("ask which process is at the other end") {
                unsafe getsockopt(socket, SOL_SOCKET, option, &number, &size)
            }
        } catch {
            guard isMissing(errno: error.errno) else { throw error }
            return nil
        }
        return Descriptor(adopting: number)
    }
}
