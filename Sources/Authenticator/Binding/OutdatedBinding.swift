import Authorization
import Platform

/// Remembers that the login password is not the one that a keychain is bound to: whoever unlocks a screen ten times a day after a change of the password
/// must not spend the TPM's tries on what is known to be wrong.
struct OutdatedBinding {
    private struct Content: Codable, Equatable {
        /// Of the binding that the password did not fit, hexadecimal.
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

    /// - Parameter binding: the one that the password does not fit; nil where it fits.
    func note(_ binding: BindingPin?) throws(ConversationError) {
        do throws(SystemError) { try file.update { $0.salt = binding.map { Hex.encode($0.salt) } } } catch {
            throw Self.conversationError(error)
        }
    }

    private static func conversationError(_ error: SystemError) -> ConversationError {
        .refused(.misconfigured("The authenticator cannot remember what it tried: \(error)."))
    }
}
