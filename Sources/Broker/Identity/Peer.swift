import Platform

/// Who made a connection, by the kernel's word (unix(7), SO_PEERCRED, and SO_PEERPIDFD where there is one).
struct Peer: Sendable, Equatable {
    let uid: UInt32
    let process: ProcessIdentity

    /// - Parameters:
    ///   - socket: the server's end of the connection.
    ///   - handleOption: the number of `SO_PEERPIDFD`; another one does as on a kernel that does not have it.
    /// - Throws: when the kernel cannot name the user, or the process is gone.
    init(ofSocket socket: Int32, handleOption: Int32 = PeerHandle.option) throws(SystemError) {
        let credentials = try PeerCredentials(ofSocket: socket)
        uid = credentials.uid
        process = try credentials.hold(ofSocket: socket, option: handleOption).identity
    }
}
