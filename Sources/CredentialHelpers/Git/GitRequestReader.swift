import Coffer
import Platform

/// Reads git's `key=value` lines, byte by byte. Values of keys that it does not know take no memory, however long they are.
struct GitRequestReader: ~Copyable {
    private(set) var request = GitRequest()
    private var state = State.key
    private var key: [UInt8] = []
    private var value: [UInt8] = []
    private var seen: Set<GitField> = []

    private enum State {
        case key
        /// nil: a key that is not known.
        case value(GitField?)
        case finished
    }

    init() {}

    deinit { Wipe.storage(of: value) }

    /// - Returns: whether it takes more. An empty line ends a request.
    /// - Throws: `.invalidArgument`, `.limitExceeded`.
    mutating func take(_ bytes: some Sequence<UInt8>) throws(KeychainError) -> Bool {
        for byte in bytes {
            switch state {
            case .finished: return false
            case .key: try takeKey(byte)
            case .value(let field): try takeValue(byte, field)
            }
        }
        if case .finished = state { return false }
        return true
    }

    /// The input has ended. The last line may lack its line break.
    mutating func end() throws(KeychainError) {
        switch state {
        case .finished: break
        case .value(let field): try finish(field)
        case .key where key.isEmpty: break
        case .key: throw GitRefusal.notALine
        }
        state = .finished
    }

    private mutating func takeKey(_ byte: UInt8) throws(KeychainError) {
        switch byte {
        case UInt8(ascii: "="):
            state = .value(GitField(rawValue: String(decoding: key, as: UTF8.self)))
            key = []
        case UInt8(ascii: "\n"):
            guard key.isEmpty || key == [UInt8(ascii: "\r")] else { throw GitRefusal.notALine }
            state = .finished
        default:
            // A key that is too long is cut, and so is not known. Its length does not matter.
            if key.count <= FieldLimits.key { key.append(byte) }
        }
    }

    private mutating func takeValue(_ byte: UInt8, _ field: GitField?) throws(KeychainError) {
        if byte == UInt8(ascii: "\n") {
            try finish(field)
            state = .key
        } else if let field {
            try GitRefusal.checkLength(value.count, of: field)
            Wipe.makeRoom(for: 1, in: &value)
            value.append(byte)
        }
    }

    private mutating func finish(_ field: GitField?) throws(KeychainError) {
        defer {
            Wipe.bytes(&value)
            value = []
        }
        guard let field else { return }
        try GitRefusal.checkOnce(field, after: &seen)
        // As git reads its own lines.
        if value.last == UInt8(ascii: "\r") { value.removeLast() }
        try GitRefusal.checkLength(value.count, of: field)
        try GitRefusal.checkBytes(value, of: field)
        set(field)
    }

    private mutating func set(_ field: GitField) {
        switch field {
        case .scheme: request.scheme = value
        case .host: request.host = value
        case .path: request.path = value
        case .username: request.username = value
        case .password: request.password = SecretField(value)
        case .authtype: request.authtype = value
        case .credential: request.credential = SecretField(value)
        case .refreshToken: request.refreshToken = SecretField(value)
        case .expiry: request.expiry = GitNumber.time(value)
        case .ephemeral: request.isEphemeral = GitNumber.isTrue(value)
        case .partial: request.isPartial = GitNumber.isTrue(value)
        case .capability:
            // An empty value begins the list anew.
            if value.isEmpty { request.takesAuthtype = false }
            if value.elementsEqual("authtype".utf8) { request.takesAuthtype = true }
        }
    }
}

/// Numbers and truth values as git reads them.
enum GitNumber {
    /// Seconds since 1970. nil if it is no number, 0 or too large: then git, too, takes it for never.
    static func time(_ text: some Sequence<UInt8>) -> UInt64? {
        let digits = text.prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        guard let seconds = UInt64(String(decoding: Array(digits), as: UTF8.self)), seconds > 0 else { return nil }
        return seconds
    }

    /// A word that git would not take is true, because every such field keeps a secret from being stored.
    static func isTrue(_ text: [UInt8]) -> Bool {
        let word = String(decoding: text, as: UTF8.self).lowercased()
        return !(["", "false", "no", "off"].contains(word) || Int(word) == 0)
    }
}
