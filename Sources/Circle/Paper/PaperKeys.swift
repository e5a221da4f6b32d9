import Authorization
import Cryptography

/// The keys of a circle's paper (docs/sync-format.md, “Paper”). All come from its code and from the circle, so nobody
/// keeps them, and another circle cannot have them.
package struct PaperKeys: Sendable {
    /// What the addition of the paper names.
    package let member: MemberKeys
    /// Opens what is sealed to the paper: for when-unlocked, after-first-unlock, always.
    package let receiving: [X25519.PrivateKey]
    /// The key of each requirement, in the order of ``MemberKeys/guards``.
    package let guards: [P256.PrivateKey]

    private static let guardNames = ["presence", "biometry-any", "passcode"]

    /// - Throws: `.outOfMemory`, `.library`.
    package init(_ code: PaperCode, in circle: StatementName) throws(CryptographyError) {
        let secret = try code.secret
        receiving = try ["when-unlocked", "after-first-unlock", "always"].map { (name) throws(CryptographyError) in
            try X25519.PrivateKey(rawRepresentation: Self.derive(secret, circle, name))
        }
        let signing = try ["membership", "stream"].map { (name) throws(CryptographyError) in
            try Self.key(secret, circle, name).publicKey
        }
        guards = try Self.guardNames.map { (name) throws(CryptographyError) in try Self.key(secret, circle, name) }
        let random = try Self.derive(secret, circle, "random").withBytes { bytes in bytes.indices.map { bytes[$0] } }
        let bytes = signing.flatMap(\.self) + receiving.flatMap(\.publicKey) + guards.flatMap(\.publicKey) + random
        do throws(CircleFormError) { member = try MemberKeys(bytes: bytes) } catch {
            throw CryptographyError(code: .library, reason: "the keys of a paper cannot be hashed")
        }
    }

    /// The first number of the series that is a key. Nearly always that is the first one.
    private static func key(
        _ secret: SecretBytes, _ circle: StatementName, _ name: String
    ) throws(CryptographyError) -> P256.PrivateKey {
        for place in UInt8.min..<UInt8.max {
            do throws(CryptographyError) {
                return try P256.PrivateKey(rawRepresentation: derive(secret, circle, name, place))
            } catch { guard error.code == .invalidKey else { throw error } }
        }
        throw CryptographyError(code: .invalidKey, reason: "the code of a paper makes no key")
    }

    private static func derive(
        _ secret: SecretBytes, _ circle: StatementName, _ name: String, _ place: UInt8 = 0
    ) throws(CryptographyError) -> SecretBytes {
        try HKDF.derive(
            secret, salt: circle.bytes,
            info: LengthPrefixed.encode(Array("org.coffer.circle.paper".utf8), Array(name.utf8)) + [place], count: 32)
    }
}
