import COpenSSL

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
    static var group: ParameterName { ParameterName("group") }
    static var publicKey: ParameterName { ParameterName("pub") }
    static var privateKey: ParameterName { ParameterName("priv") }
}
