import Coffer
import Testing

let findingChecks = [
    Check("lists are sorted by service, then account") { stage in
        let keychain = stage.keychain("list")
        for account in ["b", "a", "C", "ä"] { try await keychain.set("x", for: account) }
        try await keychain.of(service: "list 2").set("y", for: "a")
        #expect(try await keychain.accounts() == ["C", "a", "b", "ä"])
        let all = try await stage.backend.items(matching: ItemQuery(), in: .own)
        #expect(all.map(\.service) == Array(repeating: "list", count: 4) + ["list 2"])
        #expect(try await keychain.of(service: "absent").list().isEmpty)
    },
    Check("a search finds text in every name and comment, and whole attributes") { stage in
        let keychain = stage.keychain("search")
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
    Check("servers and accounts are told apart", needs: [.classes]) { stage in
        let keychain = stage.keychain("servers")
        let server = try InternetServer(scheme: "https", host: "Example.com")
        let other = try InternetServer(scheme: "https", host: "example.com", port: 8443)
        try await keychain.setInternetPassword("1", for: "me", on: server)
        try await keychain.setInternetPassword("2", for: "me", on: other)
        #expect(try await keychain.internetPassword(for: "me", on: server) == "1")
        #expect(try await keychain.internetPassword(for: "me", on: other) == "2")
        #expect(try await keychain.internetPasswords(host: "example.com").count == 2)
        #expect(try await keychain.deleteInternetPassword(for: "me", on: other))
        #expect(try await keychain.internetPasswords(host: "example.com").count == 1)
    },
]
