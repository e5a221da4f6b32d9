import Coffer
import Platform

/// What an entry holds: the password in the field secret, and each other part in a field that has git's name for it (`docs/git.md`).
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

    /// The parts that have fields of their own.
    private static let named: [GitField] = [.expiry, .refreshToken, .authtype, .credential]

    /// The fields of an entry that are git's. A person can have added others.
    static func fields(of entry: ItemAttributes) -> [FieldName] {
        entry.fields.map(\.name).filter { $0 == .secret || part($0) != nil }
    }

    private static func part(_ field: FieldName) -> GitField? { named.first { $0.rawValue == field.text } }

    /// - Parameters:
    ///   - items: the entry's fields that are git's, as they were read.
    ///   - names: what they are called.
    /// - Throws: `.damaged` if a part has bytes that no line of git's can have, or comes twice. A person may have stored the entry.
    init(_ items: [Item], _ names: [FieldName]) throws(KeychainError) {
        self.init(password: nil)
        var seen: Set<GitField> = []
        for (item, name) in zip(items, names) {
            guard let part = Self.part(name) else {
                try take(lines: item.value, &seen)
                // The entry has a credential instead, also if an interruption has left the former password.
                if item.attributes.attributes[EntryStore.authtype] != nil { password = nil }
                continue
            }
            let value = try Self.checked(item.value)
            guard !value.contains(UInt8(ascii: "\n")) else { throw Self.damaged }
            try set(part, value, &seen)
        }
        if authtype == nil { credential = nil }
    }

    /// As far as a server's refusal is compared with it. The other fields of the entry were not read.
    init(comparing items: [Item], _ names: [FieldName]) throws(KeychainError) {
        self = try GitValue(items, names)
        if let index = names.firstIndex(of: Self.credential) {
            credential = SecretField(try Self.checked(items[index].value))
        }
    }

    /// The field of a credential.
    static let credential: FieldName = "credential"
    /// The field of the time when the password or the credential expires.
    static let expiry: FieldName = "password_expiry_utc"
    /// The field of what is good for longer.
    static let refreshToken: FieldName = "oauth_refresh_token"

    private static let damaged = KeychainError(
        .damaged, "the entry has bytes that git does not take",
        advice: "look at it with coffer get, and correct it with coffer edit")

    private static func checked(_ stored: [UInt8]) throws(KeychainError) -> ArraySlice<UInt8> {
        let value = stored.withoutLineEnd
        guard !value.contains(0), !value.contains(UInt8(ascii: "\r")) else { throw damaged }
        return value[...]
    }

    private mutating func set(
        _ part: GitField, _ value: ArraySlice<UInt8>, _ seen: inout Set<GitField>
    ) throws(KeychainError) {
        guard seen.insert(part).inserted else {
            throw KeychainError(
                .damaged, "the entry has \(part.rawValue) twice", advice: "erase it, and log in again")
        }
        switch part {
        case .expiry: expiry = GitNumber.time(value)
        case .refreshToken: refreshToken = SecretField(value)
        case .authtype: authtype = Array(value)
        case .credential: credential = SecretField(value)
        default: break
        }
    }

    /// Takes the password, and what an earlier version kept below it: a line for each other part. If it had only a credential, the first line is empty.
    private mutating func take(lines stored: [UInt8], _ seen: inout Set<GitField>) throws(KeychainError) {
        let lines = try Self.checked(stored).split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        for line in lines.dropFirst() {
            guard let equals = line.firstIndex(of: UInt8(ascii: "=")),
                let part = GitField(rawValue: String(decoding: line[..<equals], as: UTF8.self)),
                Self.named.contains(part)
            else { continue }
            try set(part, line[line.index(after: equals)...], &seen)
        }
        let first = lines.first ?? []
        password = first.isEmpty && credential != nil ? nil : SecretField(first)
    }

    /// Drops what has expired. The refresh token stays.
    mutating func dropPassword() { (password, expiry, authtype, credential) = (nil, nil, nil, nil) }

    /// The fields that are stored. Each value is in storage of its own.
    var stored: [NewItem] {
        lines.map { line in
            var new = NewItem(value: line.value)
            // Storage that a part shared would be wiped under the call that stores it.
            new.value.append(0)
            new.value.removeLast()
            new.field = line.field == .password ? .secret : FieldName(line.field.rawValue) ?? .secret
            new.fieldKind = [.expiry, .authtype].contains(line.field) ? .text : .secret
            return new
        }
    }

    /// The lines for git.
    func answer(user: String?, takesAuthtype: Bool) -> [UInt8] {
        var answer: [UInt8] = []
        func add(_ key: String, _ value: some Collection<UInt8>) {
            Wipe.append("\(key)=".utf8, to: &answer)
            Wipe.append(value, to: &answer)
            Wipe.append(CollectionOfOne(UInt8(ascii: "\n")), to: &answer)
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
