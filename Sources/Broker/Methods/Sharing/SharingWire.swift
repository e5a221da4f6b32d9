import Authorization
import BrokerProtocol
import Circle
import Cryptography
import Item
import Platform
import Varlink
import Vault

/// The words and bytes of the wire.
enum SharingWire {
    static func name(_ text: String) throws(Fault) -> MachineName {
        guard let name = MachineName(text) else {
            throw Fault(
                .invalidArgument,
                "a machine's name has 1 to \(CircleLimits.name) letters, digits, dots and dashes, and begins with a letter or digit"
            )
        }
        guard text.lowercased() != VaultSharing.paperName.text else {
            throw Fault(
                .invalidArgument, "a machine cannot be called “paper”, because the code on paper is",
                advice: "choose another name")
        }
        return name
    }

    static func code(_ text: String) throws(Fault) -> JoinCode {
        guard text.utf8.count <= SharingCallLimits.code else {
            throw Fault(.invalidArgument, "that is not the code of a machine")
        }
        do {
            return try JoinCode(reading: SecretBytes(copying: Array(text.utf8)))
        } catch {
            throw Fault(.invalidArgument, words(for: error), advice: "type it as the new machine shows it")
        }
    }

    /// The role of a machine that is added.
    static func role(_ text: String) throws(Fault) -> MemberRole {
        guard let role = [MemberRole.reader, .writer, .admin].first(where: { $0.text == text }) else {
            throw Fault(.invalidArgument, "a machine is a reader, a writer or an admin")
        }
        return role
    }

    private static func words(for error: any Error) -> String {
        switch error as? JoinCodeError {
        case .prefix: "the code of a machine begins with JOIN"
        case .wrongLength(let count, let expected): "the code has \(count) characters behind JOIN, and not \(expected)"
        case .strangeCharacter: "the code has a character that no code has"
        case .mistyped: "the code is mistyped"
        case .noMemory, nil: "there is no memory for the code"
        }
    }

    /// The public keys of a paper.
    static func paper(_ text: String) throws(Fault) -> MemberKeys {
        guard let bytes = Base64.decode(text),
            let keys = { () -> MemberKeys? in
                do throws(CircleFormError) { return try MemberKeys(bytes: bytes) } catch { return nil }
            }()
        else { throw Fault(.invalidArgument, "these are no keys of a paper") }
        return keys
    }

    static func item(_ item: Sync.Released) throws(Fault) -> ItemName {
        guard let kind = item.kind.map(ItemKind.init(rawValue:)) ?? .genericPassword,
            max(item.service.utf8.count, item.account.utf8.count) <= ItemLimits.name
        else { throw Fault(.invalidArgument, "that is no name of an item") }
        return ItemName(service: item.service, account: item.account, itemClass: kind)
    }

    /// The ids of devices, sorted, each once.
    static func devices(_ texts: [String]) throws(Fault) -> [WriterID] {
        guard (1...SharingCallLimits.removals).contains(texts.count) else {
            throw Fault(
                .invalidArgument, "a call names 1 to \(SharingCallLimits.removals) machines",
                advice: "name the others in another call")
        }
        let devices = texts.compactMap { Hex.decode($0).flatMap(WriterID.init) }
        guard devices.count == texts.count else {
            throw Fault(
                .invalidArgument, "that is not the id of a machine", advice: "see them with: coffer sync status")
        }
        return Set(devices).sorted()
    }

    /// A revision's name.
    static func revision(_ text: String) throws(Fault) -> RevisionName {
        guard let name = Hex.decode(text).flatMap(RevisionName.init(digest:)) else {
            throw Fault(
                .invalidArgument, "that is not the id of a value", advice: "see them with: coffer sync conflicts")
        }
        return name
    }

    static func item(_ text: String) throws(Fault) -> ItemID {
        guard let id = ItemID(text) else { throw Fault(.invalidArgument, "that is not the id of an item") }
        return id
    }

    /// A part that can be in conflict.
    static func part(_ word: String, _ name: String?) throws(Fault) -> SharedPart {
        switch (word, name) {
        case ("name", nil): return .name
        case ("label", nil): return .label
        case ("comment", nil): return .comment
        case ("expiry", nil): return .expiry
        case ("attribute", let name?) where !name.isEmpty: return .attribute(Array(name.utf8))
        case ("field", let name?):
            if let field = FieldName(name) { return .field(field) }
        default: break
        }
        throw Fault(.invalidArgument, "an item has no such part", advice: "see them with: coffer sync conflicts")
    }

    static func bytes(_ texts: [String]) throws(Fault) -> [[UInt8]] {
        guard texts.count <= SharingCallLimits.files else { throw Fault(.limitExceeded, "a call has too many files") }
        var all: [[UInt8]] = []
        for text in texts {
            guard let bytes = Base64.decode(text) else { throw Fault(.invalidArgument, "a file is not base64") }
            all.append(bytes)
        }
        return all
    }

    /// Names that no member writes are left out.
    static func paths(_ names: [String]) -> [StorePath] { names.compactMap { StorePath($0) } }

    /// The lengths that a caller knows of files.
    static func sizes(_ sizes: [Int64]?, of names: [String]) -> [StorePath: Int] {
        var known: [StorePath: Int] = [:]
        for (name, size) in zip(names, sizes ?? []) where size >= 0 {
            if let path = StorePath(name) { known[path] = Int(clamping: size) }
        }
        return known
    }

    static func words(_ circle: StatementName, _ request: JoinRequest) throws(Fault) -> [String] {
        try form { () throws(CircleFormError) in
            try CheckWords.text(circle: circle, request: request)
        }.split(separator: " ").map(String.init)
    }

    static func form<Value>(_ body: () throws(CircleFormError) -> Value) throws(Fault) -> Value {
        do throws(CircleFormError) { return try body() } catch { throw Fault(.failed, "the records cannot be made") }
    }

    static func cryptography<Value>(_ body: () throws(CryptographyError) -> Value) throws(Fault) -> Value {
        do throws(CryptographyError) { return try body() } catch {
            throw Fault(.failed, "there is no memory for keys just now", advice: "try again in a moment")
        }
    }
}

extension SharedPart {
    /// The wire's words.
    var words: (part: String, name: String?) {
        switch self {
        case .name: ("name", nil)
        case .access: ("access", nil)
        case .label: ("label", nil)
        case .comment: ("comment", nil)
        case .expiry: ("expiry", nil)
        case .bin: ("bin", nil)
        case .attribute(let name): ("attribute", String(decoding: name, as: UTF8.self))
        case .field(let name): ("field", name.text)
        }
    }
}

extension MemberRole {
    /// The wire's word.
    var text: String {
        switch self {
        case .reader: "reader"
        case .writer: "writer"
        case .admin: "admin"
        case .paper: "paper"
        }
    }
}

extension KeyProtection {
    /// The wire's word.
    var text: String {
        switch self {
        case .tpm: "tpm"
        case .software: "software"
        }
    }
}

extension ItemKind {
    /// The kind in an answer about sharing. It is absent for a generic item.
    var wireName: String? { self == .genericPassword ? nil : rawValue }
}
