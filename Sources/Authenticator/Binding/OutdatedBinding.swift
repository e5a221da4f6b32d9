import Authorization
import Platform

/// Remembers that a vault is bound to an earlier login password. Otherwise, after a password change, each unlocking of the screen would use up one of
/// the TPM's tries.
struct OutdatedBinding {
    private struct Content: Codable, Equatable {
        /// The salt of the binding that the password did not fit, in hexadecimal.
        var salt: String?
    }

    private let file: StateFile<Content>

    init(registryDirectory: String, uid: UInt32) throws(ConversationError) {
        do throws(SystemError) {
            file = try StateFile(
                registryDirectory: registryDirectory, folder: "bindings", uid: uid, nothing: Content(salt: nil))
        } catch { throw Self.conversationError(error) }
    }

    func isKnown(_ binding: BindingPin) throws(ConversationError) -> Bool {
        do throws(SystemError) { return try file.update { $0.salt == Hex.encode(binding.salt) } } catch {
            throw Self.conversationError(error)
        }
    }

    /// - Parameter binding: the binding that the password does not fit; nil if the password fits.
    func note(_ binding: BindingPin?) throws(ConversationError) {
        do throws(SystemError) { try file.update { $0.salt = binding.map { Hex.encode($0.salt) } } } catch {
            throw Self.conversationError(error)
        }
    }

    private static func conversationError(_ error: SystemError) -> ConversationError {
        .refused(.misconfigured("the authenticator cannot remember what it tried: \(error)"))
    }
}
