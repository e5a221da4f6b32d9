import Authorization
import Cryptography

/// Derives a PIN from the password before it leaves this process. The broker and the TPM never see the password itself.
enum LoginPassword {
    /// Runs scrypt with root's salt and cost. It takes some tenths of a second and gives 32 bytes.
    static func pin(of password: SecretBytes, salt: [UInt8], cost: Int) throws(ConversationError) -> SecretBytes {
        do throws(CryptographyError) {
            return try Scrypt.derive(
                password: password, salt: salt,
                cost: Scrypt.Cost(rounds: 1 << UInt64(cost), blockSize: 8, parallelism: 1), count: 32)
        } catch {
            throw .refused(.misconfigured("the authenticator cannot derive a key from the password: \(error.reason)"))
        }
    }

    static func newSalt() throws(ConversationError) -> [UInt8] {
        do throws(CryptographyError) { return try Random.bytes(BindingPin.saltCount) } catch {
            throw .refused(.misconfigured("the authenticator has no random numbers: \(error.reason)"))
        }
    }
}
