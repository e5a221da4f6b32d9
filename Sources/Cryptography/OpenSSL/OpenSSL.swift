import COpenSSL

/// The one gate for OpenSSL's return conventions. The error queue belongs to the thread and outlives a call, so it is
/// emptied at each failure: the code kept is always that of the call that failed.
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

    static func failure(_ doing: String, code: CryptographyError.Code = .library) -> CryptographyError {
        let raw = UInt(ERR_peek_last_error())
        ERR_clear_error()
        return CryptographyError(code: code, reason: "OpenSSL could not \(doing)", openSSLCode: raw)
    }
}
