/// The file `export.data` in an archive of 1Password (1PUX), which is JSON.
public enum OnePasswordFile {
    private struct Content: Decodable { var accounts: [Account] }
    private struct Account: Decodable { var vaults: [Vault]? }
    private struct Vault: Decodable {
        var attrs: Attributes?
        var items: [JSONItem<Item>]?
    }
    private struct Attributes: Decodable { var name: String? }

    private struct Item: Decodable {
        var createdAt: Int64?
        var updatedAt: Int64?
        var state: String?
        var overview: Overview
        var details: Details?
    }
    private struct Overview: Decodable {
        var title: String?
        var url: String?
        var urls: [Address]?
        var tags: [String]?
    }
    private struct Address: Decodable { var url: String? }
    private struct Details: Decodable {
        var loginFields: [LoginField]?
        var notesPlain: String?
        var password: String?
        var sections: [Section]?
        var passwordHistory: [Former]?
        var documentAttributes: Former?
    }
    private struct LoginField: Decodable {
        var value: String?
        var name: String?
        var designation: String?
    }
    private struct Section: Decodable {
        var title: String?
        var fields: [Field]?
    }
    private struct Field: Decodable {
        var title: String?
        var id: String?
        var value: Value?
    }
    /// One member says the kind of the value.
    private struct Value: Decodable {
        var concealed: String?
        var string: String?
        var totp: String?
        var email: Email?
        var phone: String?
        var url: String?
        var sshKey: SSHKey?
        /// What kind the value has, if none of those.
        var other: String?

        private struct Name: CodingKey {
            let stringValue: String
            var intValue: Int? { nil }
            init(stringValue: String) { self.stringValue = stringValue }
            init?(intValue: Int) { nil }
        }

        init(from decoder: any Decoder) throws {
            let members = try decoder.container(keyedBy: Name.self)
            for name in members.allKeys where try !members.decodeNil(forKey: name) {
                switch name.stringValue {
                case "concealed": concealed = try members.decode(String.self, forKey: name)
                case "string": string = try members.decode(String.self, forKey: name)
                case "totp": totp = try members.decode(String.self, forKey: name)
                case "phone": phone = try members.decode(String.self, forKey: name)
                case "url": url = try members.decode(String.self, forKey: name)
                case "email": email = try members.decode(Email.self, forKey: name)
                case "sshKey": sshKey = try members.decode(SSHKey.self, forKey: name)
                default: other = name.stringValue
                }
            }
        }

        var text: String? { concealed ?? string ?? email?.address ?? phone ?? url ?? sshKey?.privateKey }
    }
    private struct Email: Decodable {
        var address: String?

        private enum Name: String, CodingKey { case address = "email_address" }

        init(from decoder: any Decoder) throws {
            // Older exports have the address alone.
            do { address = try decoder.singleValueContainer().decode(String.self) } catch {
                address = try decoder.container(keyedBy: Name.self).decodeIfPresent(String.self, forKey: .address)
            }
        }
    }
    private struct SSHKey: Decodable { var privateKey: String? }
    private struct Former: Decodable {}

    public static func read(_ file: [UInt8]) throws(UnreadableFile) -> ImportReading {
        let bytes = try content(file)
        // {accounts: [{vaults: [{items: [
        let outline = try JSONOutline(bytes, itemsIn: "items", depth: 6)
        let content = try JSONProblem.decode(Content.self, bytes, expected: "export.data of 1Password")
        var reading = ImportReading()
        var index = 0
        for account in content.accounts {
            for vault in account.vaults ?? [] {
                for item in vault.items ?? [] {
                    let place = outline.place(index)
                    index += 1
                    guard let item = item.content else {
                        reading.addProblem(place, item.problem ?? "it cannot be read")
                        continue
                    }
                    try add(item, place, vault.attrs?.name ?? "", &reading)
                }
            }
        }
        return reading
    }

    private static func content(_ file: [UInt8]) throws(UnreadableFile) -> ArraySlice<UInt8> {
        guard !file.starts(with: [0x50, 0x4B, 0x03, 0x04]) else {
            throw UnreadableFile(
                "it is a zip archive, and Coffer reads the file export.data in it",
                advice: "run: unzip -p FILE.1pux export.data | coffer import 1password -")
        }
        return try TextFile.content(file)
    }

    /// Whether a file is `export.data` or an archive, and no table.
    public static func isMeant(_ file: [UInt8]) -> Bool {
        if file.starts(with: [0x50, 0x4B]) { return true }
        return JSONOutline.isMeant(file.starts(with: TextFile.byteOrderMark) ? file[3...] : file[...])
    }

    private static func add(
        _ item: Item, _ place: ImportPlace, _ vault: String, _ reading: inout ImportReading
    ) throws(UnreadableFile) {
        var entry = ImportEntry(place)
        let details = item.details
        entry.title = item.overview.title ?? ""
        entry.folder = vault
        if let state = item.state, !state.isEmpty, state != "active" {
            entry.attributes["state"] = state
            // A state that is not known is at least not the usual one.
            entry.state = ["deleted", "trashed"].contains(state) ? .deleted : .archived
        }
        entry.tags = (item.overview.tags ?? []).joined(separator: ", ")
        entry.note = details?.notesPlain ?? ""
        entry.created = TimeStamp.text(seconds: item.createdAt ?? 0)
        entry.changed = TimeStamp.text(seconds: item.updatedAt ?? 0)
        for address in [item.overview.url] + (item.overview.urls ?? []).map(\.url) {
            if let address, !entry.addresses.contains(address) { entry.addresses.append(address) }
        }
        entry.password = details?.password.map { Array($0.utf8) }
        for field in details?.loginFields ?? [] {
            guard let value = field.value, !value.isEmpty else { continue }
            switch field.designation {
            case "username" where entry.userName.isEmpty: entry.userName = value
            case "password" where entry.password?.isEmpty ?? true: entry.password = Array(value.utf8)
            // The same once more.
            case "username" where entry.userName.utf8.elementsEqual(value.utf8): break
            case "password" where entry.password == Array(value.utf8): break
            default:
                let name = field.name.flatMap { $0.isEmpty ? nil : $0 } ?? field.designation ?? ""
                entry.fields.append(.init(name: name, value: value))
            }
        }
        for section in details?.sections ?? [] {
            for field in section.fields ?? [] {
                guard let value = field.value else { continue }
                let title = field.title.flatMap { $0.isEmpty ? nil : $0 } ?? field.id ?? ""
                // Sections may have fields of the same name.
                let name = [section.title ?? "", title].filter { !$0.isEmpty }.joined(separator: ":")
                if let seed = value.totp, entry.oneTimePassword.isEmpty {
                    entry.oneTimePassword = seed
                } else if let key = value.sshKey?.privateKey, !key.isEmpty, entry.password?.isEmpty ?? true {
                    entry.password = Array(key.utf8)
                } else if let text = value.totp ?? value.text {
                    if !text.isEmpty { entry.fields.append(.init(name: name, value: text)) }
                } else if let kind = value.other {
                    reading.leaveOut(place, "its field “\(name)” (\(kind))")
                }
            }
        }
        if details?.documentAttributes != nil { reading.leaveOut(place, "its attached file") }
        if let former = details?.passwordHistory, !former.isEmpty { reading.leaveOut(place, "its former passwords") }
        try reading.add(entry)
    }
}
