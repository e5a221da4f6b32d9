import Authorization
import Circle
import Cryptography

/// The keys that a renewed vault will have in its circle, as the successor's row `succession` has them until it is
/// complete (docs/rotation.md, “In a circle”).
package struct CircleSuccession: Sendable {
    package let circle: StatementName
    /// The device of the vault that is renewed.
    package let signer: WriterID
    package let keys: MemberKeys
    let signingKeys: CircleSigningKeys
    /// By the new membership key; nil until its person has agreed.
    package private(set) var proof: [UInt8]?
    /// The statement with the former membership key's signature; nil until then.
    package private(set) var signed: SignedStatement?

    package init(circle: StatementName, signer: WriterID, keys: MemberKeys, signingKeys: CircleSigningKeys) {
        (self.circle, self.signer, self.keys, self.signingKeys) = (circle, signer, keys, signingKeys)
    }

    /// What the proof is over.
    package var proofBytes: [UInt8] { Statement.proofBytes(circle: circle, signer: signer, keys: keys) }

    /// The new membership key.
    package var membership: SealedObject { signingKeys.membership }

    /// - Parameter signature: `r ‖ s`, 64 bytes.
    /// - Throws: `.sealer` if it is not the new membership key's.
    package mutating func take(proof signature: [UInt8]) throws(VaultError) {
        let proof = SignedStatement.lower(signature)
        guard SignedStatement.isValid(proof, for: proofBytes, by: keys.membership) else { throw Self.strange }
        self.proof = proof
    }

    /// - Parameter signature: `r ‖ s`, 64 bytes.
    /// - Throws: `.sealer` if it is not the former membership key's.
    package mutating func take(
        signature: [UInt8], of statement: Statement, by former: MemberKeys
    ) throws(VaultError) {
        let signed = SignedStatement(statement, signature: SignedStatement.lower(signature))
        guard signed.isSigned(by: former) else { throw Self.strange }
        self.signed = signed
    }

    /// The same before the statement was signed.
    package var unsigned: CircleSuccession {
        var succession = self
        succession.signed = nil
        return succession
    }

    private static let strange = VaultError(
        .sealer, "the sealer has signed something else than who succeeds this machine")

    var encoded: [UInt8] {
        circle.bytes + signer.bytes + keys.bytes + signingKeys.encoded
            + LengthPrefixed.encode(proof ?? [], signed?.bytes ?? [])
    }

    init(decoding bytes: [UInt8]) throws(VaultError) {
        var reader = ByteReader(bytes, "the succession")
        guard let circle = StatementName(bytes: try reader.bytes(StatementName.count)),
            let signer = WriterID(bytes: try reader.bytes(SharedItemID.count))
        else { throw .damaged("the succession has no circle") }
        (self.circle, self.signer) = (circle, signer)
        let keys = try reader.bytes(MemberKeys.count)
        signingKeys = try CircleSigningKeys(&reader)
        let (proof, signed) = (try reader.prefixed(), try reader.prefixed())
        do throws(CircleFormError) {
            self.keys = try MemberKeys(bytes: keys)
            self.proof = proof.isEmpty ? nil : proof
            self.signed = signed.isEmpty ? nil : try SignedStatement(decoding: signed)
        } catch { throw .damaged("the succession is unreadable", cause: error) }
        try reader.end()
    }
}
