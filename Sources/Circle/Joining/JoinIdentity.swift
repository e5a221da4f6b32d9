import Authorization
import Cryptography

/// What a new device shows of its TPM (docs/sync-format.md, "Proof of a TPM").
package struct JoinIdentity: Hashable, Sendable {
    /// The SHA-256 of the request that it belongs to.
    package let request: [UInt8]
    package let machine: MachineIdentity
    package let bytes: [UInt8]

    private static let domain = LengthPrefixed.encode(Array("org.coffer.circle.identity".utf8))

    /// - Throws: `.length`.
    package init(request: [UInt8], machine: MachineIdentity) throws(CircleFormError) {
        guard request.count == SHA256.count else { throw .length }
        (self.request, self.machine) = (request, machine)
        bytes = Self.domain + BigEndian.bytes(CircleLimits.version) + request + machine.bytes
    }

    /// Reads canonical bytes. Each identity has one form.
    ///
    /// - Throws: `CircleFormError`; `.form` for keys that do not lie on P-256.
    package init(decoding bytes: [UInt8]) throws(CircleFormError) {
        guard bytes.count <= CircleLimits.identity else { throw .length }
        var rest = bytes[...]
        try rest.domain(Self.domain)
        try rest.version()
        let request = try rest.take(SHA256.count)
        let machine = try rest.machine()
        try rest.end()
        try self.init(request: request, machine: machine)
    }
}

extension ArraySlice<UInt8> {
    mutating func machine() throws(CircleFormError) -> MachineIdentity {
        let (endorsement, attestation) = (try take(P256.pointCount), try take(P256.pointCount))
        do throws(CryptographyError) {
            return try MachineIdentity(endorsement: endorsement, attestation: attestation)
        } catch { throw .form }
    }
}
