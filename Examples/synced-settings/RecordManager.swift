import CofferSync

/// A record that several machines change.
struct Note: Codable, Sendable, Equatable {
    var text: String
}

/// Records with a strategy for changes at the same time. An application that had a manager around CloudKit's records keeps
/// its shape: "server" is ``RecordStrategy/remote``, and "client" is ``RecordStrategy/local``.
struct RecordManager: Sendable {
    let records: SyncedRecords<Note>

    init(service: String, strategy: RecordStrategy<Note>) {
        records = SyncedRecords(keychain: Keychain(service: service), strategy: strategy)
    }

    static func strategy(named name: String) -> RecordStrategy<Note>? {
        switch name {
        case "last-writer": .lastWriter
        case "local": .local
        case "remote": .remote
        case "merge": .merge { mine, theirs in Note(text: [mine.text, theirs.text].sorted().joined(separator: "+")) }
        default: nil
        }
    }
}
