import Platform

/// A secret that a caller sent or that an item holds. Its memory is wiped when it is released.
final class SecretField: Sendable {
    let bytes: [UInt8]

    /// Copies the bytes. Storage that it shared with another array would be wiped under that array.
    init(_ bytes: some Collection<UInt8>) {
        var copy: [UInt8] = []
        copy.reserveCapacity(bytes.count)
        copy.append(contentsOf: bytes)
        self.bytes = copy
    }

    deinit { Wipe.storage(of: bytes) }
}

extension SecretField: Equatable {
    /// Takes the same time wherever two secrets of one length differ.
    static func == (one: SecretField, other: SecretField) -> Bool { equal(one.bytes, other.bytes) }

    static func equal(_ one: [UInt8], _ other: [UInt8]) -> Bool {
        guard one.count == other.count else { return false }
        var difference: UInt8 = 0
        for (left, right) in zip(one, other) { difference |= left ^ right }
        return difference == 0
    }
}

extension SecretField: CustomStringConvertible, CustomReflectable {
    var description: String { "[REDACTED]" }
    var customMirror: Mirror { Mirror(self, children: ["bytes": "[REDACTED]"]) }
}
