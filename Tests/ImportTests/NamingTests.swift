import Testing

@testable import Import

@Suite struct NamingTests {
    private func entry(_ line: Int, _ configure: (inout ImportEntry) -> Void) -> ImportEntry {
        var entry = ImportEntry(ImportPlace(line: line))
        configure(&entry)
        return entry
    }

    @Test(arguments: [
        ("https://A.example/x?token=1#f", "a.example", "https://a.example/x"),
        ("https://user:pw@a.example:8443/", "a.example:8443", "https://a.example:8443"),
        ("a.example/x", "a.example", "a.example/x"),
        ("android://hash==@app.example/", "app.example", "android://app.example"),
        ("http://[::1]:80/p", "[::1]:80", "http://[::1]:80/p"),
        ("https://e@v@a.example", "a.example", "https://a.example"),
    ])
    func addressesLoseWhatMayBeSecret(_ text: String, _ host: String, _ shown: String) {
        let address = WebAddress(text)
        #expect(address?.host == host)
        #expect(address?.shown == shown)
    }

    @Test(arguments: ["", "My bank", "https://", "https://a b", "https:///x"])
    func whatHasNoHostIsNoAddress(_ text: String) { #expect(WebAddress(text) == nil) }

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
                ImportProblem(ImportPlace(line: 1), "it has neither a name nor an address"),
                ImportProblem(ImportPlace(line: 3), "its user name is longer than 1024 bytes"),
                ImportProblem(ImportPlace(line: 5), "a secret of it is larger than 1 MiB"),
            ])
        #expect(
            named.leftOut == [
                ImportProblem(ImportPlace(line: 2), "it holds no secret"),
                ImportProblem(ImportPlace(line: 4), "its title, which is longer than 1024 bytes"),
            ])
        #expect(named.items.map(\.service) == ["s"])
    }

    @Test func seeds() {
        #expect(OneTimeSeed.address("steam://ABCDEFGH", issuer: "s", account: "") == nil)
        #expect(OneTimeSeed.address("short", issuer: "s", account: "") == nil)
        #expect(
            OneTimeSeed.address("abcd-efgh ijkl====", issuer: "a b", account: "m:e")
                == "otpauth://totp/a%20b:m%3Ae?secret=ABCDEFGHIJKL&issuer=a%20b")
    }
}
