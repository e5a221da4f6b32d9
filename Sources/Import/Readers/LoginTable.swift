/// The tables (CSV) in which browsers and password managers export logins. Columns are found by their names, in any order.
public struct LoginTable: Sendable {
    /// What a column holds.
    enum Column: Hashable {
        case title, address, userName, password, note, oneTimePassword, folder, tags
        /// The part of a site that a login is for (HTTP authentication).
        case realm
        /// Whether the entry was put away.
        case archived
        /// In RFC 3339, or anything similar that is only digits and signs.
        case created, changed
        /// In milliseconds since 1970.
        case createdMilliseconds, changedMilliseconds
        /// Of no use in a vault.
        case unused
    }

    /// The program, for sentences.
    let name: String
    /// The columns by their names in lower case.
    let columns: [String: Column]
    /// What the table must have, by the name that messages show.
    let required: [(column: Column, name: String)]
    /// What the program is known to write in place of a value.
    var substitute = Substitute.none

    enum Substitute {
        case none
        /// The place of the value in another entry, or in the same one.
        case references
        /// Characters as HTML writes them.
        case entities
    }

    public static let firefox = LoginTable(
        name: "Firefox",
        columns: [
            "url": .address, "username": .userName, "password": .password, "httprealm": .realm,
            "formactionorigin": .unused, "guid": .unused, "timecreated": .createdMilliseconds,
            "timelastused": .unused, "timepasswordchanged": .changedMilliseconds,
        ],
        required: [(.address, "url"), (.userName, "username"), (.password, "password")])

    public static let chromium = LoginTable(
        name: "Chromium",
        columns: [
            "name": .title, "url": .address, "username": .userName, "password": .password, "note": .note,
        ],
        required: [(.address, "url"), (.userName, "username"), (.password, "password")])

    public static let keePassXC = LoginTable(
        name: "KeePassXC",
        columns: [
            "group": .folder, "title": .title, "username": .userName, "password": .password, "url": .address,
            "notes": .note, "totp": .oneTimePassword, "icon": .unused, "last modified": .changed, "created": .created,
        ],
        required: [(.title, "Title"), (.userName, "Username"), (.password, "Password")], substitute: .references)

    public static let lastPass = LoginTable(
        name: "LastPass",
        columns: [
            "url": .address, "username": .userName, "password": .password, "totp": .oneTimePassword, "extra": .note,
            "name": .title, "grouping": .folder, "fav": .unused,
        ],
        required: [
            (.address, "url"), (.userName, "username"), (.password, "password"), (.note, "extra"),
            (.folder, "grouping"),
        ], substitute: .entities)

    public static let onePassword = LoginTable(
        name: "1Password",
        columns: [
            "title": .title, "url": .address, "website": .address, "urls": .address, "username": .userName,
            "password": .password, "otpauth": .oneTimePassword, "one-time password": .oneTimePassword,
            "favorite": .unused, "favorite status": .unused, "archived": .archived, "archived status": .archived,
            "tags": .tags, "notes": .note, "notesplain": .note, "type": .unused,
        ],
        required: [(.title, "Title"), (.password, "Password")])

    /// What LastPass writes for a note, and for a login without an address.
    private static let marks: Set<String> = ["http://sn", "http://"]

    public func read(_ file: [UInt8]) throws(UnreadableFile) -> ImportReading {
        var rows = try CSVRows(file)
        guard let header = try rows.next() else { throw UnreadableFile("it is empty") }
        if let problem = header.problem { throw UnreadableFile(problem, at: ImportPlace(line: header.line)) }
        let kinds = try kinds(header)
        var reading = ImportReading()
        var unknown: [Int: Int] = [:]
        while let row = try rows.next() {
            let place = ImportPlace(line: row.line)
            if let problem = row.problem {
                reading.addProblem(place, problem)
                continue
            }
            guard row.fields.count == kinds.count else {
                reading.addProblem(place, "it has \(row.fields.count) fields, but the first line has \(kinds.count)")
                continue
            }
            for (index, kind) in kinds.enumerated() where kind == nil && !row.fields[index].isEmpty {
                unknown[index, default: 0] += 1
            }
            if let index = kinds.indices.first(where: { isSubstitute(row.fields[$0], kinds[$0]) }) {
                reading.addProblem(place, "its \(header.fields[index]) \(substituteText)")
                continue
            }
            try reading.add(entry(row, kinds, header))
        }
        for (index, count) in unknown.sorted(by: { $0.key < $1.key }) {
            reading.leaveOut(
                ImportPlace(line: header.line),
                "the column “\(header.fields[index])” is not known (\(count) value\(count == 1 ? "" : "s"))")
        }
        return reading
    }

    /// Whether a field has something else in place of its value. Stored, it would look like the value.
    private func isSubstitute(_ field: String, _ kind: Column?) -> Bool {
        guard let kind, [.title, .userName, .password, .address, .note, .oneTimePassword].contains(kind) else {
            return false
        }
        switch substitute {
        case .none: return false
        case .references:
            let field = field.uppercased()
            let isPlaceholder = field.hasPrefix("{S:") && field.hasSuffix("}")
            return isPlaceholder || field.contains("{REF:") || KeePassPlaceholder.all.contains(field)
        case .entities: return ["&amp;", "&lt;", "&gt;", "&quot;", "&#39;", "&#039;"].contains { field.contains($0) }
        }
    }

    private var substituteText: String {
        switch substitute {
        case .none: ""
        case .references: "refers to another field or entry, and the export does not have its value; copy it there"
        case .entities:
            "has characters as HTML writes them, such as “&amp;”, and may be damaged; correct it in the file"
        }
    }

    private func kinds(_ header: CSVRows.Row) throws(UnreadableFile) -> [Column?] {
        let names = header.fields.map { $0.trimmingSpaces.lowercased() }
        let place = ImportPlace(line: header.line)
        guard Set(names).count == names.count else {
            throw UnreadableFile("two columns have the same name", at: place)
        }
        let kinds = names.map { columns[$0] }
        guard name == Self.lastPass.name || !Set(["extra", "grouping", "fav"]).isSubset(of: names) else {
            throw UnreadableFile("it is an export of LastPass", at: place, advice: "run: coffer import lastpass FILE")
        }
        for (column, shown) in required where !kinds.contains(column) {
            throw UnreadableFile(
                "it has no column “\(shown)”, so it is no export of \(name)", at: place,
                advice: "name the format that it has; see: coffer help import")
        }
        return kinds
    }

    private func entry(_ row: CSVRows.Row, _ kinds: [Column?], _ header: CSVRows.Row) -> ImportEntry {
        var entry = ImportEntry(ImportPlace(line: row.line))
        for (index, kind) in kinds.enumerated() where !row.fields[index].isEmpty {
            let field = row.fields[index]
            switch kind {
            case .title: entry.title = field
            case .address where name == Self.lastPass.name && Self.marks.contains(field): break
            case .address: entry.addresses.append(field)
            case .userName: entry.userName = field
            case .password: entry.password = Array(field.utf8)
            case .note where entry.note.isEmpty: entry.note = field
            case .oneTimePassword where entry.oneTimePassword.isEmpty: entry.oneTimePassword = field
            // A second column of this kind.
            case .note, .oneTimePassword:
                guard ![entry.note, entry.oneTimePassword].contains(where: { $0.utf8.elementsEqual(field.utf8) }) else {
                    break
                }
                entry.fields.append(.init(name: header.fields[index].trimmingSpaces, value: field))
            case .folder:
                entry.folder = field
                if KeePassPlaceholder.isRecycleBin(field), substitute == .references { entry.state = .deleted }
            case .tags: entry.tags = field
            case .realm: entry.attributes["realm"] = field
            case .archived:
                if ["true", "1", "yes"].contains(field.lowercased()) { entry.state = .archived }
            case .created: entry.created = TimeStamp.checked(field)
            case .changed: entry.changed = TimeStamp.checked(field)
            case .createdMilliseconds: entry.created = TimeStamp.text(milliseconds: field)
            case .changedMilliseconds: entry.changed = TimeStamp.text(milliseconds: field)
            case .unused, nil: break
            }
        }
        return entry
    }
}

extension String {
    var trimmingSpaces: String {
        let trimmed = drop { $0.isWhitespace }
        guard let last = trimmed.lastIndex(where: { !$0.isWhitespace }) else { return "" }
        return String(trimmed[...last])
    }
}

/// What KeePassXC writes that is not meant as it stands.
enum KeePassPlaceholder {
    /// Fields of the same entry, in capitals.
    static let all: Set<String> = ["{TITLE}", "{USERNAME}", "{PASSWORD}", "{URL}", "{NOTES}", "{TOTP}"]

    /// The names of the recycle bin in the languages of KeePassXC that are used most, in lower case.
    private static let recycleBins: Set<String> = [
        "recycle bin", "papierkorb", "corbeille", "papelera", "papelera de reciclaje", "cestino", "lixeira",
        "reciclagem",
        "prullenbak", "kosz", "koš", "корзина", "кошик", "papperskorg", "papirkurv", "papirkurven", "roskakori",
        "lomtár",
        "çöp kutusu", "geri dönüşüm kutusu", "ゴミ箱", "回收站", "資源回收桶", "휴지통",
    ]

    /// - Parameter group: the names of the groups from the root on, with slashes between them.
    static func isRecycleBin(_ group: String) -> Bool {
        // The bin is a group of the root, and may hold further groups.
        group.split(separator: "/").prefix(2).contains { recycleBins.contains($0.lowercased()) }
    }
}
