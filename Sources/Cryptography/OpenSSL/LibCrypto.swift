import COpenSSL
import LateLoading

/// The functions of libcrypto, opened at their first use (docs/decisions/0037-late-libcrypto.md).
let libcrypto = LibCrypto.open()

enum LibCrypto {
    /// OpenSSL 3. Its functions keep their form until this name changes.
    static let name = "libcrypto.so.3"

    fileprivate static func open() -> coffer_openssl {
        do {
            return try functions(of: LateLibrary(name))
        } catch {
            // Nothing that Coffer is for can go on, and callers of a digest expect no error.
            fatalError("\(error.library) cannot be used: \(error.reason). Install OpenSSL 3 (Debian: libssl3).")
        }
    }

    /// - Throws: if one function is missing. So each field that can be called leads somewhere.
    static func functions(of library: LateLibrary) throws(LateLibraryError) -> coffer_openssl {
        var functions = coffer_openssl()
        var index = 0
        while let name = unsafe coffer_openssl_name(index) {
            let address = try unsafe library.address(of: String(cString: name))
            unsafe withUnsafeMutableBytes(of: &functions) { bytes in
                unsafe bytes.storeBytes(
                    of: address, toByteOffset: index * MemoryLayout<UnsafeMutableRawPointer>.stride,
                    as: UnsafeMutableRawPointer.self)
            }
            index += 1
        }
        return functions
    }
}
