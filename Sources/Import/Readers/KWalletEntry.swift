/// An entry of a wallet of KDE.
public enum KWalletEntry {
    /// What an entry holds, as KWallet numbers it.
    public enum Kind: Int32, Sendable {
        case password = 1
        case bytes = 2
        case map = 3
    }

    /// Folders that say nothing about what is in them: KDE's own for passwords and for forms.
    private static let general = ["Passwords", "Form Data", ""]
    private static let network = "Network Management"
    /// Browsers that keep the key of their own storage in a wallet. They look for it by these attributes in a Secret Service.
    private static let browsers = ["Chrome": "chrome", "Chromium": "chromium", "Brave": "brave"]
    private static let browserSchema = "chrome_libsecret_os_crypt_password_v2"

    /// - Throws: ``UnreadableFile`` for a map that is malformed. It never says what the map holds.
    public static func read(
        _ place: ImportPlace, wallet: String, folder: String, name: String, kind: Kind, value: [UInt8]
    ) throws(UnreadableFile) -> ImportEntry {
        var entry = ImportEntry(place)
        entry.title = folder.isEmpty ? name : "\(folder)/\(name)"
        // KDE names an entry for a form ADDRESS#FORM.
        entry.showsFragment = folder == "Form Data"
        entry.folder = folder.isEmpty ? wallet : "\(wallet)/\(folder)"
        if general.contains(folder) {
            entry.service = name.contains("://") ? WebAddress.service(name) : name
        } else {
            entry.service = folder
            entry.userName = name
        }
        switch kind {
        case .password, .bytes:
            entry.password = value
            // As libraries for Qt and kwalletd6 look for it in a Secret Service.
            entry.attributes = [
                "server": folder, "user": name, "type": kind == .password ? "plaintext" : "binary",
                "xdg:schema": "org.qt.keychain",
            ].filter { !$0.value.isEmpty }
        case .map: try add(DataStreamMap.read(value), to: &entry, isGeneral: general.contains(folder))
        }
        describe(folder, name, &entry)
        return entry
    }

    private static func add(_ pairs: [DataStreamMap.Pair], to entry: inout ImportEntry, isGeneral: Bool) {
        var fields = pairs
        // As KDE's file manager keeps the logins of servers.
        if isGeneral, let user = fields.firstIndex(where: { $0.name == "login" }),
            fields.contains(where: { $0.name == "password" })
        {
            entry.userName = fields.remove(at: user).value
            if let password = fields.firstIndex(where: { $0.name == "password" }) {
                entry.password = Array(fields.remove(at: password).value.utf8)
            }
        }
        entry.fields = fields.map { ImportEntry.Field(name: $0.name, value: $0.value) }
    }

    /// Better names for what some programs keep.
    private static func describe(_ folder: String, _ name: String, _ entry: inout ImportEntry) {
        if folder == network {
            // {UUID};SETTING
            let parts = name.split(separator: ";", maxSplits: 1).map { String($0) }
            guard parts.count == 2, parts[0].hasPrefix("{"), parts[0].hasSuffix("}"), parts[0].count > 2 else { return }
            let connection = String(parts[0].dropFirst().dropLast())
            entry.userName = "\(connection):\(parts[1])"
            entry.attributes["connection-uuid"] = connection
            entry.attributes["setting-name"] = parts[1]
        }
        for (browser, application) in browsers where folder == "\(browser) Keys" && name == "\(browser) Safe Storage" {
            entry.service = application
            entry.attributes = ["application": application, "xdg:schema": browserSchema]
        }
    }
}
