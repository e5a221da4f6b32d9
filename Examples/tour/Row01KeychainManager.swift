import Coffer

struct Row01KeychainManager: Row {
    let number = 1
    let title = "Keychain manager"

    func run(_ stage: TourRow) async throws {
        let keychain = stage.keychain

        try await stage.verb("save stores an item, and replaces its value the next time") {
            try await keychain.set("first", for: "token")
            let item = try await keychain.set("second", for: "token")
            try expectEqual(item.version, 2)
            try expectEqual(try await keychain.list().count, 1)
        }
        try await stage.verb("load gives text, bytes and Codable values") {
            try expectEqual(try await keychain.string(for: "token"), "second")
            try await keychain.set([0, 0xFF], for: "data")
            try expectEqual(try await keychain.bytes(for: "data"), [0, 0xFF])
            try await keychain.set(value: ["theme": "dark"], for: "profile")
            try expectEqual(try await keychain.value([String: String].self, for: "profile"), ["theme": "dark"])
        }
        try await stage.verb("update changes a value, and creates a missing one") {
            for wanted in ["1", "2"] {
                try await keychain.update(for: "counter") { old in String((Int(old ?? "") ?? 0) + 1) }
                try expectEqual(try await keychain.string(for: "counter"), wanted)
            }
        }
        try await stage.verb("delete removes an item; an absent one is fine") {
            try expect(try await keychain.delete("token"))
            try expect(try await !keychain.delete("token"))
        }
        try await stage.verb("exists tells whether there is an item, without reading it") {
            try expect(try await keychain.exists("data"))
            try expect(try await !keychain.exists("token"))
        }
        try await stage.verb("list names all items of the service") {
            try expectEqual(try await keychain.accounts(), ["counter", "data", "profile"])
        }
        try await stage.verb("delete all removes the items of this service only") {
            let neighbour = keychain.of(service: stage.service + ".neighbour")
            try await neighbour.set("stays", for: "me")
            try expectEqual(try await keychain.deleteAll(), 3)
            try expect(try await keychain.list().isEmpty)
            try expectEqual(try await neighbour.deleteAll(), 1)
        }
    }
}
