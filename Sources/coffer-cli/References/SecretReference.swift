import Coffer
import CredentialHelpers

/// `coffer://SERVICE/ACCOUNT`, or `coffer://SERVICE/ACCOUNT/FIELD`, the name of a secret in a configuration file (docs/references.md).
struct SecretReference: Sendable {
    var service: String
    /// nil for the service's only account.
    var account: String?
    /// nil for the field secret.
    private(set) var field: FieldName?
    var kind = ItemKind.genericPassword
    /// Nobody's by default: the vault that the command uses.
    var vault = VaultName.own

    /// Why a text is no reference, in words. They do not repeat the text, which may be a secret in the wrong place.
    struct Mistake: Error, Equatable {
        let reason: String
        let advice: String
    }

    static let scheme = "coffer://"

    /// Whether a text is meant as a reference, even if it is none. What is meant as one never passes as a value.
    static func isMeant(_ text: some Collection<UInt8>) -> Bool {
        let start = Array("coffer:/".utf8)
        let first = text.prefix(start.count)
        guard first.count == start.count else { return false }
        return zip(first, start).allSatisfy { byte, wanted in
            // Only letters have this bit as their case.
            byte == wanted || (byte ^ 0x20 == wanted && (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(wanted))
        }
    }

    init(service: String, account: String?, vault: VaultName = .own) {
        self.service = service
        self.account = account
        self.vault = vault
    }

    init(parsing text: String) throws(Mistake) {
        // As bytes: for Unicode, a slash and an accent after it are one character, which is no slash.
        guard text.utf8.starts(with: Self.scheme.utf8) else {
            throw Mistake(reason: "it does not begin with coffer://", advice: "write coffer://SERVICE/ACCOUNT")
        }
        guard text.utf8.count <= ReferenceLimits.length else {
            throw Mistake(
                reason: "it is longer than \(ReferenceLimits.length) bytes", advice: "check where it should end")
        }
        let halves = text.utf8.dropFirst(Self.scheme.utf8.count).split(
            separator: UInt8(ascii: "?"), maxSplits: 1, omittingEmptySubsequences: false)
        let names = halves[0].split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        guard names.count <= 3 else {
            throw Mistake(reason: "it has more than two slashes", advice: "write a slash within a name as %2F")
        }
        service = try Self.decoded(names[0], "service")
        guard !service.isEmpty else {
            throw Mistake(reason: "it names no service", advice: "write coffer://SERVICE/ACCOUNT")
        }
        account = names.count > 1 ? try Self.decoded(names[1], "account") : nil
        field = names.count > 2 ? try Self.field(names[2]) : nil
        if halves.count == 2 { try readQuery(halves[1]) }
    }

    /// - Returns: nil for the field secret, so that a field has one spelling.
    private static func field(_ text: Substring.UTF8View) throws(Mistake) -> FieldName? {
        let decoded = try Self.decoded(text, "field", limit: ItemLimits.fieldName)
        guard let name = FieldName(decoded) else {
            throw Mistake(
                reason: decoded.isEmpty
                    ? "it names no field after its second slash" : "the field has a control character",
                advice: "write coffer://SERVICE/ACCOUNT/FIELD, or coffer://SERVICE/ACCOUNT")
        }
        return name == .secret ? nil : name
    }

    private mutating func readQuery(_ query: Substring.UTF8View) throws(Mistake) {
        var seen: Set<String> = []
        var (group, user): (String?, String?) = (nil, nil)
        for part in query.split(separator: UInt8(ascii: "&"), omittingEmptySubsequences: false) {
            let halves = part.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            let name = String(decoding: halves[0], as: UTF8.self)
            guard halves.count == 2, !halves[1].isEmpty, seen.insert(name).inserted else {
                throw Mistake(
                    reason: "what follows the question mark is not NAME=VALUE, each name once",
                    advice: "write it as in: coffer://SERVICE/ACCOUNT?group=NAME")
            }
            switch name {
            case "group": group = try Self.decoded(halves[1], "group", limit: ArgumentLimits.owner)
            case "user": user = try Self.decoded(halves[1], "user", limit: ArgumentLimits.owner)
            case "kind":
                guard let kind = ItemKind(rawValue: String(decoding: halves[1], as: UTF8.self)) else {
                    throw Mistake(
                        reason: "there is no such kind of secret",
                        advice: "write one of: "
                            + ItemKind.allCases.map(\.rawValue).joined(separator: ", "))
                }
                self.kind = kind
            default:
                // A later version may give it a meaning that must not be missed, such as another vault.
                throw Mistake(
                    reason: "what follows the question mark has a name that Coffer does not know",
                    advice: "use group, user or kind")
            }
        }
        guard group == nil || user == nil else {
            throw Mistake(reason: "it names a group and a user", advice: "name one of them")
        }
        vault = VaultName.named(group: group, user: user)
    }

    private static func decoded(
        _ text: Substring.UTF8View, _ what: String, limit: Int = ItemLimits.name
    ) throws(Mistake) -> String {
        let decoded: String
        do throws(PercentText.Mistake) {
            decoded = try PercentText.decode(text) { PercentText.isUnreserved($0) || Self.others.contains($0) }
        } catch {
            throw Mistake(error, in: what)
        }
        guard decoded.utf8.count <= limit else {
            throw Mistake(
                reason: "the \(what) is longer than \(limit) bytes", advice: "list your items with: coffer list")
        }
        // Other commands refuse it, because arguments that are not UTF-8 turn into it.
        guard !decoded.unicodeScalars.contains("\u{FFFD}") else { throw Mistake(.notUTF8, in: what) }
        return decoded
    }

    /// What may stand for itself in a path (RFC 3986, 3.3), beside letters, digits and `-._~`. `&` and `=` have a meaning in a query only.
    private static let others = Set("!$'()*+,;:@&=".utf8)

    /// The reference as text, which reads as this reference again.
    var text: String {
        var text = Self.scheme + PercentText.encode(service)
        if let account { text += "/" + PercentText.encode(account) }
        if let field { text += "/" + PercentText.encode(field.text) }
        var query: [String] = []
        switch vault {
        case .own: break
        case .group(let name): query.append("group=" + PercentText.encode(name))
        case .account(let name): query.append("user=" + PercentText.encode(name))
        }
        if kind != .genericPassword { query.append("kind=" + kind.rawValue) }
        return query.isEmpty ? text : text + "?" + query.joined(separator: "&")
    }

    var name: PartialName { PartialName(service: service, account: account, kind: kind, field: field) }

    var shownName: String { name.shownField }
}

/// Two references are one if their bytes are. For Swift, two texts that Unicode calls equivalent are equal, but two items can be named by them.
extension SecretReference: Hashable {
    static func == (left: SecretReference, right: SecretReference) -> Bool { left.text == right.text }

    func hash(into hasher: inout Hasher) { hasher.combine(text) }
}

extension SecretReference.Mistake {
    fileprivate init(_ mistake: PercentText.Mistake, in what: String) {
        switch mistake {
        case .digits:
            self.init(
                reason: "a percent sign in the \(what) is not followed by two hexadecimal digits",
                advice: "write a percent sign itself as %25")
        case .character(let byte):
            let code = String(byte, radix: 16, uppercase: true)
            let written = "%" + (code.count < 2 ? "0" : "") + code
            self.init(
                reason: "the \(what) has a character that a reference cannot have as it is",
                advice: "write this character as \(written)")
        case .notUTF8: self.init(reason: "the \(what) is not UTF-8", advice: "list your items with: coffer list")
        case .zero: self.init(reason: "the \(what) has a zero byte", advice: "list your items with: coffer list")
        }
    }
}
