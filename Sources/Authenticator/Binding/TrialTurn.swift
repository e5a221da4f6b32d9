import BrokerProtocol
import PAM
import Platform
import Varlink

/// Lets one password of a user at a time be tried at the TPM, in all conversations. Otherwise several conversations could find that a password was not
/// tried yet, and each would use up one of the TPM's tries for it.
struct TrialTurn {
    /// What the client of a password that waits is told.
    static let text = "Another password is being tried at the TPM; this one is next."

    /// How often a conversation checks whether it is its turn.
    private static let pace = Duration.milliseconds(50)

    private static let keptWaiting = ConversationError.refused(
        .init(
            fault: Fault(
                .authenticationTimedOut, "your other requests kept this one waiting for the TPM for too long",
                advice: "try again in a moment"),
            reason: "timeout"))

    private let path: String

    /// - Throws: ``ConversationError`` if the folder cannot be used. Without an order, no password is tried.
    init(registryDirectory: String, uid: UInt32) throws(ConversationError) {
        let directory = "\(registryDirectory)/bindings"
        do throws(SystemError) { try Folder.make(directory, mode: 0o700) } catch {
            throw .refused(.misconfigured(error))
        }
        path = "\(directory)/\(uid).try"
    }

    /// Waits for the turn.
    /// - Returns: a lock to hold from the look into the memory until the outcome is in it. No person may be asked meanwhile.
    func take(_ session: inout ClientSession) throws(ConversationError) -> FileLock {
        var isTold = false
        while true {
            if let lock = try lockUnlessHeld() { return lock }
            if isTold {
                do throws(ConversationError) { _ = try session.next(of: nil, until: .now + Self.pace) } catch {
                    // The person has answered, so "nobody answered in time" would be untrue.
                    throw error == .timedOut ? Self.keptWaiting : error
                }
            } else {
                isTold = true
                _ = try session.show(Message(style: .info, text: Self.text))
            }
        }
    }

    private func lockUnlessHeld() throws(ConversationError) -> FileLock? {
        do throws(SystemError) { return try FileLock(unlessHeld: path) } catch {
            throw .refused(.misconfigured(error))
        }
    }
}
