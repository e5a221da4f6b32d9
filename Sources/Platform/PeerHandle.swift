import Glibc

/// The kernel's own pidfd of the process at the other end of a Unix socket (socket(7), SO_PEERPIDFD), made for the very process that connected: also where its
/// number has been given to another one since.
public enum PeerHandle {
    /// SO_PEERPIDFD, since Linux 6.5; Glibc's headers may be older.
    public static let option: Int32 = 77

    /// Whether an error says that this kernel has no such option. Any other error says that there is no such process, and nothing else is to be tried then.
    public static func isMissing(errno: Int32) -> Bool { errno == ENOPROTOOPT }

    /// - Parameter option: another one, to do without it.
    /// - Returns: nil where the kernel has no such option.
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
