import Cryptography
import Platform

extension SoftwareSealer {
    /// The key that everything is sealed under, derived from the file's 32 bytes.
    ///
    /// - Parameter makingIt: makes the file if it is missing. Only for a new vault, because an old one needs its own
    ///   key.
    /// - Throws: `.unavailable`, `.replaced`.
    func machineKey(makingIt: Bool) throws(SealerError) -> SecretBytes {
        do {
            if try FileStatus.of(path) == nil {
                guard makingIt else {
                    throw SealerError(.replaced, "the software sealer's key \(path) is gone: restore it from a backup")
                }
                try DurableFile.write(Random.bytes(32), to: path, mode: 0o600)
            }
            guard let status = try FileStatus.of(path), status.isRegular, status.mode & 0o077 == 0 else {
                throw SealerError(.unavailable, "\(path) must be a file that its owner alone can read")
            }
            let bytes = try DurableFile.read(path, limit: 32)
            guard bytes.count == 32 else { throw SealerError(.replaced, "\(path) is not a key of 32 bytes") }
            return try HKDF.derive(SecretBytes(copying: bytes), salt: [], info: SoftwareObject.domain, count: 32)
        } catch let error as SealerError {
            throw error
        } catch {
            throw SealerError(.unavailable, "the software sealer's key cannot be used: \(error)")
        }
    }
}
