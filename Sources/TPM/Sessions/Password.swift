import CTSS2
import Cryptography

/// The password of an index or a key in TSS's form, 1 to 32 bytes. It is wiped with this value.
@safe
struct Password: ~Copyable {
    let pointer: UnsafeMutablePointer<TPM2B_DIGEST>

    init(_ secret: SecretBytes) throws(TPMError) {
        guard (1...32).contains(secret.count) else {
            throw TPMError(.other, "a password in the TPM must have 1 to 32 bytes")
        }
        // The TPM drops zeros at the end of a password, so Coffer must compute without them too.
        let count = unsafe secret.withUnsafeBytes { (bytes: UnsafeRawBufferPointer) in
            unsafe bytes.lastIndex { $0 != 0 }.map { $0 + 1 } ?? 0
        }
        guard count > 0 else { throw TPMError(.other, "a password in the TPM must not be empty or zeros") }
        unsafe pointer = .allocate(capacity: 1)
        unsafe pointer.initialize(to: TPM2B_DIGEST())
        unsafe secret.withUnsafeBytes { (bytes: UnsafeRawBufferPointer) in
            unsafe withUnsafeMutableBytes(of: &pointer.pointee.buffer) { unsafe $0.copyMemory(from: bytes) }
        }
        unsafe pointer.pointee.size = UInt16(count)
    }

    deinit {
        unsafe wipe(pointer, MemoryLayout<TPM2B_DIGEST>.size)
        unsafe pointer.deallocate()
    }
}
