import Import

/// A format that `coffer import` reads, with a valid file of it.
enum ImportedFormat: CaseIterable {
    case firefox, chromium, keePassXC, onePasswordTable, onePasswordFile, bitwarden, netrc, pass, kwallet, coffer

    var isJSON: Bool { self == .bitwarden || self == .onePasswordFile }

    func read(_ file: [UInt8]) throws -> ImportedItems {
        switch self {
        case .firefox: ImportedItems(try LoginTable.firefox.read(file).entries)
        case .chromium: ImportedItems(try LoginTable.chromium.read(file).entries)
        case .keePassXC: ImportedItems(try LoginTable.keePassXC.read(file).entries)
        case .onePasswordTable: ImportedItems(try LoginTable.onePassword.read(file).entries)
        case .onePasswordFile: ImportedItems(try OnePasswordFile.read(file).entries)
        case .bitwarden: ImportedItems(try BitwardenFile.read(file).entries)
        case .netrc: ImportedItems(try NetrcFile.read(file).entries)
        case .pass: ImportedItems([try PassEntry.read(path: ["a", "b"], text: file)])
        case .kwallet:
            ImportedItems([
                try KWalletEntry.read(
                    ImportPlace(item: 1), wallet: "kdewallet", folder: "Form Data", name: "https://a.example/#f",
                    kind: .map, value: file)
            ])
        case .coffer: ImportedItems(try CofferExport.read(file).items)
        }
    }

    var valid: [UInt8] {
        switch self {
        case .firefox:
            Array(
                "url,username,password,httpRealm,formActionOrigin,guid,timeCreated,timeLastUsed,timePasswordChanged\r\n\"https://u:p@a.example/x?q\",me,\"p\"\"w\n2\",,,{1},1600000000000,1,1600000000000\r\n"
                    .utf8)
        case .chromium:
            Array(
                "name,url,username,password,note\na,https://a.example,me,pw,\"two\nlines\"\n"
                    .utf8)
        case .keePassXC:
            Array(
                "\"Group\",\"Title\",\"Username\",\"Password\",\"URL\",\"Notes\",\"TOTP\",\"Icon\",\"Last Modified\",\"Created\"\n\"Root\",\"t\",\"me\",\"pw\",\"a.example\",\"n\",\"JBSWY3DPEHPK3PXP\",\"0\",\"2024-01-02T03:04:05Z\",\"\"\n"
                    .utf8)
        case .onePasswordTable:
            Array(
                "Title,Url,Username,Password,OTPAuth,Favorite,Archived,Tags,Notes\nt,https://[::1]:80/,me,pw,otpauth://totp/x?secret=A,0,0,x,n\n"
                    .utf8)
        case .netrc:
            Array(
                "machine a login me password \"p \\\" q\"\nmacdef x\n y\n\ndefault login x password y\n# c\nmachine b password z"
                    .utf8)
        case .pass:
            Array(
                "pw\nlogin: me\nurl: a.example\notpauth://totp/x?secret=A\nk: v\n"
                    .utf8)
        case .bitwarden:
            Array(
                #"{"encrypted":false,"folders":[{"id":"f","name":"W"}],"items":[{"type":1,"name":"n","notes":"x","folderId":"f","login":{"uris":[{"uri":"https://a.example"}],"username":"me","password":"pw","totp":"JBSWY3DPEHPK3PXP"},"fields":[{"name":"pin","value":"1","type":1}],"creationDate":"2024-01-02T03:04:05.000Z"},{"type":5,"name":"s","sshKey":{"privateKey":"k"}}]}"#
                    .utf8)
        case .onePasswordFile:
            Array(
                #"{"accounts":[{"vaults":[{"attrs":{"name":"P"},"items":[{"createdAt":1600000000,"updatedAt":1,"details":{"loginFields":[{"value":"me","designation":"username","name":"u"}],"notesPlain":"n","password":"pw","sections":[{"fields":[{"title":"t","id":"i","value":{"totp":"A"}},{"title":"m","value":{"email":{"email_address":"e"}}}]}]},"overview":{"title":"t","url":"https://a.example","urls":[{"url":"b"}],"tags":["x"]}}]}]}]}"#
                    .utf8)
        // login = me, password = pä, and a value that is not there.
        case .kwallet:
            [0, 0, 0, 3] + Self.text("login") + Self.text("me") + Self.text("password") + Self.text("pä")
                + Self.text("") + [255, 255, 255, 255]
        case .coffer:
            Array(
                """
                {"cofferExport":1,"created":"2026-01-01T00:00:00Z"}
                {"access":{"accessibility":"when-unlocked","any":false,"require":[]},"account":"b","attributes":{"k":"v"},"service":"a","value":"cHc="}
                {"items":1}
                """.utf8)
        }
    }

    private static func text(_ text: String) -> [UInt8] {
        let units = Array(text.utf16)
        return [0, 0, 0, UInt8(2 * units.count)] + units.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }
    }
}
