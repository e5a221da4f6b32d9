import CTSS2
import Cryptography

/// The C structures `TPM2B_…` with the layout `UINT16 size; BYTE buffer[N]`.
protocol SizedBuffer { init() }

extension TPM2B_DIGEST: SizedBuffer {}
extension TPM2B_NAME: SizedBuffer {}
extension TPM2B_ID_OBJECT: SizedBuffer {}
extension TPM2B_ENCRYPTED_SECRET: SizedBuffer {}
extension TPM2B_PRIVATE: SizedBuffer {}
extension TPM2B_DATA: SizedBuffer {}
extension TPM2B_ATTEST: SizedBuffer {}
extension TPM2B_SENSITIVE_DATA: SizedBuffer {}
extension TPM2B_ECC_PARAMETER: SizedBuffer {}
extension TPM2B_MAX_NV_BUFFER: SizedBuffer {}

extension SizedBuffer {
    /// Makes a structure with these bytes.
    ///
    /// - Throws: `.damaged` if they do not fit.
    init(content: [UInt8]) throws(TPMError) {
        self.init()
        guard content.count <= MemoryLayout<Self>.size - 2 else {
            throw TPMError(.damaged, "a TPM structure is longer than it can be")
        }
        unsafe withUnsafeMutableBytes(of: &self) { buffer in
            unsafe buffer.storeBytes(of: UInt16(content.count), as: UInt16.self)
            unsafe UnsafeMutableRawBufferPointer(rebasing: buffer[2...]).copyBytes(from: content)
        }
    }

    /// The bytes in use, in place, so that no copy of a secret is made.
    ///
    /// - Throws: `.damaged` if the size is larger than the buffer.
    static func content(at pointer: UnsafePointer<Self>) throws(TPMError) -> UnsafeRawBufferPointer {
        let raw = unsafe UnsafeRawPointer(pointer)
        let size = Int(unsafe raw.loadUnaligned(as: UInt16.self))
        guard size <= MemoryLayout<Self>.size - 2 else {
            throw TPMError(.damaged, "a TPM structure claims a length that it cannot have")
        }
        return unsafe UnsafeRawBufferPointer(start: raw + 2, count: size)
    }
}

extension ESYSOutput where Pointee: SizedBuffer {
    /// A copy of the bytes. Only for bytes that are not secret.
    func bytes(_ command: CommandCode) throws(TPMError) -> [UInt8] {
        try unsafe value(command) { (pointer: UnsafePointer<Pointee>) throws(TPMError) -> [UInt8] in
            try unsafe [UInt8](Pointee.content(at: pointer))
        }
    }
}

/// SHA-256 that throws this module's error.
enum Digest {
    static func sha256(_ bytes: [UInt8]) throws(TPMError) -> [UInt8] {
        do {
            return try SHA256.digest(bytes)
        } catch {
            throw TPMError(.other, "SHA-256 failed: \(error.reason)")
        }
    }
}
