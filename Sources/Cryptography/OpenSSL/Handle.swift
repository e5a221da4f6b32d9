import COpenSSL

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
