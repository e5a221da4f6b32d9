import Testing

@testable import Import

@Suite struct ReaderTests {
    private func items(_ reading: ImportReading) -> [String: String] {
        let named = ImportedItems(reading.entries)
        let pairs = named.items.map {
            (
                "\($0.service)/\($0.account)\($0.field.map { " \($0.name)" } ?? "")",
                String(decoding: $0.value, as: UTF8.self)
            )
        }
        return Dictionary(pairs) { first, _ in first }
    }

    @Test func columnsAreFoundByTheirNamesInAnyOrder() throws {
        let file = "password,TITLE,New,url,username\npw,Site,extra,https://a.example/x?k=1#f,me\n"
        let reading = try LoginTable.onePassword.read(Array(file.utf8))
        #expect(items(reading) == ["a.example/me": "pw", "a.example/me url": "https://a.example/x?k=1#f"])
        let item = ImportedItems(reading.entries).items[0]
        #expect(item.label == "Site")
        #expect(item.attributes == ["url": "https://a.example/x"])
        #expect(reading.leftOut.map(\.reason) == ["the column “New” is not known (1 value)"])
    }

    @Test func twoLoginsOfOneHostAreToldApartByTheirRealm() throws {
        let file =
            "url,username,password,httpRealm\nhttp://r.example,admin,1,Router\nhttp://r.example,admin,1,Printer\n"
        let named = ImportedItems(try LoginTable.firefox.read(Array(file.utf8)).entries)
        #expect(named.items.map(\.account) == ["admin", "admin#2"])
        #expect(named.items.map { $0.attributes["realm"] } == ["Router", "Printer"])
    }

    @Test func archivedEntriesOfATableAreMarked() throws {
        let file = "Title,Username,Password,Archived\na,me,1,true\nb,me,1,false\n"
        let named = ImportedItems(try LoginTable.onePassword.read(Array(file.utf8)).entries)
        #expect(named.items.map { $0.attributes["state"] } == ["archived", nil])
    }

    @Test func whatBitwardenPutAwayIsMarked() throws {
        let file = """
            {"encrypted":false,"items":[
             {"type":1,"name":"d","deletedDate":"2026-01-01T00:00:00.000Z","login":{"username":"me","password":"1"}},
             {"type":1,"name":"a","archivedDate":"2026-01-01T00:00:00.000Z","login":{"username":"me","password":"2"}},
             {"type":1,"name":"l","deletedDate":null,"archivedDate":null,"login":{"username":"me","password":"3"}}]}
            """
        #expect(try BitwardenFile.read(Array(file.utf8)).entries.map(\.state) == [.deleted, .archived, .live])
    }

    @Test func keePassXCsRecycleBinIsPutAway() throws {
        let header = "\"Group\",\"Title\",\"Username\",\"Password\"\n"
        for (group, state) in [
            ("Root/Recycle Bin", ImportEntry.State.deleted), ("Passwörter/Papierkorb/Alt", .deleted), ("Root", .live),
            ("Root/Web/Kosz", .live),
        ] {
            let reading = try LoginTable.keePassXC.read(Array("\(header)\"\(group)\",\"t\",\"me\",\"p\"\n".utf8))
            #expect(reading.entries.map(\.state) == [state], "\(group)")
        }
    }

    /// The export has the name of a field where its value should be.
    @Test(arguments: ["{REF:P@I:46C9B1FFBD4ABC4BBB260C6190BAD20C}", "x{ref:U@T:y}", "{PASSWORD}", "{S:pin}"])
    func aReferenceIsNoPassword(text: String) throws {
        let reading = try LoginTable.keePassXC.read(Array("Title,Username,Password\na,me,\(text)\nb,me,pw\n".utf8))
        #expect(reading.entries.map(\.title) == ["b"])
        #expect(reading.problems.map(\.place.line) == [2])
        #expect(reading.problems.allSatisfy { $0.reason.hasPrefix("its Password refers to another field") })
        // Braces alone are a password.
        let other = try LoginTable.keePassXC.read(Array("Title,Username,Password\na,me,{S}\n".utf8))
        #expect(other.problems.isEmpty)
    }

    @Test func whatLastPassEscapesIsNotStored() throws {
        let header = "url,username,password,totp,extra,name,grouping,fav\n"
        let file =
            header
            + "https://a.example,me,a&amp;b,,,a,,0\nhttps://b.example,me,a&b,,,b,Work,1\nhttp://sn,,,,text,n,,0\n"
        let reading = try LoginTable.lastPass.read(Array(file.utf8))
        #expect(reading.problems.map(\.place.line) == [2])
        #expect(items(reading) == ["b.example/me": "a&b", "n/": "text"])
        #expect(reading.entries.map(\.folder) == ["Work", ""])
        let error = #expect(throws: UnreadableFile.self) { try LoginTable.chromium.read(Array(file.utf8)) }
        #expect(error?.advice == "run: coffer import lastpass FILE")
    }

    /// LastPass writes the beginning of an address where a login has none.
    @Test func aLoginWithoutAnAddressHasNone() throws {
        let file =
            "url,username,password,totp,extra,name,grouping,fav\nhttp://,me,pw,,,Router,,0\nhttp://sn,,,,text,n,,0\n"
            + "http://a.example,me,pw,,,a,,0\n"
        let reading = try LoginTable.lastPass.read(Array(file.utf8))
        #expect(reading.entries.map(\.addresses) == [[], [], ["http://a.example"]])
        #expect(items(reading) == ["Router/me": "pw", "n/": "text", "a.example/me": "pw"])
    }

    @Test(arguments: [";", "\t"]) func otherSeparatorsAreRead(separator: String) throws {
        let file =
            ["Title", "Username", "Password"].joined(separator: separator) + "\n"
            + ["a,b", "me", "\"p\(separator)x\""].joined(separator: separator) + "\n"
        #expect(items(try LoginTable.keePassXC.read(Array(file.utf8))) == ["a,b/me": "p\(separator)x"])
    }

    @Test func filesOfOtherKindsAreNamed() {
        let kinds: [(String, [UInt8])] = [
            ("it is an encrypted database of KeePass", [0x03, 0xD9, 0xA2, 0x9A, 0x67, 0xFB, 0x4B, 0xB5, 0xFF]),
            ("it is a database", Array("SQLite format 3\0".utf8)),
        ]
        for (reason, file) in kinds {
            let error = #expect(throws: UnreadableFile.self) { try LoginTable.keePassXC.read(file) }
            #expect(error?.reason == reason)
        }
        let table = Array("folder,favorite,type,name,notes\n,,login,a,\n".utf8)
        let error = #expect(throws: UnreadableFile.self) { try BitwardenFile.read(table) }
        #expect(error?.reason == "it is Bitwarden's CSV")
    }

    @Test func aTableOfAnotherProgramIsRefused() {
        #expect(throws: UnreadableFile.self) { try LoginTable.firefox.read(Array("a,b\n1,2\n".utf8)) }
        #expect(throws: UnreadableFile.self) { try LoginTable.firefox.read([]) }
        #expect(throws: UnreadableFile.self) {
            try LoginTable.chromium.read(Array("url,URL,username,password\n".utf8))
        }
    }

    @Test func aRowOfAnotherLengthIsNamedByItsLine() throws {
        let file = "url,username,password\nhttps://a.example,me,s3,cret\n"
        let reading = try LoginTable.chromium.read(Array(file.utf8))
        #expect(reading.entries.isEmpty)
        #expect(
            reading.problems == [
                ImportProblem(ImportPlace(line: 2), "it has 4 fields, but the first line has 3")
            ])
    }

    @Test func keePassXCBecomesSecretsSeedAndNotes() throws {
        let file = """
            "Group","Title","Username","Password","URL","Notes","TOTP","Icon","Last Modified","Created"
            "Root/Web","Site","me","pw","https://a.example","line 1
            line 2","otpauth://totp/a?secret=JBSWY3DPEHPK3PXP","0","2024-01-02T03:04:05Z","2023-01-02T03:04:05Z"
            """
        let reading = try LoginTable.keePassXC.read(Array(file.utf8))
        #expect(
            items(reading) == [
                "a.example/me": "pw", "a.example/me notes": "line 1\nline 2",
                "a.example/me otp": "otpauth://totp/a?secret=JBSWY3DPEHPK3PXP",
            ])
        let item = ImportedItems(reading.entries).items[0]
        #expect(
            item.attributes == [
                "folder": "Root/Web", "url": "https://a.example", "created": "2023-01-02T03:04:05Z",
                "changed": "2024-01-02T03:04:05Z",
            ])
    }

    @Test func bitwarden() throws {
        let file = """
            {"encrypted": false, "folders": [{"id": "f", "name": "Work"}], "items": [
              {"type": 1, "name": "Site", "folderId": "f", "notes": null,
               "login": {"uris": [{"uri": "https://a.example"}, {"uri": "b.example"}], "username": "me",
                         "password": "p\\n{[\\"", "totp": "jbsw y3dp ehpk 3pxp", "fido2Credentials": [{}]}},
              {"type": 2, "name": "Door", "notes": "code"},
              {"type": 3, "name": "Visa"},
              {"type": 1, "name": "bad", "login": {"password": 7}}
            ]}
            """
        let reading = try BitwardenFile.read(Array(file.utf8))
        #expect(
            items(reading) == [
                "a.example/me": "p\n{[\"",
                "a.example/me otp": "otpauth://totp/a.example:me?secret=JBSWY3DPEHPK3PXP&issuer=a.example",
                "Door/": "code",
            ])
        #expect(
            reading.problems == [
                ImportProblem(ImportPlace(line: 7, item: 4), "its field login.password is of another type")
            ])
        #expect(
            reading.leftOut == [
                ImportProblem(ImportPlace(line: 2, item: 1), "its passkey"),
                ImportProblem(ImportPlace(line: 6, item: 3), "it is a card"),
            ])
        let first = ImportedItems(reading.entries).items[0]
        #expect(first.attributes == ["folder": "Work", "url": "https://a.example", "url2": "b.example"])
    }

    @Test(arguments: [
        #"{"encrypted": true, "data": "x"}"#, #"{"encrypted": true, "passwordProtected": true}"#,
        #"{"passwordProtected": true, "items": []}"#,
    ])
    func encryptedBitwardenIsRefusedWithAdvice(_ text: String) {
        do {
            _ = try BitwardenFile.read(Array(text.utf8))
            Issue.record("it was read")
        } catch {
            #expect(error.reason.contains("encrypted"))
            #expect(!error.advice.isEmpty)
        }
    }

    /// Attacker 5: a file that would use up the stack or all memory.
    @Test func deepAndEndlessJSONIsRefusedEarly() {
        let deep = String(repeating: "[", count: 1_000_000)
        #expect(throws: UnreadableFile.self) { try BitwardenFile.read(Array("{\"items\":\(deep)".utf8)) }
        let nested = #"{"items":"# + String(repeating: "[", count: 100) + String(repeating: "]", count: 100) + "}"
        do {
            _ = try BitwardenFile.read(Array(nested.utf8))
            Issue.record("it was read")
        } catch { #expect(error.reason == "it is nested deeper than 32 levels") }
        let wide = #"{"items":["# + String(repeating: "0,", count: 2_000_001) + "0]}"
        do {
            _ = try BitwardenFile.read(Array(wide.utf8))
            Issue.record("it was read")
        } catch { #expect(error.reason == "it has more than 2000000 values") }
    }

    @Test func onePassword() throws {
        let file = """
            {"accounts": [{"attrs": {"name": "A"}, "vaults": [{"attrs": {"name": "Private"}, "items": [
              {"uuid": "x", "createdAt": 1600000000, "updatedAt": 1600000000, "state": "active",
               "details": {"loginFields": [{"value": "me", "designation": "username"},
                                           {"value": "pw", "designation": "password"}],
                           "notesPlain": "note",
                           "sections": [{"title": "", "fields": [
                              {"title": "seed", "id": "o", "value": {"totp": "otpauth://totp/x?secret=ABCDEFGH"}},
                              {"title": "PIN", "id": "p", "value": {"concealed": "1234"}},
                              {"title": "mail", "id": "m", "value": {"email": {"email_address": "me@a", "provider": null}}},
                              {"title": "when", "id": "d", "value": {"date": 5}}]}],
                           "passwordHistory": []},
               "overview": {"title": "Site", "url": "https://a.example/", "tags": ["t1", "t2"]}},
              {"uuid": "y", "overview": {"title": "File"}, "details": {"documentAttributes": {"fileName": "x"}}}
            ]}]}]}
            """
        let reading = try OnePasswordFile.read(Array(file.utf8))
        #expect(
            items(reading) == [
                "a.example/me": "pw", "a.example/me notes": "note",
                "a.example/me otp": "otpauth://totp/x?secret=ABCDEFGH", "a.example/me PIN": "1234",
                "a.example/me mail": "me@a",
            ])
        #expect(
            reading.leftOut == [
                ImportProblem(ImportPlace(line: 2, item: 1), "its field “when” (date)"),
                ImportProblem(ImportPlace(line: 13, item: 2), "its attached file"),
            ])
        #expect(reading.entries[0].created == "2020-09-13T12:26:40Z")
    }

    /// An item or a row that has something of one kind twice loses neither.
    @Test func aSecondPasswordOfOnePasswordIsAField() throws {
        func field(_ name: String?, _ value: String, _ designation: String) -> String {
            let name = name.map { #""name": "\#($0)", "# } ?? ""
            return #"{\#(name)"value": "\#(value)", "designation": "\#(designation)"}"#
        }
        let fields = [
            field(nil, "me", "username"), field("login", "other", "username"), field("old", "second", "password"),
            field("", "third", "password"), field("same", "first", "password"), field("mine", "me", "username"),
        ]
        let file = #"""
            {"accounts": [{"vaults": [{"items": [{"overview": {"title": "a"}, "details": {"password": "first",
              "loginFields": [\#(fields.joined(separator: ","))]}}]}]}]}
            """#
        #expect(
            items(try OnePasswordFile.read(Array(file.utf8))) == [
                "a/me": "first", "a/me login": "other", "a/me old": "second", "a/me password": "third",
            ])
        let table =
            "Title,Username,Password,Notes,notesPlain,OTPAuth,One-time password\na,me,pw,n1,n2,otpauth://totp/x?secret=ABCDEFGH,otpauth://totp/y?secret=HGFEDCBA\nb,me,pw,n1,n1,,\n"
        #expect(
            items(try LoginTable.onePassword.read(Array(table.utf8))) == [
                "a/me": "pw", "a/me notes": "n1", "a/me notesPlain": "n2",
                "a/me otp": "otpauth://totp/x?secret=ABCDEFGH",
                "a/me One-time password": "otpauth://totp/y?secret=HGFEDCBA", "b/me": "pw", "b/me notes": "n1",
            ])
    }

    /// Swift takes a time that grows with the square to compare texts with many marks in a row.
    @Test func manyMarksInARowAreRefusedByTheirLine() {
        func line(_ read: () throws(UnreadableFile) -> Void) -> Int? {
            do throws(UnreadableFile) { try read() } catch { return error.place?.line }
            return nil
        }
        func marks(_ count: Int, _ mark: String = "\u{301}") -> String { String(repeating: mark, count: count) }
        // Some are escaped, as in JSON, and some are beyond the first 65,536 signs.
        let kinds = [
            ("\u{301}", 1), (#"\u0301"#, 1), (#"\u0301"# + "\u{301}", 2), ("\u{1D165}", 1), (#"\uD834\uDD65"#, 1),
        ]
        for (mark, each) in kinds {
            let table = { (count: Int) in Array("Title,Username,Password\n\nx\(marks(count, mark)),me,pw\n".utf8) }
            let few = line { () throws(UnreadableFile) in _ = try LoginTable.keePassXC.read(table(256 / each)) }
            #expect(few == nil, "\(mark)")
            let many = line { () throws(UnreadableFile) in _ = try LoginTable.keePassXC.read(table(256 / each + 1)) }
            #expect(many == 3, "\(mark)")
        }
        let many = marks(257)
        #expect(
            line { () throws(UnreadableFile) in
                _ = try BitwardenFile.read(Array("{\n\"items\":[],\"x\(many)\":1}".utf8))
            } == 2)
        #expect(
            line { () throws(UnreadableFile) in
                _ = try NetrcFile.read(Array("machine a\(many) login b password c".utf8))
            }
                == 1)
        #expect(
            line { () throws(UnreadableFile) in
                _ = try PassEntry.read(path: ["a"], text: Array("pw\n\n\(many)".utf8))
            } == 3)
        #expect(
            line { () throws(UnreadableFile) in
                _ = try CofferExport.read(Array("{\"cofferExport\":1,\"created\":\"\"}\n{\"\(many)\":1}\n".utf8))
            } == 2)
        // Other letters may follow each other as they like, also those of many bytes.
        let letters = String(repeating: "語", count: 2000) + String(repeating: "\u{1F600}", count: 2000)
        #expect(
            line { () throws(UnreadableFile) in
                _ = try NetrcFile.read(Array("machine a login b password \(letters)".utf8))
            } == nil)
    }

    @Test func anArchiveIsRefusedWithTheCommandThatUnpacksIt() {
        do {
            _ = try OnePasswordFile.read([0x50, 0x4B, 3, 4, 0])
            Issue.record("it was read")
        } catch { #expect(error.advice.contains("unzip -p")) }
    }

    @Test func onePasswordKeepsSectionsAndState() throws {
        let file = #"""
            {"accounts": [{"vaults": [{"items": [
              {"state": "archived", "overview": {"title": "Bank"}, "details": {"sections": [
                {"title": "Phone", "fields": [{"title": "PIN", "value": {"concealed": "1"}}]},
                {"title": "Card", "fields": [{"title": "PIN", "value": {"concealed": "2"}}]}]}}
            ]}]}]}
            """#
        let reading = try OnePasswordFile.read(Array(file.utf8))
        #expect(items(reading) == ["Bank/ Phone:PIN": "1", "Bank/ Card:PIN": "2"])
        #expect(ImportedItems(reading.entries).items.allSatisfy { $0.attributes["state"] == "archived" })
    }

    @Test(arguments: ["{", "\u{FEFF}{", "\n{", "\u{FEFF} \r\n{", "PK"])
    func exportDataIsKnownByItsBeginning(_ text: String) { #expect(OnePasswordFile.isMeant(Array(text.utf8))) }

    @Test(arguments: ["", "Title,{", "\u{FEFF}Title", "Password,Title"])
    func aTableIsKnownByItsBeginning(_ text: String) { #expect(!OnePasswordFile.isMeant(Array(text.utf8))) }

    @Test func bitwardenKeepsCollectionsRepromptAndPublicKeys() throws {
        let file = #"""
            {"collections": [{"id": "c", "name": "Team"}], "items": [
              {"type": 5, "name": "Key", "reprompt": 1, "collectionIds": ["c", "d"],
               "sshKey": {"privateKey": "k", "publicKey": "ssh-ed25519 A", "keyFingerprint": "SHA256:x"}},
              {"type": 1, "name": "Site", "reprompt": 0, "collectionIds": [],
               "login": {"uris": [{"uri": "^https://.*\\.a\\.example$", "match": 4}], "username": "me",
                         "password": "p", "totp": "steam://ABCDEFGH"}}
            ]}
            """#
        let reading = try BitwardenFile.read(Array(file.utf8))
        #expect(
            items(reading) == [
                "Key/": "k", "Site/me": "p", "Site/me seed": "steam://ABCDEFGH",
                "Site/me url": #"^https://.*\.a\.example$"#,
            ])
        #expect(
            ImportedItems(reading.entries).items[0].attributes == [
                "collections": "Team, d", "reprompt": "1", "public-key": "ssh-ed25519 A", "fingerprint": "SHA256:x",
            ])
        #expect(ImportedItems(reading.entries).items[1].attributes.isEmpty)
    }

    /// A macro ends with an empty line, also with lines that end with CR LF.
    @Test func whatFollowsAMacroIsRead() throws {
        let file = "machine a login me password x\r\nmacdef m\r\n put y\r\n\r\nMachine b login me password z\r\n"
        #expect(items(try NetrcFile.read(Array(file.utf8))) == ["a/me": "x", "b/me": "z"])
    }

    /// As curl 7.88 decodes them.
    @Test func escapesInQuotes() throws {
        let file = #"machine a login me password "\t\n\r\\\"\x""#
        #expect(items(try NetrcFile.read(Array(file.utf8))) == ["a/me": "\t\n\r\\\"x"])
    }

    /// Foundation's decoder takes such commas.
    @Test(arguments: [
        ("{\"items\":[\n{\"type\":1,\n\"name\":\"a\",}]}", 3), ("{\"items\":[\n{\"type\":1},\n]}", 3),
        ("{\"items\":[]},\n", 2), ("{\"items\":[,{\"type\":1}]}", 1),
        ("{\"items\":[{\"type\":1},,{\"type\":1}]}", 1), ("{,\"items\":[]}", 1),
    ])
    func commasThatSeparateNothingAreRefusedByTheirLine(file: String, line: Int) {
        #expect(throws: UnreadableFile.self) { try BitwardenFile.read(Array(file.utf8)) }
        do throws(UnreadableFile) { _ = try BitwardenFile.read(Array(file.utf8)) } catch {
            #expect(error.place == ImportPlace(line: line) && error.reason.contains("comma"), "\(error)")
        }
    }

    /// Python drops such a backslash, curl keeps it. A vault with wrong secrets is worse than none.
    @Test(arguments: [#"machine a login me password a\b"#, #"machine a login d\me password x"#])
    func aBackslashOutsideOfQuotesIsRefused(line: String) throws {
        let reading = try NetrcFile.read(Array("\(line)\nmachine b login me password y".utf8))
        #expect(items(reading) == ["b/me": "y"])
        #expect(reading.problems.map(\.place) == [ImportPlace(line: 1)])
        #expect(reading.problems[0].reason.contains("backslash"))
    }

    @Test func oneMachineHasSeveralLogins() throws {
        let file =
            "machine h login f password one\nlogin g password two\nmachine i login a\n login b password c password d"
        let reading = try NetrcFile.read(Array(file.utf8))
        #expect(items(reading) == ["h/f": "one", "h/g": "two", "i/b": "d"])
        #expect(reading.entries.map(\.place.line) == [1, 2, 3])
        #expect(
            reading.leftOut.map(\.reason) == [
                "the login before this one, which has no password", "the password before this one",
            ])
    }

    @Test func netrc() throws {
        let file = """
            # a comment
            machine a.example login me password pw
            machine b.example
              login "x y"
              password "p \\" q"
              account acct
            macdef init
              machine evil password x

            default login anonymous password x
            machine c.example login me
            """
        let reading = try NetrcFile.read(Array(file.utf8))
        // The account is a second password (netrc(5)), so nobody reads it while the vault is locked.
        #expect(
            items(reading) == [
                "a.example/me": "pw", "b.example/x y": "p \" q", "b.example/x y account": "acct",
            ])
        #expect(reading.entries.allSatisfy { $0.attributes.isEmpty })
        #expect(
            reading.leftOut == [
                ImportProblem(ImportPlace(line: 7), "a macro"),
                ImportProblem(ImportPlace(line: 10), "the default entry, which is for no machine"),
                ImportProblem(ImportPlace(line: 11), "it has no password"),
            ])
        #expect(reading.problems.isEmpty)
    }

    /// An error never shows a word that may be a part of a password.
    @Test func anUnknownWordOfNetrcIsNamedByItsLineOnly() throws {
        let reading = try NetrcFile.read(
            Array("machine a\nlogin me password my s3cret words\nmachine b password x".utf8))
        #expect(reading.problems.map(\.place) == [ImportPlace(line: 2)])
        #expect(!reading.problems[0].reason.contains("s3cret"))
        #expect(items(reading) == ["b/": "x"])
    }

    /// A password store keeps the bytes that people gave it, also those of other systems and of gopass.
    @Test func textOfOtherSystemsInPass() throws {
        let key = "-----BEGIN KEY-----\nAAA\n-----END KEY-----\n"
        let texts = [
            key, "pw\n---\ntotp: JBSWY3DPEHPK3PXP\n",
            "pw\r\nlogin: me\r\notpauth://totp/x?secret=JBSWY3DPEHPK3PXP\r\n", "\u{FEFF}pw\nlogin: me\n", "pw\r",
            "pw\notp: none\n",
        ]
        let entries = try texts.map { try PassEntry.read(path: ["web", "site"], text: Array($0.utf8)) }
        #expect(
            entries.map { String(decoding: $0.password ?? [], as: UTF8.self) } == [key, "pw", "pw", "pw", "pw", "pw"])
        #expect(
            entries.map(\.oneTimePassword) == [
                "", "JBSWY3DPEHPK3PXP", "otpauth://totp/x?secret=JBSWY3DPEHPK3PXP", "", "", "",
            ])
        #expect(entries.map(\.userName) == ["site", "site", "me", "me", "site", "site"])
        #expect(entries.map(\.note) == ["", "", "", "", "", "otp: none"])
    }

    /// Its first line is the name of a form, and no password.
    @Test func theEarlierFormOfGopassIsRefused() {
        do {
            _ = try PassEntry.read(path: ["a"], text: Array("GOPASS-SECRET-1.0\nPassword: s3cret\n\n".utf8))
            Issue.record("it was read")
        } catch { #expect(error.reason.contains("GOPASS-SECRET-1.0") && !error.reason.contains("s3cret")) }
    }

    /// A comment ends where its line ends, and the machines behind it stay.
    @Test func aCarriageReturnAloneEndsALineOfNetrc() throws {
        let reading = try NetrcFile.read(Array("# mine\rmachine a login me password x\rmachine b port 22 login y".utf8))
        #expect(items(reading) == ["a/me": "x"])
        #expect(reading.problems.map(\.place) == [ImportPlace(line: 3)])
        #expect(reading.problems.first?.reason.contains("“port”") == true)
    }

    /// A key is what its entry is about.
    @Test func anSSHKeyOfOnePasswordIsTheSecret() throws {
        let file = #"""
            {"accounts": [{"vaults": [{"items": [
              {"overview": {"title": "Key"}, "details": {"sections": [
                {"fields": [{"title": "private key", "value": {"sshKey": {"privateKey": "k"}}},
                            {"title": "other", "value": {"sshKey": {"privateKey": "l"}}}]}]}}
            ]}]}]}
            """#
        #expect(items(try OnePasswordFile.read(Array(file.utf8))) == ["Key/": "k", "Key/ other": "l"])
    }

    /// Machines without a password are not named without end.
    @Test func millionsOfEmptyMachinesCostLittle() throws {
        let count = 20_000
        let reading = try NetrcFile.read(Array(String(repeating: "machine a\n", count: count).utf8))
        #expect(reading.entries.isEmpty && reading.leftOutCount == count)
        #expect(reading.leftOut.count == ImportLimits.leftOut)
    }

    @Test func passEntries() throws {
        let text = Array(
            "pw\nlogin: me\nurl: https://a.example/x\nsome: thing\notpauth://totp/x?secret=ABCDEFGH\n".utf8)
        var reading = ImportReading()
        reading.entries = [
            try PassEntry.read(path: ["web", "site"], text: text),
            try PassEntry.read(path: ["Email", "you"], text: Array("pw2".utf8)),
            try PassEntry.read(path: ["wifi"], text: Array("pw3\n".utf8)),
        ]
        #expect(
            items(reading) == [
                "site/me": "pw", "site/me notes": "some: thing", "site/me otp": "otpauth://totp/x?secret=ABCDEFGH",
                "Email/you": "pw2", "wifi/": "pw3",
            ])
    }

    @Test func ownExport() throws {
        var line = CofferExport.Line(
            service: "a", account: "b",
            access: .init(accessibility: "when-unlocked", require: ["presence"], any: false),
            value: "cHc=")
        line.label = "L"
        let text =
            try CofferExport.line(CofferExport.Head(created: "2026-01-01T00:00:00Z", hasFields: false))
            + CofferExport.line(line)
            + CofferExport.line(CofferExport.Tail(items: 1))
        let reading = try CofferExport.read(text)
        #expect(reading.problems.isEmpty)
        #expect(reading.items.map(\.value) == [Array("pw".utf8)])
        #expect(reading.items[0].access?.require == ["presence"])
        // Without its end, or with fewer items than it says, it is refused.
        let parts = text.split(separator: UInt8(ascii: "\n")).map { Array($0) + [UInt8(ascii: "\n")] }
        #expect(throws: UnreadableFile.self) { try CofferExport.read(parts[0] + parts[1]) }
        #expect(throws: UnreadableFile.self) { try CofferExport.read(parts[0] + parts[2]) }
        #expect(throws: UnreadableFile.self) { try CofferExport.read(parts[1] + parts[2]) }
        #expect(throws: UnreadableFile.self) { try CofferExport.read(text + parts[1]) }
        let damaged = try CofferExport.read(parts[0] + Array(#"{"service":"a","value":7}"#.utf8) + [10] + parts[2])
        #expect(damaged.problems.map(\.place) == [ImportPlace(line: 2)])
    }

    @Test func fieldsOfAnOwnExport() throws {
        var line = CofferExport.Line(
            service: "a", account: "b", access: .init(accessibility: "when-unlocked", require: [], any: false),
            value: "cHc=")
        line.fields = [
            .init(name: "pin", kind: "secret", value: "MTIz"), .init(name: "notes", kind: "text", value: ""),
        ]
        var other = CofferExport.Line(service: "c", account: "", access: line.access, value: nil)
        other.fields = [.init(name: "otp", kind: "otp", value: "eA==")]
        func text(_ lines: [CofferExport.Line], hasFields: Bool) throws -> [UInt8] {
            try CofferExport.line(CofferExport.Head(created: "", hasFields: hasFields))
                + lines.flatMap { try CofferExport.line($0) }
                + CofferExport.line(CofferExport.Tail(items: lines.count))
        }
        let written = try text([line, other], hasFields: true)
        // A reader that knows no fields must not take the rest for the whole.
        #expect(written.starts(with: #"{"cofferExport":2,"#.utf8))
        let items = try CofferExport.read(written).items
        #expect(items.map(\.field?.name) == [nil, "pin", "notes", "otp"])
        #expect(items.map(\.field?.kind) == [nil, "secret", "text", "otp"])
        #expect(items.map(\.value) == ["pw", "123", "", "x"].map { Array($0.utf8) })
        #expect(items.map(\.place.line) == [2, 2, 2, 3])
        let named = ImportedItems(items)
        #expect(named.problems.isEmpty && named.items == items)
        func problem(_ change: (inout CofferExport.Line) -> Void) throws -> String? {
            var changed = line
            change(&changed)
            let reading = try CofferExport.read(text([changed], hasFields: true))
            #expect(reading.items.isEmpty)
            return reading.problems.first?.reason
        }
        #expect(try problem { ($0.value, $0.fields) = (nil, []) } == "it has no value")
        #expect(try problem { $0.fields?[1].name = "pin" } == "it has a field twice")
        #expect(try problem { $0.fields?[1].name = "secret" } == "it has a field twice")
        #expect(try problem { $0.fields?[0].name = "a\nb" } != nil)
        #expect(try problem { $0.fields?[0].value = "?" } == "its value is no Base64")
        #expect(
            try problem { line in
                line.fields = (0..<16).map { .init(name: "f\($0)", kind: "secret", value: "") }
            } == "it has more than 16 fields")
    }

    /// A file that somebody made can have a name twice. No field becomes that of another item.
    @Test func fieldsStayWithTheirItem() throws {
        func item(_ line: Int, _ field: String?, _ value: String) -> ImportedItem {
            var item = ImportedItem(ImportPlace(line: line), service: "a", account: "b", value: Array(value.utf8))
            item.field = field.map { .init(name: $0, kind: "secret") }
            return item
        }
        let named = ImportedItems([
            item(2, nil, "one"), item(2, "pin", "1"), item(3, nil, "two"), item(3, "code", "2"), item(4, "door", "3"),
            item(5, nil, "one"), item(5, "code", "4"),
        ])
        #expect(named.items.map(\.account) == ["b", "b", "b#2", "b#2", "b#3"])
        #expect(named.items.map(\.field?.name) == [nil, "pin", nil, "code", "door"])
        #expect(named.repeated.map(\.place.line) == [5] && named.problems.map(\.place.line) == [5])
    }

    @Test func eachLineOfAnOwnExportSaysWhatIsWrong() throws {
        let head = #"{"cofferExport":1,"created":""}"# + "\n"
        func line(_ service: String, _ value: String, _ more: String = "") -> String {
            #"{"service":"\#(service)","account":"","access":{"accessibility":"always","require":[],"any":false},"value":"\#(value)"\#(more)}"#
                + "\n"
        }
        let text = head + line("a", "?") + line("", "dg==") + line("b", "dg==", #","items":1"#) + #"{"items":3}"#
        let reading = try CofferExport.read(Array(text.utf8))
        #expect(reading.items.map(\.service) == ["b"])
        #expect(
            reading.problems == [
                ImportProblem(ImportPlace(line: 2), "its value is no Base64"),
                ImportProblem(ImportPlace(line: 3), "its service is empty"),
            ])
        func refusal(_ text: String) -> ImportPlace? {
            do { _ = try CofferExport.read(Array(text.utf8)) } catch { return error.place }
            return nil
        }
        #expect(refusal(head + String(repeating: "[", count: 40) + "\n") == ImportPlace(line: 2))
        #expect(refusal("\n" + #"{"cofferExport":1,"created":""}"# + "\n" + #"{"items":0}"#) == ImportPlace(line: 1))
    }
}
