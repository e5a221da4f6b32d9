import HelperProtocol
import Platform
import ProgramOptions
import SystemBus

/// Reads the user's keyring for `coffer import gnome-keyring`.
enum KeyringCommand: HelperTask {
    static let usage = ProgramUsage.Command(
        Helper.keyring, abstract: "Read the user's keyring, for \"coffer import\".", words: ["bus"])

    static func run(_ words: [String]) throws {
        do throws(BusError) {
            let reader = try KeyringReader.connected(to: words[0])
            for collection in try reader.collections() { try read(collection, reader) }
        } catch {
            return try HelperAnswer.say(KeyringAnswer(problem: error.description))
        }
        try HelperAnswer.say(KeyringAnswer(isEnd: true))
    }

    private static func read(
        _ collection: KeyringReader.Collection, _ reader: borrowing KeyringReader
    ) throws(BusError) {
        guard !collection.isLocked else {
            return try say(KeyringAnswer(leftOut: "the keyring “\(collection.label)” is locked; unlock it first"))
        }
        // The daemon lists them in no order. Their names are numbers, so shorter ones come first.
        for path in collection.items.sorted(by: { ($0.utf8.count, $0) < ($1.utf8.count, $1) }) {
            try say(answer(try reader.item(path, of: collection), of: collection.label))
        }
    }

    private static func answer(_ content: KeyringReader.Content, of collection: String) -> KeyringAnswer {
        switch content {
        case .locked: KeyringAnswer(leftOut: "an item of the keyring “\(collection)” is locked")
        case .unreadable(let label, let reason):
            KeyringAnswer(unreadable: .init(collection: collection, label: label, reason: reason))
        case .item(let item):
            KeyringAnswer(
                item: .init(
                    collection: item.collection, label: item.label, attributes: item.attributes,
                    created: item.created, modified: item.modified, secret: Base64.encode(item.secret)))
        }
    }

    private static func say(_ answer: KeyringAnswer) throws(BusError) {
        do { try HelperAnswer.say(answer) } catch {
            throw BusError("answer coffer", reason: "coffer does not listen any longer")
        }
    }
}
