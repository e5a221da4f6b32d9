import CPAMModule

/// What the line in the PAM service file says after the module's name. The texts are libpam's, and live as long as the transaction.
@safe struct Arguments {
    /// The authenticator's socket for logins.
    private(set) var report = unsafe text(LoginWire.socket)
    /// The broker's socket.
    private(set) var broker = unsafe text(LoginWire.brokerSocket)
    /// The authenticator's socket for clients.
    private(set) var authenticator = unsafe text(LoginWire.authenticatorSocket)

    /// Takes the last `socket=PATH`, `broker=PATH` and `auth=PATH`. Other words are nobody's business here.
    init(count: CInt, words: UnsafePointer<UnsafePointer<CChar>?>?) {
        guard let words = unsafe words, count > 0 else { return }
        for index in 0..<Int(count) {
            guard let word = unsafe words[index] else { continue }
            if let path = unsafe Self.path(word, behind: "socket=") { unsafe report = path }
            if let path = unsafe Self.path(word, behind: "broker=") { unsafe broker = path }
            if let path = unsafe Self.path(word, behind: "auth=") { unsafe authenticator = path }
        }
    }

    private static func path(_ word: UnsafePointer<CChar>, behind key: StaticString) -> UnsafePointer<CChar>? {
        let count = key.utf8CodeUnitCount
        guard unsafe strncmp(word, text(key), count) == 0, unsafe word[count] == 0x2F else { return nil }
        return unsafe word + count
    }

    private static func text(_ text: StaticString) -> UnsafePointer<CChar> {
        unsafe UnsafeRawPointer(text.utf8Start).assumingMemoryBound(to: CChar.self)
    }
}
