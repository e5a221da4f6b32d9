import HelperProtocol
import Testing

@testable import Import

@Suite struct NamingTests {
    private func entry(_ line: Int, _ configure: (inout ImportEntry) -> Void) -> ImportEntry {
        var entry = ImportEntry(ImportPlace(line: line))
        configure(&entry)
        return entry
    }

    /// Accounts with their fields: `me`, `me otp`.
    private func names(_ named: ImportedItems) -> [String] {
        named.items.map { $0.account + ($0.field.map { " \($0.name)" } ?? "") }
    }

    @Test(arguments: [
        ("https://A.example/x?token=1#f", "a.example", "https://a.example/x"),
        ("https://user:pw@a.example:8443/", "a.example:8443", "https://a.example:8443"),
        ("a.example/x", "a.example", "a.example/x"),
        ("android://hash==@app.example/", "app.example", "android://app.example"),
        ("http://[::1]:80/p", "[::1]:80", "http://[::1]:80/p"),
        ("https://e@v@a.example", "a.example", "https://a.example"),
        ("bank.example/in?token=S&next=https://bank.example/", "bank.example", "bank.example/in"),
        ("https://a.example/@me", "a.example", "https://a.example/@me"),
        ("https://a.example/in?mail=me@b.example", "a.example", "https://a.example/in"),
        ("svn+ssh://me:pw@a.example/x", "a.example", "svn+ssh://a.example/x"),
    ])
    func addressesLoseWhatMayBeSecret(_ text: String, _ host: String, _ shown: String) {
        let address = WebAddress(text)
        #expect(address?.host == host)
        #expect(address?.shown == shown)
    }

    /// `coffer otp` could not use them, so they do not look as if it could.
    @Test(arguments: [
        "otpauth://hotp/x?secret=GEZDGNBVGY3TQOJQ&counter=3", "otpauth://totp/x?secret=1!", "otpauth://totp/x",
        "otpauth://totp/x?secret=GEZDGNBV&encoder=steam", "otpauth://totp/x?secret=GEZDGNBV&digits=9",
        "otpauth://totp/x?secret=GEZDGNBV&period=0", "otpauth://totp/x?secret=GEZDGNBV&secret=GEZDGNBV",
        "otpauth://totp/x?secret=GEZDGNBV&algorithm=MD5",
    ])
    func whatIsNoSeedForOneTimePasswordsIsKeptAsItIs(_ address: String) {
        let named = ImportedItems([
            entry(1) {
                $0.title = "site"
                $0.userName = "me"
                $0.password = Array("p".utf8)
                $0.oneTimePassword = address
            }
        ])
        #expect(names(named) == ["me", "me seed"])
        #expect(named.items.last?.value == Array(address.utf8))
    }

    @Test(arguments: [
        "otpauth://totp/x?secret=gezd%20gnbv%3D&digits=8&period=60&algorithm=sha256",
        "OTPAUTH://TOTP/x?secret=GEZDGNBV#f",
    ])
    func whatIsASeedForOneTimePasswordsIsNamedSo(_ address: String) {
        let named = ImportedItems([
            entry(1) {
                $0.title = "site"
                $0.oneTimePassword = address
            }
        ])
        #expect(names(named) == [" otp"] && named.items.first?.value == Array(address.utf8))
        #expect(named.items.first?.field?.kind == "otp")
    }

    /// Attacker 7. If each one looked at all before it, this would take an hour.
    @Test func manySecretsOfOneNameTakeLittleTime() {
        let entries = (0..<40_000).map { number in
            entry(number) {
                $0.title = "site"
                $0.password = Array("\(number)".utf8)
            }
        }
        let named = ImportedItems(entries)
        #expect(named.items.count == 40_000 && named.items.last?.account == "#40000")
    }

    @Test(arguments: [
        "", "My bank", "https://", "https://a b", "https:///x", "jdbc:oracle://host/x", "1a://host/x",
    ])
    func whatHasNoHostIsNoAddress(_ text: String) { #expect(WebAddress(text) == nil) }

    /// Attacker: who reads names and attributes while the vault is locked. People write passwords into addresses as they
    /// are, so a password may have what ends a host.
    @Test(arguments: [
        ("https://me:hun/ter@host/", "host/"), ("https://me:hun/ter@a.example/x?y=1", "a.example/x"),
        ("https://me:hun/t@er@host/", "host/"), ("postgres://me:hun#ter@db/x", "untitled"),
        ("https://me:hun?ter@host/", "untitled"), ("https://me:hun/ter@\u{301}host/", "\u{301}host/"),
        ("a.example/in?mail=me@hun&token=ter", "a.example"), ("in?token=hun&next=https://me.example/ter", "in"),
    ])
    func aPasswordWithASlashIsInNoNameAndNoAttribute(_ text: String, _ service: String) {
        let named = ImportedItems([
            entry(1) {
                $0.password = [1]
                $0.addresses = [text]
            }
        ])
        #expect(named.items.map(\.service) == [service, service])
        #expect(named.items.last?.field?.name == "url" && named.items.last?.value == Array(text.utf8))
        for item in named.items {
            let open = [item.service, item.account, item.label, item.comment] + item.attributes.values
            for part in ["me", "hun", "ter"] { #expect(!open.contains { $0.contains(part) }) }
        }
    }

    /// Some programs name an entry after its address.
    @Test func aTitleThatIsAnAddressShowsNoPassword() {
        func items(_ title: String) -> [ImportedItem] {
            ImportedItems([
                entry(1) {
                    $0.title = title
                    $0.userName = "user"
                    $0.password = [1]
                }
            ]).items
        }
        let title = "https://bob:hunter2@host/x?token=1"
        let secret = items(title)
        #expect(secret.map(\.service) == ["host/x", "host/x"] && secret.map(\.label) == ["host/x", "host/x"])
        #expect(secret.last?.field?.name == "title" && secret.last?.value == Array(title.utf8))
        for item in secret {
            let open = [item.service, item.account, item.label] + item.attributes.values
            for part in ["bob", "hunter2", "token"] { #expect(!open.contains { $0.contains(part) }) }
        }
        let open = items("https://site.example/x")
        #expect(open.map(\.label) == ["https://site.example/x"])
    }

    @Test func sameNamesGetNumbersAndSameSecretsAreStoredOnce() {
        let named = ImportedItems(
            [("a", 2), ("b", 3), ("a", 4), ("c", 5)].map { password, line in
                entry(line) {
                    $0.title = "site"
                    $0.userName = "me"
                    $0.password = Array(password.utf8)
                }
            })
        #expect(named.items.map(\.account) == ["me", "me#2", "me#3"])
        #expect(named.repeated == [ImportProblem(ImportPlace(line: 4), "the same secret as in line 2")])
    }

    /// Programs find an item by its attributes, so the same secret with others is another item.
    @Test func theSameSecretWithOtherAttributesIsStoredToo() {
        let named = ImportedItems(
            [("993", "2020"), ("587", "2020"), ("993", "2021")].enumerated().map { index, item in
                entry(index) {
                    $0.service = "mail"
                    $0.userName = "me"
                    $0.password = [1]
                    $0.attributes["port"] = item.0
                    $0.created = item.1
                    // As of a keyring, which replaces what is older.
                    $0.isOneOfSeveralStates = false
                }
            })
        #expect(named.items.map(\.account) == ["me", "me#2"])
        #expect(named.items.map { $0.attributes["port"] } == ["993", "587"])
        #expect(named.repeated.map(\.reason) == ["the same secret as in line 0"])
    }

    /// The broker compares bytes, so these are two names.
    @Test func namesThatLookTheSameAreTwo() {
        let named = ImportedItems(
            ["caf\u{E9}", "cafe\u{301}"].map { name in
                entry(1) {
                    $0.service = name
                    $0.userName = "me"
                    $0.password = [1]
                }
            })
        #expect(named.items.map(\.account) == ["me", "me"])
        #expect(named.repeated.isEmpty)
    }

    @Test func furtherSecretsAreNamedAfterTheirOwnLogin() {
        let named = ImportedItems(
            [("a", ""), ("b", "ABCDEFGH")].map { password, seed in
                entry(1) {
                    $0.service = "s"
                    $0.userName = "admin"
                    $0.password = Array(password.utf8)
                    $0.oneTimePassword = seed
                    $0.fields = [.init(name: "PIN", value: password)]
                }
            })
        #expect(names(named) == ["admin", "admin PIN", "admin#2", "admin#2 otp", "admin#2 PIN"])
        // So an earlier version called them.
        #expect(named.items.map(\.companion) == [nil, "admin:PIN", nil, "admin#2:otp", "admin#2:PIN"])
    }

    @Test func nothingOfAnAddressIsLost() {
        let long = (1...20).map { "https://h\($0).example/" }
        let named = ImportedItems([
            entry(1) {
                $0.title = "t"
                $0.userName = "me"
                $0.password = [1]
                $0.addresses = ["router/login?x=1", "mongodb://root:hunter2@db.example/x", "https://c.example/?"]
            },
            entry(2) {
                $0.service = "many"
                $0.password = [1]
                $0.addresses = long
            },
            entry(3) {
                $0.password = [1]
                $0.addresses = ["me:pw@router/login?token=s3cret"]
            },
        ])
        func value(_ service: String, _ account: String, _ field: String) -> String? {
            named.items.first { $0.service == service && $0.account == account && $0.field?.name == field }.map {
                String(decoding: $0.value, as: UTF8.self)
            }
        }
        #expect(value("db.example", "me", "url") == "router/login?x=1")
        #expect(value("db.example", "me", "url2") == "mongodb://root:hunter2@db.example/x")
        #expect(named.items[0].attributes == ["url": "mongodb://db.example/x", "url2": "https://c.example"])
        #expect(value("many", "", "urls") == long.suffix(4).joined(separator: "\n"))
        // The name can be read while the vault is locked.
        #expect(value("router/login", "", "url") == "me:pw@router/login?token=s3cret")
        #expect(named.items.allSatisfy { item in !item.attributes.values.contains { $0.contains("hunter2") } })
    }

    @Test func whatTheBrokerWouldRefuseIsNamed() {
        func item(_ configure: (inout ImportedItem) -> Void) -> ImportedItem {
            var item = ImportedItem(ImportPlace(line: 1), service: "s", account: "a", value: [1])
            configure(&item)
            return item
        }
        let long = String(repeating: "x", count: 5000)
        let named = ImportedItems([
            item { $0.label = long }, item { $0.comment = long }, item { $0.attributes = ["x": long] },
            item { $0.attributes = ["x": ""] }, item { $0.expires = -1 }, item { $0.service = "" },
            item { $0.attributes = Dictionary((1...65).map { ("\($0)", "x") }) { first, _ in first } },
        ])
        #expect(named.items.isEmpty)
        #expect(
            named.problems.map(\.reason) == [
                "its label is longer than 1024 bytes", "its comment is longer than 4096 bytes",
                "an attribute of it is longer than 4096 bytes", "it has an attribute without a name or a value",
                "its time of expiry is before 1970", "its service is empty", "it has more than 64 attributes",
            ])
    }

    @Test func anItemOfAKeyringKeepsItsAttributes() {
        let many = Dictionary((1...63).map { ("a\($0)", "x") }) { first, _ in first }
        let entries = [["folder": "mine", "created": "then", "empty": "", "coffer:record": "x"], many].map {
            KeyringEntry.read(
                ImportPlace(item: 1), label: "l", collection: "Login", attributes: $0, created: 1, changed: 1,
                secret: [1])
        }
        let named = ImportedItems(entries)
        #expect(
            named.items[0].attributes == [
                "folder": "mine", "created": "then", "changed": "1970-01-01T00:00:01Z",
                "coffer:attribute:empty": "=", "coffer:attribute:coffer:record": "=x",
            ])
        #expect(named.items[1].attributes.count == 64)
        #expect(
            named.leftOut.map(\.reason) == [
                "its created, because it has too many attributes", "its changed, because it has too many attributes",
            ])
    }

    /// Other programs name a server by an address that can have a password in it. No service is called so.
    @Test(arguments: [
        ("https://git.example:8443/in?user=me@x&token=hun", "my login"), ("https://me:hun/ter@host/", "host/"),
        ("https://me:pw@git.example/", "git.example"), ("a server", "a server"), ("me@host", "me@host"),
    ])
    func anItemOfAKeyringIsNotNamedAfterAPassword(_ server: String, _ service: String) {
        let entry = KeyringEntry.read(
            ImportPlace(item: 1), label: "my login", collection: "Login", attributes: ["server": server], created: 0,
            changed: 0, secret: [1])
        #expect(entry.service == service)
    }

    @Test func anItemOfABrowserIsNamedAfterItsSite() {
        let entry = KeyringEntry.read(
            ImportPlace(item: 1), label: "l", collection: "Login",
            attributes: ["application": "chrome", "signon_realm": "https://a.example/", "username_value": "me"],
            created: 0, changed: 0, secret: [1])
        #expect(ImportedItems([entry]).items.map(\.service) == ["a.example"])
    }

    @Test func whatIsTooLongOrNamelessIsNamed() {
        let long = String(repeating: "x", count: 2000)
        let named = ImportedItems([
            entry(1) { $0.password = [1] }, entry(2) { $0.title = "t" },
            entry(3) {
                $0.title = "t"
                $0.userName = long
                $0.password = [1]
            },
            entry(4) {
                $0.service = "s"
                $0.title = long
                $0.password = [UInt8](repeating: 1, count: 1 << 20)
            },
            entry(5) {
                $0.title = "big"
                $0.password = [UInt8](repeating: 1, count: 1 << 20 + 1)
            },
        ])
        #expect(
            named.problems == [
                ImportProblem(ImportPlace(line: 3), "its user name is longer than 1024 bytes"),
                ImportProblem(ImportPlace(line: 5), "a secret of it is larger than 1 MiB"),
            ])
        #expect(
            named.leftOut == [
                ImportProblem(ImportPlace(line: 2), "it holds no secret"),
                ImportProblem(ImportPlace(line: 4), "its title, which is longer than 1024 bytes"),
            ])
        #expect(named.items.map(\.service) == ["untitled", "s"])
    }

    @Test func anUnknownSeedIsKept() {
        let named = ImportedItems([
            entry(1) {
                $0.service = "s"
                $0.oneTimePassword = "steam://ABCDEFGH"
            }
        ])
        #expect(names(named) == [" seed"])
        #expect(named.items.map(\.value) == [Array("steam://ABCDEFGH".utf8)])
    }

    /// What is named otp is what coffer otp can use, because one type reads both. Lengths at which no bytes end are no seeds.
    @Test(
        arguments: [
            ("steam://ABCDEFGH", "seed"), ("short", "seed"), ("ABCDEFGHABC", "seed"), ("JBSWY3DPEHPK3PXPA", "seed"),
            ("JBSWY3DPEHPK3PXPJBSWY3DPEHPK3P", "seed"), ("otpauth://totp/x?secret=JBSWY3DPEHPK3PXPA", "seed"),
            ("otpauth-migration://offline?data=x", "seed"), ("JBSWY3DPEHPK3PXP", "otp"),
            ("otpauth://totp/x?secret=JBSWY3DPEHPK3PXP", "otp"),
        ])
    func seeds(text: String, name: String) throws {
        let named = ImportedItems([
            entry(1) {
                $0.service = "s"
                $0.oneTimePassword = text
            }
        ])
        let item = try #require(named.items.first)
        #expect(item.account == "" && item.field?.name == name)
        if name == "otp" { _ = try OneTimeSeed(stored: item.value) }
    }

    @Test func aSeedBecomesAnAddress() {
        let named = ImportedItems([
            entry(1) {
                $0.service = "a b"
                $0.userName = "m:e"
                $0.oneTimePassword = "abcd-efgh ijklmnop===="
            }
        ])
        #expect(
            named.items.map { String(decoding: $0.value, as: UTF8.self) } == [
                "otpauth://totp/a%20b:m%3Ae?secret=ABCDEFGHIJKLMNOP&issuer=a%20b"
            ])
    }

    private func login(_ line: Int, _ state: ImportEntry.State, changed: String = "", password: String) -> ImportEntry {
        entry(line) {
            $0.service = "s"
            $0.userName = "me"
            $0.state = state
            $0.changed = changed
            $0.password = Array(password.utf8)
        }
    }

    /// The password in use gets the plain name, wherever the file has it.
    @Test func whatIsInUseComesBeforeWhatWasPutAway() {
        let named = ImportedItems([
            login(1, .deleted, changed: "2026-03-01T00:00:00Z", password: "deleted"),
            login(2, .archived, changed: "2026-02-01T00:00:00Z", password: "archived"),
            login(3, .live, changed: "2025-01-01T00:00:00Z", password: "older"),
            login(4, .live, changed: "2025-06-01T00:00:00Z", password: "newer"),
        ])
        let names = Dictionary(
            named.items.map { ($0.account, String(decoding: $0.value, as: UTF8.self)) }, uniquingKeysWith: { $1 })
        #expect(names == ["me": "newer", "me#2": "older", "me#3": "archived", "me#4": "deleted"])
        #expect(named.items.map(\.place.line) == [1, 2, 3, 4])
        #expect(
            named.items.map(\.remark) == [
                "deleted there; line 4 has the name without a number",
                "archived there; line 4 has the name without a number", "line 4 has the name without a number", nil,
            ])
        #expect(named.items.map { $0.attributes["state"] } == ["deleted", "archived", nil, nil])
    }

    @Test func withoutTimesTheOrderOfTheFileDecides() {
        let named = ImportedItems([login(1, .live, password: "a"), login(2, .live, password: "b")])
        #expect(named.items.map(\.account) == ["me", "me#2"])
    }

    private func fields(_ line: Int, _ pairs: [(String, String)], password: String = "pw") -> ImportEntry {
        entry(line) {
            $0.service = "s"
            $0.userName = "me"
            $0.password = Array(password.utf8)
            $0.fields = pairs.map { .init(name: $0.0, value: $0.1) }
        }
    }

    @Test func whatDoesNotFitGoesIntoAnotherItem() {
        let entry = fields(1, (1...20).map { ("f\($0)", "x\($0)") })
        let named = ImportedItems([entry])
        #expect(named.items.count == 21 && named.problems.isEmpty && named.leftOut.isEmpty)
        #expect(names(named).prefix(16) == (["me"] + (1...15).map { "me f\($0)" })[...])
        #expect(names(named).suffix(5) == (16...20).map { "me:more f\($0)" }[...])
        #expect(named.items.suffix(5).allSatisfy { $0.remark == "the login has 16 fields already" })
        // Fewer, if each takes several signatures.
        let few = names(ImportedItems([entry], mostFields: 10))
        #expect(few[9...10] == ["me f9", "me:more f10"] && few[20] == "me:more2 f20")
    }

    @Test func fieldsOfOneNameAreTwo() {
        let long = String(repeating: "ä", count: 100)
        let named = ImportedItems([
            fields(
                1, [("PIN", "1"), (" PIN\n", "2"), ("PIN", "1"), ("secret", "3"), (long, "4"), (long, "5"), ("", "6")])
        ])
        #expect(
            names(named) == [
                "me", "me PIN", "me PIN#2", "me secret#2", "me \(long.prefix(64))", "me \(long.prefix(63))#2",
                "me field",
            ])
        #expect(named.repeated.count == 1)
        #expect(named.items[1].remark == nil)
        #expect(
            named.items[2].remark == "its field was named “ PIN\n” there; another field has the name without a number")
        #expect(named.items.map { String(decoding: $0.value, as: UTF8.self) } == ["pw", "1", "2", "3", "4", "5", "6"])
    }

    /// `coffer otp` takes the field of this name for a seed.
    @Test func whatIsNoSeedIsNotCalledOne() {
        let seed = "otpauth://totp/x?secret=GEZDGNBVGY3TQOJQ"
        let named = ImportedItems([fields(1, [("otp", "1234"), ("code", seed)])])
        #expect(names(named) == ["me", "me otp value", "me code"])
        #expect(named.items.map { $0.field?.kind } == [nil, "secret", "otp"])
        #expect(named.items[1].companion == "me:otp")
    }

    @Test func anEntryWithoutASecretJoinsOnlyOneThatIsDescribedAlike() {
        func entry(_ line: Int, _ title: String, _ password: String, _ note: String) -> ImportEntry {
            self.entry(line) {
                $0.service = "s"
                $0.userName = "me"
                $0.title = title
                $0.password = Array(password.utf8)
                $0.note = note
                $0.fields = password.isEmpty ? [.init(name: "pin", value: note)] : []
            }
        }
        let named = ImportedItems([
            entry(1, "other", "", "a"), entry(2, "one", "", "b"), entry(3, "one", "pw", ""), entry(4, "one", "pw2", ""),
        ])
        #expect(names(named) == ["me#3 notes", "me#3 pin", "me notes", "me pin", "me", "me#2"])
        #expect(Set(named.items.map { "\($0.account) \($0.label)" }) == ["me#3 other", "me one", "me#2 one"])
    }

    /// Attacker 7. One entry with very many fields of one name.
    @Test func manyFieldsOfOneNameTakeLittleTime() {
        let named = ImportedItems([fields(1, (0..<100_000).map { ("f", "\($0)") })])
        #expect(named.items.count == 100_001 && named.items.last?.account.hasPrefix("me:more") == true)
    }

    @Test func fieldsOfASecretThatCannotBeStoredAreNotAnotherLogins() {
        var large = fields(2, [("pin", "1")])
        large.password = [UInt8](repeating: 1, count: 1 << 20 + 1)
        let named = ImportedItems([fields(1, []), large])
        #expect(names(named) == ["me", "me pin"] && named.problems.count == 1)
    }
}
