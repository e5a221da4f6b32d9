import Platform
import RootConfiguration

/// Tells which programs of a user are in a conversation, by locks that end with their process. A finger must have one meaning only. A program's own
/// conversations do not conflict. Those that are alike share one question, and a reader takes one question at a time.
struct OpenConversations: ~Copyable {
    private let presence: SharedLock
    private let path: String
    private let program: Int32
    /// Held by the conversations of the one program that may ask for a finger.
    private var finger: SharedLock?

    /// Counts this conversation as open until the value ends.
    /// - Parameter program: the client's process ID.
    static func enter(registryDirectory: String, uid: UInt32, program: Int32) throws(SystemError) -> OpenConversations {
        let directory = "\(registryDirectory)/conversations"
        try Folder.make(directory, mode: 0o700)
        let path = "\(directory)/\(uid)"
        return OpenConversations(
            presence: try SharedLock(path: path + ".open", place: program), path: path, program: program)
    }

    /// Counts a client's conversation.
    static func enter(
        _ client: Client, _ configuration: Configuration
    ) throws(ConversationError) -> OpenConversations {
        do throws(SystemError) {
            return try enter(
                registryDirectory: configuration.registryDirectory, uid: client.account.uid,
                program: client.process.pid)
        } catch { throw .refused(.misconfigured(error)) }
    }

    private init(presence: consuming SharedLock, path: String, program: Int32) {
        self.presence = presence
        self.path = path
        self.program = program
    }

    /// Makes this program the only one that a finger may answer.
    /// - Returns: false if another program of the user's is in a conversation.
    mutating func claimFinger() throws(SystemError) -> Bool {
        if finger != nil { return true }
        // Two programs that claim at the same moment see each other, and neither gets the finger.
        let claim = try SharedLock(path: path + ".finger", place: program)
        if try claim.isHeldElsewhere() { return false }
        if try presence.isHeldElsewhere() { return false }
        finger = consume claim
        return true
    }

    /// Marks the end of the conversation. Swift may destroy a value before its scope ends, once it is no longer used.
    borrowing func keep() {}
}
