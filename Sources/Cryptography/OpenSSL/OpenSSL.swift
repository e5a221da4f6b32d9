import COpenSSL

/// Translates OpenSSL's return conventions; there is no other place. The error queue belongs to the thread and outlives
/// a call. It is emptied at each failure, so that the code kept is always that of the call that failed.
enum OpenSSL {
    static func check(
        _ result: Int32, _ doing: String, code: CryptographyError.Code = .library
    ) throws(CryptographyError) {
        guard result == 1 else { throw failure(doing, code: code) }
    }

    static func require(
        _ pointer: OpaquePointer?, _ doing: String, code: CryptographyError.Code = .library
    ) throws(CryptographyError) -> OpaquePointer {
        guard let pointer = unsafe pointer else { throw failure(doing, code: code) }
        return unsafe pointer
    }

    /// - Parameter code: the error code, unless OpenSSL lacked memory. A key is not wrong because there was no room for
    ///   it.
    static func failure(_ doing: String, code: CryptographyError.Code = .library) -> CryptographyError {
        let raw = UInt(libcrypto.ERR_peek_last_error())
        let isOutOfMemory = lackedMemory()
        libcrypto.ERR_clear_error()
        return CryptographyError(
            code: isOutOfMemory ? .outOfMemory : code, reason: "OpenSSL could not \(doing)", openSSLCode: raw)
    }

    /// Empties the whole queue, because the first error lies below those that its callers added.
    private static func lackedMemory() -> Bool {
        while true {
            let entry = libcrypto.ERR_get_error()
            guard entry != 0 else { return false }
            // Swift does not import the C macros. The library is in bits 23 and up, the reason in the bits below.
            let library = Int32(truncatingIfNeeded: entry >> 23) & 0xFF
            let reason = Int32(truncatingIfNeeded: entry) & 0x7F_FFFF
            if reason & 0xFFF == 0x100 { return true }  // ERR_R_MALLOC_FAILURE, with or without its flags
            if library == ERR_LIB_CRYPTO, reason == 111 { return true }  // CRYPTO_R_SECURE_MALLOC_FAILURE
        }
    }
}

/// Owns one OpenSSL object. Holding it is safe; using `pointer` is not.
@safe
struct Handle: ~Copyable {
    let pointer: OpaquePointer
    private let release: (OpaquePointer) -> Void

    init(
        _ pointer: OpaquePointer?, _ doing: String, code: CryptographyError.Code = .library,
        release: @escaping (OpaquePointer) -> Void
    ) throws(CryptographyError) {
        unsafe self.pointer = try OpenSSL.require(pointer, doing, code: code)
        unsafe self.release = release
    }

    deinit {
        unsafe release(pointer)
    }
}

/// The name of an OSSL_PARAM. OpenSSL keeps the pointer and not the text, so a Swift string would be gone after the
/// call.
@safe
struct ParameterName {
    let pointer: UnsafePointer<CChar>

    init(_ name: StaticString) {
        unsafe pointer = UnsafeRawPointer(name.utf8Start).assumingMemoryBound(to: CChar.self)
    }

    static var digest: ParameterName { ParameterName("digest") }
    static var key: ParameterName { ParameterName("key") }
    static var salt: ParameterName { ParameterName("salt") }
    static var info: ParameterName { ParameterName("info") }
    static var mac: ParameterName { ParameterName("mac") }
    static var group: ParameterName { ParameterName("group") }
    static var publicKey: ParameterName { ParameterName("pub") }
    static var privateKey: ParameterName { ParameterName("priv") }
}
