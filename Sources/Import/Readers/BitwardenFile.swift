/// Bitwarden's JSON, not encrypted.
public enum BitwardenFile {
    private struct Head: Decodable {
        var encrypted: Bool?
        var passwordProtected: Bool?
    }

    private struct Content: Decodable {
        var folders: [Folder]?
        var collections: [Folder]?
        var items: [JSONItem<Item>]
    }

    private struct Folder: Decodable {
        var id: String?
        var name: String?
    }

    private struct Item: Decodable {
        var type: Int
        var name: String?
        var notes: String?
        var folderId: String?
        var collectionIds: [String]?
        /// 1: Bitwarden asks for its password before it shows the entry.
        var reprompt: Int?
        var login: Login?
        var sshKey: SSHKey?
        var fields: [Field]?
        var creationDate: String?
        var revisionDate: String?
        var archivedDate: String?
        var deletedDate: String?
        var passwordHistory: [Former]?
        var attachments: [Former]?
    }

    private struct Login: Decodable {
        var uris: [Address]?
        var username: String?
        var password: String?
        var totp: String?
        var fido2Credentials: [Former]?
    }

    private struct Address: Decodable { var uri: String? }
    private struct SSHKey: Decodable {
        var privateKey: String?
        var publicKey: String?
        var keyFingerprint: String?
    }
    private struct Field: Decodable {
        var name: String?
        var value: String?
        var type: Int?
    }
    /// Only counted.
    private struct Former: Decodable {}

    private static let format = "JSON export of Bitwarden"
    private static let (login, note, sshKey, linkedField) = (1, 2, 5, 3)

    public static func read(_ file: [UInt8]) throws(UnreadableFile) -> ImportReading {
        let bytes = try TextFile.content(file)
        guard JSONOutline.isMeant(bytes) else {
            throw UnreadableFile(
                bytes.starts(with: Array("folder,favorite,".utf8)) ? "it is Bitwarden's CSV" : "it is not JSON",
                advice: "export it again with the file format .json")
        }
        let outline = try JSONOutline(bytes, itemsIn: "items", depth: 2)
        let head = try JSONProblem.decode(Head.self, bytes, expected: format)
        guard head.encrypted != true, head.passwordProtected != true else {
            throw UnreadableFile(
                "it is encrypted, and only Bitwarden can open it",
                advice: "export it again with the file format .json instead of .json (Encrypted)")
        }
        let content = try JSONProblem.decode(Content.self, bytes, expected: format)
        // A repeated id is harmless: an entry only gets the name of one of the folders.
        let folders = Dictionary(
            ((content.folders ?? []) + (content.collections ?? [])).compactMap { folder in
                folder.id.map { ($0, folder.name ?? "") }
            },
            uniquingKeysWith: { first, _ in first })
        var reading = ImportReading()
        for (index, item) in content.items.enumerated() {
            let place = outline.place(index)
            guard let item = item.content else {
                reading.addProblem(place, item.problem ?? "it cannot be read")
                continue
            }
            try add(item, place, folders, &reading)
        }
        return reading
    }

    private static func add(
        _ item: Item, _ place: ImportPlace, _ folders: [String: String], _ reading: inout ImportReading
    ) throws(UnreadableFile) {
        var entry = ImportEntry(place)
        entry.title = item.name ?? ""
        entry.note = item.notes ?? ""
        entry.folder = item.folderId.flatMap { folders[$0] } ?? ""
        entry.attributes["collections"] = collections(item.collectionIds ?? [], folders)
        if let reprompt = item.reprompt, reprompt != 0 { entry.attributes["reprompt"] = "\(reprompt)" }
        if item.deletedDate != nil {
            entry.state = .deleted
        } else if item.archivedDate != nil {
            entry.state = .archived
        }
        entry.created = TimeStamp.checked(item.creationDate ?? "")
        entry.changed = TimeStamp.checked(item.revisionDate ?? "")
        switch item.type {
        case login:
            entry.userName = item.login?.username ?? ""
            entry.password = item.login?.password.map { Array($0.utf8) }
            entry.oneTimePassword = item.login?.totp ?? ""
            entry.addresses = (item.login?.uris ?? []).compactMap(\.uri)
        case note: break
        case sshKey:
            entry.password = item.sshKey?.privateKey.map { Array($0.utf8) }
            entry.attributes["public-key"] = item.sshKey?.publicKey.flatMap(Self.text)
            entry.attributes["fingerprint"] = item.sshKey?.keyFingerprint.flatMap(Self.text)
        case 3: return reading.leaveOut(place, "it is a card")
        case 4: return reading.leaveOut(place, "it is an identity")
        default: return reading.leaveOut(place, "it is of a type that Coffer does not know")
        }
        for field in item.fields ?? [] {
            guard let value = field.value, !value.isEmpty else { continue }
            guard field.type != linkedField else { continue }
            entry.fields.append(.init(name: field.name ?? "", value: value))
        }
        if let keys = item.login?.fido2Credentials, !keys.isEmpty { reading.leaveOut(place, "its passkey") }
        if let former = item.passwordHistory, !former.isEmpty { reading.leaveOut(place, "its former passwords") }
        if let files = item.attachments, !files.isEmpty { reading.leaveOut(place, "its attachments") }
        try reading.add(entry)
    }

    /// - Returns: nil for an entry that is in no collection.
    private static func collections(_ ids: [String], _ names: [String: String]) -> String? {
        text(ids.map { id in names[id].flatMap(text) ?? id }.joined(separator: ", "))
    }

    /// nil for an empty text, which is no attribute.
    private static func text(_ text: String) -> String? { text.isEmpty ? nil : text }
}
