import Coffer
import Platform

/// The value of an entry: the password, then a line for each other part, as git's helper for libsecret keeps them. `docs/git.md` has the format.
struct GitValue: Sendable {
    /// nil: the entry has a credential instead.
    var password: SecretField?
    var expiry: UInt64?
    var refreshToken: SecretField?
    var authtype: [UInt8]?
    var credential: SecretField?

    init(password: SecretField?) { self.password = password }

    /// What git asks to store; nil if it is not complete.
    init?(_ request: GitRequest) {
        let password = request.username == nil ? nil : request.password
        self.init(password: password)
        if request.takesAuthtype, let authtype = request.authtype, !authtype.isEmpty {
            self.authtype = authtype
            credential = request.credential
        }
        guard password != nil || credential != nil else { return nil }
        if credential == nil { authtype = nil }
        expiry = request.expiry
        refreshToken = request.refreshToken
    }

    /// - Throws: `.damaged` if a part has bytes that no line of git's can have, or comes twice. A person may have stored the entry.
    init(_ stored: [UInt8]) throws(KeychainError) {
        let value = stored.withoutLineEnd
        guard !value.contains(0), !value.contains(UInt8(ascii: "\r")) else {
            throw KeychainError(
                .damaged, "the entry has bytes that git does not take",
                advice: "look at it with coffer get, and correct it with coffer edit")
        }
        let lines = value.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        var seen: Set<GitField> = []
        for line in lines.dropFirst() {
            guard let equals = line.firstIndex(of: UInt8(ascii: "=")) else { continue }
            let rest = line[line.index(after: equals)...]
            let field = GitField(rawValue: String(decoding: line[..<equals], as: UTF8.self))
            if let field, !seen.insert(field).inserted {
                throw KeychainError(
                    .damaged, "the entry has \(field.rawValue) twice", advice: "erase it, and log in again")
            }
            switch field {
            case .expiry: expiry = GitNumber.time(rest)
            case .refreshToken: refreshToken = SecretField(rest)
            case .authtype: authtype = Array(rest)
            case .credential: credential = SecretField(rest)
            default: break
            }
        }
        if authtype == nil { credential = nil }
        let first = lines.first ?? []
        password = first.isEmpty && credential != nil ? nil : SecretField(first)
    }

    /// Drops what has expired. The refresh token stays.
    mutating func dropPassword() { (password, expiry, authtype, credential) = (nil, nil, nil, nil) }

    /// The value of the item, in storage of its own.
    var bytes: [UInt8] {
        let secrets = [password, refreshToken, credential].reduce(0) { $0 + ($1?.bytes.count ?? 0) }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(secrets + FieldLimits.name)
        bytes.append(contentsOf: password?.bytes ?? [])
        for line in lines where line.field != .password {
            bytes += [UInt8(ascii: "\n")] + Array(line.field.rawValue.utf8) + [UInt8(ascii: "=")] + line.value
        }
        return bytes
    }

    /// The lines for git.
    func answer(user: String?, takesAuthtype: Bool) -> [UInt8] {
        var answer: [UInt8] = []
        func add(_ key: String, _ value: some Collection<UInt8>) {
            answer += Array("\(key)=".utf8) + value + [UInt8(ascii: "\n")]
        }
        if takesAuthtype, credential != nil { add(GitField.capability.rawValue, Array("authtype".utf8)) }
        if let user { add(GitField.username.rawValue, Array(user.utf8)) }
        for line in lines where takesAuthtype || ![.authtype, .credential].contains(line.field) {
            add(line.field.rawValue, line.value)
        }
        return answer
    }

    private var lines: [(field: GitField, value: [UInt8])] {
        var lines: [(GitField, [UInt8])] = []
        if let password { lines.append((.password, password.bytes)) }
        if let expiry { lines.append((.expiry, Array(String(expiry).utf8))) }
        if let refreshToken { lines.append((.refreshToken, refreshToken.bytes)) }
        if let authtype { lines.append((.authtype, authtype)) }
        if let credential { lines.append((.credential, credential.bytes)) }
        return lines
    }
}
