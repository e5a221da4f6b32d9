import CPAMModule

/// The arguments after the module's name in the PAM service file. Their texts belong to libpam and live as long as the transaction.
@safe struct Arguments {
    /// The authenticator's socket for logins.
    private(set) var report = unsafe text(LoginWire.socket)
    /// The broker's socket.
    private(set) var broker = unsafe text(LoginWire.brokerSocket)
    /// The authenticator's socket for clients.
    private(set) var authenticator = unsafe text(LoginWire.authenticatorSocket)

    /// How long a login may be delayed, in milliseconds; 0 for the default.
    private(set) var patience: CInt = 0

    /// Takes the last `socket=PATH`, `broker=PATH`, `auth=PATH` and `patience=SECONDS` (1 to 99). Other words are ignored.
    init(count: CInt, words: UnsafePointer<UnsafePointer<CChar>?>?) {
        guard let words = unsafe words, count > 0 else { return }
        for index in 0..<Int(count) {
            guard let word = unsafe words[index] else { continue }
            if let path = unsafe Self.path(word, behind: "socket=") { unsafe report = path }
            if let path = unsafe Self.path(word, behind: "broker=") { unsafe broker = path }
            if let path = unsafe Self.path(word, behind: "auth=") { unsafe authenticator = path }
            unsafe takePatience(word)
        }
    }

    private static func path(_ word: UnsafePointer<CChar>, behind key: StaticString) -> UnsafePointer<CChar>? {
        let count = key.utf8CodeUnitCount
        guard unsafe strncmp(word, text(key), count) == 0, unsafe word[count] == 0x2F else { return nil }
        return unsafe word + count
    }

    private mutating func takePatience(_ word: UnsafePointer<CChar>) {
        let key: StaticString = "patience="
        guard unsafe strncmp(word, Self.text(key), key.utf8CodeUnitCount) == 0 else { return }
        var seconds: CInt = 0
        var digits = unsafe word + key.utf8CodeUnitCount
        while unsafe digits.pointee != 0 {
            guard unsafe digits.pointee >= 0x30, unsafe digits.pointee <= 0x39, seconds < 10 else { return }
            seconds = unsafe seconds * 10 + CInt(digits.pointee - 0x30)
            unsafe digits += 1
        }
        patience = seconds * 1000
    }

    private static func text(_ text: StaticString) -> UnsafePointer<CChar> {
        unsafe UnsafeRawPointer(text.utf8Start).assumingMemoryBound(to: CChar.self)
    }
}
