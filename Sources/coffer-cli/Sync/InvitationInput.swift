import Circle
import Coffer
import Cryptography
import Platform

/// Reads an invitation from a file. It is never an argument or a variable, which other programs could read.
struct InvitationInput {
    let path: String

    func read() throws(KeychainError) -> Invitation {
        let bytes: [UInt8]
        do throws(SystemError) {
            bytes = try DurableFile.read(path, limit: InvitationLimits.text)
        } catch {
            throw KeychainError(
                .notFound, "the invitation cannot be read: \(error.reason)",
                advice: "name the file that coffer sync invite has written on the admin host")
        }
        let text: SecretBytes
        do throws(CryptographyError) { text = try SecretBytes(copying: bytes) } catch { throw Self.noMemory }
        do throws(InvitationError) { return try Invitation(reading: text) } catch {
            switch error {
            case .form:
                throw KeychainError(
                    .invalidArgument, "that is no invitation", advice: "make one on the admin host: coffer sync invite")
            case .noMemory: throw Self.noMemory
            }
        }
    }

    private static let noMemory = KeychainError(
        .failed, "the invitation cannot be kept in memory", advice: "free some memory")
}
