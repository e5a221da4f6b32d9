import Authorization
import Circle
import Cryptography

/// Seals and opens records (docs/sync-format.md, “Records”).
package enum RecordSealing {
    /// - Parameter half: the private half of the generation's metadata key; nil for what everybody can open.
    package static func seal(
        _ body: RecordBody, in header: CircleRecord.Header, half: X25519.PrivateKey?
    ) throws(VaultError) -> CircleRecord {
        do throws(CircleFormError) {
            let padded = try RecordPadding.add(to: body.bytes())
            let sealed = try cryptographyOfRecord { () throws(CryptographyError) in
                try AESGCM.seal(
                    SecretBytes(copying: padded), key: key(of: header, half), associatedData: header.bytes)
            }
            return try CircleRecord(header, sealed: sealed)
        } catch { throw .impossible(error) }
    }

    /// - Returns: nil if it does not open, or is no body of a record. Then its writer, or a store, has made it so.
    package static func open(_ record: CircleRecord, half: X25519.PrivateKey?) throws(VaultError) -> RecordBody? {
        let plain: SecretBytes
        do throws(CryptographyError) {
            plain = try AESGCM.open(
                record.sealed, key: key(of: record.header, half), associatedData: record.header.bytes)
        } catch {
            guard error.code == .authenticationFailed else { throw VaultError(error) }
            return nil
        }
        let padded = plain.withBytes { bytes in bytes.indices.map { bytes[$0] } }
        do throws(CircleFormError) {
            return try RecordBody(decoding: RecordPadding.remove(from: padded), in: record.header)
        } catch {
            return nil
        }
    }

    private static func key(
        of header: CircleRecord.Header, _ half: X25519.PrivateKey?
    ) throws(CryptographyError) -> SecretBytes {
        let material = if let half { half.rawRepresentation } else { try SecretBytes.zeros(count: 32) }
        return try HKDF.derive(
            material, salt: header.generationBytes, info: header.keyInfo, count: AESGCM.keyCount)
    }

    private static func cryptographyOfRecord<Value>(
        _ body: () throws(CryptographyError) -> Value
    ) throws(CircleFormError) -> Value {
        do throws(CryptographyError) { return try body() } catch { throw .hash }
    }
}
