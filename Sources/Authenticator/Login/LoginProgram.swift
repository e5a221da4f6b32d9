import Platform

/// The program that reports a login. What it says opens a keychain, so it has to be root's, on the machine itself, and one of those that root has listed.
struct LoginProgram: Sendable, Equatable {
    let process: ProcessIdentity
    /// Its file, by the kernel's word.
    let path: String

    /// - Parameter listed: the files of the programs whose word counts.
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
            // All of this has to be one process's.
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
            throw .refused(.denied("The authenticator does not \(error)."))
        }
    }
}
