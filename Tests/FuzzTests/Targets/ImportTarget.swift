import Import

/// The files of other programs. None may end the process, and what is read keeps the limits that the vault has.
struct ImportTarget: FuzzTarget {
    private typealias Reader = ([UInt8]) throws -> ImportedItems

    private let readers: [Reader] = [
        { ImportedItems(try LoginTable.firefox.read($0).entries) },
        { ImportedItems(try LoginTable.chromium.read($0).entries) },
        { ImportedItems(try LoginTable.keePassXC.read($0).entries) },
        { ImportedItems(try LoginTable.onePassword.read($0).entries) },
        { ImportedItems(try NetrcFile.read($0).entries) },
        { ImportedItems([try PassEntry.read(path: ["a", "b"], text: $0)]) },
        { ImportedItems(try BitwardenFile.read($0).entries) },
        { ImportedItems(try OnePasswordFile.read($0).entries) },
        { ImportedItems(try CofferExport.read($0).items) },
        {
            ImportedItems([
                try KWalletEntry.read(
                    ImportPlace(item: 1), wallet: "kdewallet", folder: "Form Data", name: "https://a.example/#f",
                    kind: .map,
                    value: $0)
            ])
        },
    ]

    private static let tables = [
        "url,username,password,httpRealm,formActionOrigin,guid,timeCreated,timeLastUsed,timePasswordChanged\r\n\"https://u:p@a.example/x?q\",me,\"p\"\"w\n2\",,,{1},1600000000000,1,1600000000000\r\n",
        "name,url,username,password,note\na,https://a.example,me,pw,\"two\nlines\"\n",
        "\"Group\",\"Title\",\"Username\",\"Password\",\"URL\",\"Notes\",\"TOTP\",\"Icon\",\"Last Modified\",\"Created\"\n\"Root\",\"t\",\"me\",\"pw\",\"a.example\",\"n\",\"JBSWY3DPEHPK3PXP\",\"0\",\"2024-01-02T03:04:05Z\",\"\"\n",
        "Title,Url,Username,Password,OTPAuth,Favorite,Archived,Tags,Notes\nt,https://[::1]:80/,me,pw,otpauth://totp/x?secret=A,0,0,x,n\n",
        "machine a login me password \"p \\\" q\"\nmacdef x\n y\n\ndefault login x password y\n# c\nmachine b password z",
        "pw\nlogin: me\nurl: a.example\notpauth://totp/x?secret=A\nk: v\n",
    ].map { Array($0.utf8) }

    /// login = me, password = pä, and a value that is not there.
    private static let map: [UInt8] =
        [0, 0, 0, 3] + text("login") + text("me") + text("password") + text("pä") + text("")
        + [255, 255, 255, 255]

    private static func text(_ text: String) -> [UInt8] {
        let units = Array(text.utf16)
        return [0, 0, 0, UInt8(2 * units.count)] + units.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }
    }

    private let trees: [JSONTree]
    private let exported: [UInt8]

    init() async throws {
        trees = try [
            #"{"encrypted":false,"folders":[{"id":"f","name":"W"}],"items":[{"type":1,"name":"n","notes":"x","folderId":"f","login":{"uris":[{"uri":"https://a.example"}],"username":"me","password":"pw","totp":"JBSWY3DPEHPK3PXP"},"fields":[{"name":"pin","value":"1","type":1}],"creationDate":"2024-01-02T03:04:05.000Z"},{"type":5,"sshKey":{"privateKey":"k"}}]}"#,
            #"{"accounts":[{"vaults":[{"attrs":{"name":"P"},"items":[{"createdAt":1600000000,"updatedAt":1,"details":{"loginFields":[{"value":"me","designation":"username","name":"u"}],"notesPlain":"n","password":"pw","sections":[{"fields":[{"title":"t","id":"i","value":{"totp":"A"}},{"title":"m","value":{"email":{"email_address":"e"}}}]}]},"overview":{"title":"t","url":"https://a.example","urls":[{"url":"b"}],"tags":["x"]}}]}]}]}"#,
        ].map { try JSONTree(parsing: Array($0.utf8)) }
        exported = Array(
            """
            {"cofferExport":1,"created":"2026-01-01T00:00:00Z"}
            {"access":{"accessibility":"when-unlocked","any":false,"require":[]},"account":"b","attributes":{"k":"v"},"service":"a","value":"cHc="}
            {"items":1}
            """.utf8)
    }

    mutating func tryOne(_ mutator: inout Mutator) throws {
        let index = Int.random(in: 0..<readers.count, using: &mutator)
        let file: [UInt8]
        switch index {
        case ..<Self.tables.count: file = mutator.bytes(Self.tables[index])
        case 6, 7:
            let tree = trees[index - 6]
            file = mutator.chance(3) ? mutator.bytes(Array(tree.written.utf8)) : mutator.text(tree, donors: trees)
        case 8: file = mutator.bytes(exported)
        default: file = mutator.bytes(Self.map)
        }
        // A file may be given to the reader of another format as well.
        for reader in mutator.chance(10) ? readers : [readers[index]] {
            guard let named = try answer({ try reader(file) }) else { continue }
            var names: Set<String> = []
            for item in named.items {
                try promise(!item.service.isEmpty, "an item has no service")
                try promise(item.service.utf8.count <= 1024 && item.account.utf8.count <= 1024, "a name is too long")
                try promise(item.value.count <= 1 << 20, "a value is too long")
                let name = [item.service, item.account, item.kind ?? ""].map { "\($0.utf8.count):\($0)" }.joined()
                try promise(names.insert(name).inserted, "two items have one name")
            }
        }
    }
}
