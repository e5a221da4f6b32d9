import Cryptography

/// An application password after scrypt: the part of a slot's key that it is good for. Making one takes some tenths of a second and 128 MiB, which is why
/// it is made apart from reading and storing.
public struct StretchedPassword: Sendable {
    /// Of the one slot that it is for.
    let salt: [UInt8]
    let key: SecretBytes

    /// The bytes of what scrypt makes.
    public static let keyCount = 32

    /// For an item that is to be stored. Blocks.
    ///
    /// - Throws: `.invalidArgument` for an empty password, `.limitExceeded` for one beyond `Limits.applicationPassword`.
    public init(_ password: SecretBytes) throws(VaultError) {
        let salt: [UInt8]
        do throws(CryptographyError) { salt = try Random.bytes(Slot.saltCount) } catch { throw VaultError(error) }
        try self.init(password, salt: salt)
    }

    /// For an item that is to be read. Blocks.
    ///
    /// - Parameter salt: the read plan's.
    /// - Throws: as above.
    public init(_ password: SecretBytes, salt: [UInt8]) throws(VaultError) {
        guard !password.isEmpty else { throw VaultError(.invalidArgument, "the application password is empty") }
        guard password.count <= Limits.applicationPassword else {
            throw VaultError(
                .limitExceeded,
                "the application password has \(password.count) bytes; it has \(Limits.applicationPassword) at most")
        }
        self.salt = salt
        do throws(CryptographyError) {
            key = try Scrypt.derive(password: password, salt: salt, cost: .standard, count: Self.keyCount)
        } catch { throw VaultError(error) }
    }
}
