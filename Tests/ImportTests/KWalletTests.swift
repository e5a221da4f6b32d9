import Testing

@testable import Import

@Suite("wallets of KDE")
struct KWalletTests {
    /// As Qt writes it.
    private func text(_ text: String) -> [UInt8] {
        let units = Array(text.utf16)
        let size = 2 * units.count
        return [0, 0, UInt8(size >> 8), UInt8(size & 0xFF)] + units.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }
    }

    private func map(_ pairs: [(String, String)]) -> [UInt8] {
        [0, 0, 0, UInt8(pairs.count)] + pairs.flatMap { text($0.0) + text($0.1) }
    }

    private func entry(
        _ folder: String, _ name: String, _ kind: KWalletEntry.Kind = .password, _ value: [UInt8] = Array("pw".utf8)
    ) throws -> ImportEntry {
        try KWalletEntry.read(
            ImportPlace(item: 1), wallet: "kdewallet", folder: folder, name: name, kind: kind, value: value)
    }

    private func names(_ entries: ImportEntry...) -> [String] {
        ImportedItems(entries).items.map {
            let field = $0.field.map { " \($0.name)" } ?? ""
            return "\($0.service)/\($0.account)\(field)=\(String(decoding: $0.value, as: UTF8.self))"
        }
    }

    @Test("A map is read in the order of its names, and a text that is not there is empty")
    func maps() throws {
        let absent: [UInt8] = [255, 255, 255, 255]
        let pairs = try DataStreamMap.read(
            [0, 0, 0, 3] + text("z") + text("🔑ä") + text("a") + absent + text("") + text("x"))
        #expect(pairs.map(\.name) == ["", "a", "z"])
        #expect(pairs.map(\.value) == ["x", "", "🔑ä"])
        #expect(try DataStreamMap.read([0, 0, 0, 0]) == [])
    }

    @Test("An entry that is named by an address is not called after a password in it")
    func addresses() throws {
        #expect(try entry("Passwords", "https://me:hun/ter@host/").service == "host/")
        #expect(try entry("Passwords", "https://git.example:8443/in?user=me@x&token=hun").service == nil)
        #expect(try entry("Passwords", "https://me:pw@git.example/").service == "git.example")
        #expect(try entry("Passwords", "me@host").service == "me@host")
    }

    @Test("A map that is cut off at any byte, or has something behind it, is refused")
    func cutMaps() throws {
        let whole = map([("name", "value"), ("other", "")])
        #expect(try DataStreamMap.read(whole).count == 2)
        for length in 0..<whole.count {
            #expect(throws: UnreadableFile("its map is cut off")) { try DataStreamMap.read(Array(whole[..<length])) }
        }
        #expect(throws: UnreadableFile("something follows its map")) { try DataStreamMap.read(whole + [0]) }
    }

    @Test("Numbers that promise more than there is take no memory")
    func largeNumbers() throws {
        #expect(throws: UnreadableFile("its map has more than 4096 fields")) {
            try DataStreamMap.read([255, 255, 255, 255])
        }
        #expect(throws: UnreadableFile("its map is cut off")) {
            try DataStreamMap.read([0, 0, 0, 1, 255, 255, 255, 254])
        }
    }

    @Test("A text of a map with many marks in a row is refused")
    func marks() throws {
        func read(_ count: Int) throws {
            _ = try DataStreamMap.read(map([("name" + String(repeating: "\u{301}", count: count), "value")]))
        }
        try read(256)
        #expect(throws: UnreadableFile.self) { try read(257) }
    }

    @Test("What is no UTF-16 is refused")
    func brokenText() throws {
        let broken = UnreadableFile("its map holds something that is no text")
        #expect(throws: broken) { try DataStreamMap.read([0, 0, 0, 1, 0, 0, 0, 1, 65, 0, 0, 0, 0]) }
        #expect(throws: broken) { try DataStreamMap.read([0, 0, 0, 1, 0, 0, 0, 2, 0xD8, 0, 0, 0, 0, 0]) }
    }

    @Test("A program's folder is the service, and KDE's own folders are not")
    func folders() throws {
        #expect(
            names(try entry("Nextcloud", "me:https://cloud.example/:1")) == ["Nextcloud/me:https://cloud.example/:1=pw"]
        )
        #expect(names(try entry("Passwords", "share")) == ["share/=pw"])
        #expect(names(try entry("Form Data", "https://Shop.example/pay#form")) == ["shop.example/=pw"])
        #expect(names(try entry("", "bare")) == ["bare/=pw"])
        let first = try entry("Nextcloud", "me")
        #expect(first.folder == "kdewallet/Nextcloud" && first.title == "Nextcloud/me")
    }

    @Test("Passwords and files have the attributes by which libraries for Qt look for them, and maps do not")
    func attributes() throws {
        #expect(
            try entry("Nextcloud", "me").attributes
                == ["server": "Nextcloud", "user": "me", "type": "plaintext", "xdg:schema": "org.qt.keychain"])
        #expect(try entry("Nextcloud", "key", .bytes, [0, 255]).attributes["type"] == "binary")
        #expect(try entry("Nextcloud", "table", .map, map([("a", "b")])).attributes == [:])
    }

    @Test("A map with login and password is a login, and the rest of a map is fields")
    func logins() throws {
        let login = map([("domain", "work"), ("login", "me"), ("password", "pw")])
        #expect(
            names(try entry("Passwords", "share.example", .map, login)) == [
                "share.example/me=pw", "share.example/me domain=work",
            ])
        #expect(
            names(try entry("Program", "entry", .map, login))
                == ["Program/entry domain=work", "Program/entry login=me", "Program/entry password=pw"])
        #expect(names(try entry("Passwords", "x", .map, map([("login", "me")]))) == ["x/ login=me"])
    }

    @Test("Networks have the name of their connection, and a browser's key the attributes by which it looks for it")
    func knownPrograms() throws {
        let network = try entry("Network Management", "{2d5d-1};802-11-wireless-security", .map, map([("psk", "pw")]))
        #expect(names(network) == ["Network Management/2d5d-1:802-11-wireless-security psk=pw"])
        #expect(network.attributes == ["connection-uuid": "2d5d-1", "setting-name": "802-11-wireless-security"])
        #expect(try entry("Network Management", ";").userName == ";")
        let browser = try entry("Chrome Keys", "Chrome Safe Storage")
        #expect(names(browser) == ["chrome/Chrome Safe Storage=pw"])
        #expect(browser.attributes == ["application": "chrome", "xdg:schema": "chrome_libsecret_os_crypt_password_v2"])
        #expect(try entry("Chrome Keys", "Chromium Safe Storage").service == "Chrome Keys")
    }
}
