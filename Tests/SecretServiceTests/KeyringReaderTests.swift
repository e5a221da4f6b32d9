import Platform
import SystemBus
import TestSupport
import Testing

@Suite("reading another keyring")
struct KeyringReaderTests {
    @Test("An item with a text that the bus library refuses is named, and the others are read")
    func refusedTexts() throws {
        let bus = try PrivateBus()
        let program = SourceTree.path("Tests/Clients/SecretService/played_keyring.py")
        let keyring = try Subprocess("/usr/bin/python3", [program]) {
            $0.environment = ["DBUS_SESSION_BUS_ADDRESS": bus.address, "PYTHONDONTWRITEBYTECODE": "1"]
            $0.output = .pipe
        }
        // It says so when it serves the bus.
        let word = try keyring.read(limit: 4096)
        #expect(String(decoding: word, as: UTF8.self) == "ready\n")
        let reader = try KeyringReader.connected(to: bus.address)
        let collections = try reader.collections()
        #expect(collections.map(\.label) == ["odd"])
        var read: [String] = []
        for collection in collections {
            for path in collection.items {
                switch try reader.item(path, of: collection) {
                case .item(let item): read.append("\(item.label): \(String(decoding: item.secret, as: UTF8.self))")
                case .locked: read.append("locked")
                case .unreadable(let label, let reason): read.append("\(label): \(reason)")
                }
            }
        }
        let reason = "it has characters that cannot be read over D-Bus"
        let large = "its label and attributes are more than a vault takes"
        #expect(read == ["first: pw", "2: \(reason)", "third: \(reason)", "fourth: pw", "fifth: \(large)"])
        try keyring.end()
        try bus.end()
    }
}
