import Authorization
import Cryptography

/// The public half of an invitation. It opens what invited machines write, and makes nothing that counts.
package struct InvitationKey: Hashable, Sendable {
    package let circle: StatementName
    /// A P-256 point of 65 bytes.
    package let point: [UInt8]

    /// - Returns: nil unless the point lies on P-256.
    package init?(circle: StatementName, point: [UInt8]) {
        guard P256.isOnCurve(point) else { return nil }
        self.init(circle: circle, checkedPoint: point)
    }

    init(circle: StatementName, checkedPoint point: [UInt8]) { (self.circle, self.point) = (circle, point) }

    /// Where its machines knock.
    ///
    /// - Throws: `.outOfMemory`, `.library`.
    package var place: InvitationPlace {
        get throws(CryptographyError) {
            let name = try derived("org.coffer.circle.invitation.name")
            return InvitationPlace(named: name.withBytes { bytes in (0..<InvitationPlace.count).map { bytes[$0] } })
        }
    }

    var sealing: SecretBytes {
        get throws(CryptographyError) { try derived("org.coffer.circle.invitation.knock") }
    }

    /// Opens what a machine has written at a place of this invitation.
    ///
    /// - Throws: `CircleFormError` for anything that none of its machines has written there.
    package func open(_ bytes: [UInt8], at path: StorePath) throws(CircleFormError) -> Knock {
        guard bytes.count <= CircleLimits.knock + AESGCM.overhead else { throw .length }
        let opened: SecretBytes
        do throws(CryptographyError) {
            opened = try AESGCM.open(bytes, key: sealing, associatedData: Array(path.text.utf8))
        } catch { throw error.code == .authenticationFailed || error.code == .invalidLength ? .form : .hash }
        let knock = try Knock(decoding: opened, circle: circle)
        let own = try library { () throws(CryptographyError) in
            StorePath.knock(circle: circle, try place, try knock.code.place)
        }
        guard path == own else { throw .place }
        return knock
    }

    private func derived(_ info: String) throws(CryptographyError) -> SecretBytes {
        try HKDF.derive(SecretBytes(copying: point), salt: [], info: Array(info.utf8), count: 32)
    }
}

/// Where the machines of one invitation knock: 16 bytes. Who does not have the invitation cannot tell which one it is.
package struct InvitationPlace: Hashable, Sendable {
    /// The length in bytes.
    package static let count = 16

    package let bytes: [UInt8]

    /// - Returns: nil unless there are 16 bytes.
    package init?(bytes: [UInt8]) {
        guard bytes.count == Self.count else { return nil }
        self.bytes = bytes
    }

    fileprivate init(named bytes: [UInt8]) { self.bytes = bytes }
}
