import Platform

/// The process that made a connection, as the kernel names it (unix(7), SO_PEERCRED, and SO_PEERPIDFD if the kernel
/// has it).
struct Peer: Sendable, Equatable {
    let uid: UInt32
    let process: ProcessIdentity

    /// - Parameters:
    ///   - socket: the server's end of the connection.
    ///   - handleOption: the number of `SO_PEERPIDFD`. Any other number acts like a kernel without this option.
    /// - Throws: `SystemError` if the kernel cannot name the user, or the process is gone.
    init(ofSocket socket: Int32, handleOption: Int32 = PeerHandle.option) throws(SystemError) {
        let credentials = try PeerCredentials(ofSocket: socket)
        uid = credentials.uid
        process = try credentials.hold(ofSocket: socket, option: handleOption).identity
    }
}
