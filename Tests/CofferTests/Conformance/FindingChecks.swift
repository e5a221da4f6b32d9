import Coffer
import Testing

let findingChecks = [
    Check("lists are sorted by service, then account") { fixture in
        let keychain = fixture.keychain("list")
        for account in ["b", "a", "C", "ä"] { try await keychain.set("x", for: account) }
        try await keychain.of(service: "list 2").set("y", for: "a")
        #expect(try await keychain.accounts() == ["C", "a", "b", "ä"])
        let all = try await fixture.backend.items(matching: ItemQuery(), in: .own)
        #expect(all.map(\.service) == Array(repeating: "list", count: 4) + ["list 2"])
        #expect(try await keychain.of(service: "absent").list().isEmpty)
    },
    Check("a search finds text in every name and comment, and whole attributes") { fixture in
        let keychain = fixture.keychain("search")
        try await keychain.set("x", for: "Alice", label: "Work mail", attributes: ["profile": "work", "n": "1"])
        try await keychain.set("x", for: "bob", attributes: ["profile": "home", "n": "1"])
        try await keychain.edit("bob", ItemEdit(comment: "the WORKSHOP"))
        try await keychain.of(service: "elsewhere").set("x", for: "alice", attributes: ["profile": "work"])
        let search = { (text: String?, attributes: [String: String]) async throws(KeychainError) -> [String] in
            try await keychain.search(text, attributes: attributes).map(\.account)
        }
        #expect(try await search("aLICE", [:]) == ["Alice"])
        #expect(try await search("work", [:]) == ["Alice", "bob"])
        #expect(try await search("search", [:]) == ["Alice", "bob"])
        #expect(try await search(nil, ["profile": "work"]) == ["Alice"])
        #expect(try await search(nil, ["n": "1"]) == ["Alice", "bob"])
        #expect(try await search("bob", ["n": "1"]) == ["bob"])
        #expect(try await search("bob", ["profile": "work"]) == [])
        #expect(try await search(nil, ["profile": "wor"]) == [])
        #expect(try await search("", [:]) == ["Alice", "bob"])
    },
    Check("attributes are bytes, not Unicode's idea of them") { fixture in
        let keychain = fixture.keychain("attribute bytes")
        let (composed, decomposed) = ("\u{E9}", "e\u{301}")
        try await keychain.set("x", for: "me", attributes: [composed: composed])
        #expect(try await keychain.search(attributes: [composed: composed]).count == 1)
        for (name, value) in [(decomposed, composed), (composed, decomposed)] {
            #expect(try await keychain.search(attributes: [name: value]).isEmpty)
        }
        await refused(.invalidArgument) { () throws(KeychainError) in
            try await keychain.edit("me", ItemEdit(attributes: [decomposed: "x"]))
        }
    },
    Check("servers and accounts are told apart", needs: [.classes]) { fixture in
        let keychain = fixture.keychain("servers")
        let server = try InternetServer(scheme: "https", host: "Example.com")
        let other = try InternetServer(scheme: "https", host: "example.com", port: 8443)
        try await keychain.setInternetPassword("1", for: "me", on: server)
        try await keychain.setInternetPassword("2", for: "me", on: other)
        #expect(try await keychain.internetPassword(for: "me", on: server) == "1")
        #expect(try await keychain.internetPassword(for: "me", on: other) == "2")
        #expect(try await keychain.internetPasswords(host: "example.com").count == 2)
        #expect(try await keychain.deleteInternetPassword(for: "me", on: other))
        #expect(try await keychain.internetPasswords(host: "example.com").count == 1)
        // An address of IPv6 has brackets in a URL only.
        let plain = try InternetServer(scheme: "https", host: "::A")
        for host in ["example.com:8443", "[::1", "::1]", "a:b", "[example.com]", "fe80::1%"] {
            #expect(throws: KeychainError.self, "\(host)") { try InternetServer(scheme: "https", host: host) }
        }
        #expect(try InternetServer(scheme: "https", host: "[fe80::1%eth0]").host == "fe80::1%eth0")
        #expect(try InternetServer(scheme: "https", host: "[::a]") == plain && plain.service == "https://[::a]")
        try await keychain.setInternetPassword("3", for: "me", on: plain)
        try await keychain.of(service: "older").items(ofClass: .internetPassword).set(
            "4", for: "me", attributes: ["server": "[::a]"])
        for host in ["::a", "[::A]"] {
            #expect(
                try await keychain.internetPasswords(host: host).map(\.service).sorted() == ["https://[::a]", "older"])
        }
    },
    Check("accounts that are named are listed alone") { fixture in
        let keychain = fixture.keychain("named accounts")
        for account in ["a", "b", "c"] { try await keychain.set("x", for: account) }
        try await keychain.items(ofClass: .key).set("x", for: "b")
        try await keychain.of(service: "named accounts 2").set("x", for: "a")
        var query = ItemQuery(service: keychain.service, accounts: ["c", "b", "absent", "c"])
        #expect(try await fixture.backend.items(matching: query, in: .own).map(\.account) == ["b", "b", "c"])
        query.itemClass = .key
        #expect(try await fixture.backend.items(matching: query, in: .own).map(\.account) == ["b"])
        query.text = "x"
        #expect(try await fixture.backend.items(matching: query, in: .own).isEmpty)
        query.text = nil
        query.accounts = (0..<33).map { "\($0)" }
        await refused(.limitExceeded) { () throws(KeychainError) in
            _ = try await fixture.backend.items(matching: query, in: .own)
        }
        await refused(.invalidArgument) { () throws(KeychainError) in
            _ = try await fixture.backend.items(matching: ItemQuery(accounts: ["a"]), in: .own)
        }
    },
    Check("a service with more items than one message has room for", needs: [.changes]) { fixture in
        let keychain = fixture.keychain("many")
        for batch in 0..<14 {
            try await keychain.apply(
                (0..<100).map { number in
                    ItemChange(keychain.name("\(batch * 100 + number)"), .set(NewItem(value: [1])))
                })
        }
        #expect(try await keychain.list().count == 1400)
        #expect(try await Set(keychain.accounts()).count == 1400)
        #expect(try await keychain.search("many").count == 1400)
        #expect(try await keychain.deleteAll() == 1400)
        #expect(try await keychain.list().isEmpty)
    },
]
