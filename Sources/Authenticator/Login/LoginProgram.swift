import Platform

/// The program that reports a login. Its report opens a vault. So it must run as root, outside any container, and be listed by root.
struct LoginProgram: Sendable, Equatable {
    let process: ProcessIdentity
    /// The program's file, as the kernel names it.
    let path: String

    /// - Parameter listed: the files of the programs whose reports count.
    /// - Throws: ``ConversationError`` for every other program.
    init(ofSocket descriptor: Int32, listed: [String]) throws(ConversationError) {
        do throws(SystemError) {
            let peer = try PeerCredentials(ofSocket: descriptor)
            guard peer.uid == 0 else {
                throw SystemError("take a login's report", reason: "it comes from uid \(peer.uid), not from root")
            }
            let held = try peer.hold(ofSocket: descriptor)
            let path = try ProcessLink.read("exe", of: peer.pid)
            let namespaces = try ProcessNamespaces(of: peer.pid)
            // This checks that all of the above was read from one process.
            try held.check()
            guard namespaces == (try ProcessNamespaces.initial()) else {
                throw SystemError("take a login's report", reason: "\(path) runs in a container")
            }
            guard listed.contains(path) else {
                throw SystemError("take a login's report", reason: "\(path) is not among login-programs")
            }
            self.process = held.identity
            self.path = path
        } catch {
            throw .refused(.denied("the authenticator \(error.message)"))
        }
    }
}
