import BrokerProtocol
import Item
import JSON
import Platform
import Varlink

/// The sizes of calls and answers on the wire, so that a keychain without a broker refuses what the broker refuses.
package enum MessageSize {
    /// Whether the broker accepts a call that makes these changes.
    package static func fits(_ changes: [ItemChange]) throws(KeychainError) -> Bool {
        let now = Moment.now
        var wire: [Wire.Change] = []
        for change in changes { wire.append(try Wire.Change(change, now: now)) }
        return try fits(wire)
    }

    /// The bytes that a change takes.
    package static func count(_ change: ItemChange) throws(KeychainError) -> Int {
        count(try Wire.Change(change, now: .now))
    }

    static func fits(_ changes: [Wire.Change]) throws(KeychainError) -> Bool {
        // The name of the vault and the id of a challenge come besides the changes.
        count(VarlinkCall(Wire.Apply(changes: changes))) <= Varlink.longestMessage - frame
    }

    /// Values that take fewer bytes on the wire are not worth counting before they are sent.
    static let small = 1 << 20

    /// - Parameter changes: how many there are. One cannot be divided.
    package static func tooLong(_ changes: Int) -> KeychainError {
        KeychainError(
            .limitExceeded, "this is more than the broker accepts",
            advice: changes == 1 ? "shorten the item's value, comment or attributes" : "make several calls")
    }

    /// Whether the broker gives these items in one answer. It counts each value as it is sealed, with its padding.
    package static func fits(_ items: [Item]) throws(KeychainError) -> Bool {
        var room = Varlink.longestMessage - frame
        for item in items {
            let sealed = PaddedLength.of(item.value.count) + sealing
            room -= count(Wire.Item(item.attributes)) + (sealed / 3 + 1) * 4 + frame
        }
        return room >= 0
    }

    /// The room that the broker keeps for what is around an item and its value, and a call for what is around its changes.
    private static let frame = 64
    /// What sealing adds to a padded value: a nonce and a tag.
    private static let sealing = 28

    private static func count(_ message: some JSONWritable) -> Int {
        let bytes = Varlink.encode(message)
        // It holds the values that are to be stored.
        defer { Wipe.storage(of: bytes) }
        return bytes.count
    }
}

extension Wire.Item {
    fileprivate init(_ item: ItemAttributes) {
        self.init(
            id: item.id, service: item.service, account: item.account, kind: item.name.itemClass,
            label: item.label, comment: item.comment, attributes: item.attributes,
            access: item.access, created: item.times.created.milliseconds,
            modified: item.times.modified.milliseconds, expires: item.times.expires?.milliseconds,
            version: Int64(item.version), revision: item.revision)
    }
}
