import Cryptography

/// An application password after scrypt: one part of a slot's key. Stretching takes some tenths of a second and 128
/// MiB, so it is done apart from reading and storing.
public struct StretchedPassword: Sendable {
    /// The salt of the one slot that the key is for.
    let salt: [UInt8]
    let key: SecretBytes

    /// The length of the stretched key in bytes.
    public static let keyCount = 32

    /// Stretches a password for storing an item, with a fresh salt. Blocks.
    ///
    /// - Throws: `.invalidArgument` for an empty password, `.limitExceeded` for one longer than
    ///   `Limits.applicationPassword`.
    public init(_ password: SecretBytes) throws(VaultError) {
        let salt: [UInt8]
        do throws(CryptographyError) { salt = try Random.bytes(Slot.saltCount) } catch { throw VaultError(error) }
        try self.init(password, salt: salt)
    }

    /// Stretches a password for reading an item. Blocks.
    ///
    /// - Parameter salt: the read plan's.
    /// - Throws: `.invalidArgument` for an empty password, `.limitExceeded` for one longer than
    ///   `Limits.applicationPassword`.
    public init(_ password: SecretBytes, salt: [UInt8]) throws(VaultError) {
        guard !password.isEmpty else { throw VaultError(.invalidArgument, "the application password is empty") }
        guard password.count <= Limits.applicationPassword else {
            throw VaultError(
                .limitExceeded,
                "the application password has \(password.count) bytes, but may have \(Limits.applicationPassword) at most"
            )
        }
        self.salt = salt
        do throws(CryptographyError) {
            key = try Scrypt.derive(password: password, salt: salt, cost: .standard, count: Self.keyCount)
        } catch { throw VaultError(error) }
    }
}
