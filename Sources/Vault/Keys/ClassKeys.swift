import Cryptography

/// The private class keys at hand, which decide which items can be read now. Every copy of this value holds the keys.
public struct ClassKeys: Sendable {
    private let keys: [KeyClass: X25519.PrivateKey]

    init(_ keys: [KeyClass: X25519.PrivateKey]) { self.keys = keys }

    /// The keys that stay when the vault locks: `always`, and `after-first-unlock` if it was there.
    public func locked() -> ClassKeys {
        ClassKeys(keys.filter { $0.key.kind == .always || $0.key.kind == .afterFirstUnlock })
    }

    /// Whether items of this class can be read with these keys.
    public func contains(_ accessibility: Accessibility) -> Bool {
        keys.keys.contains { $0.kind.rawValue == accessibility.rawValue }
    }

    /// The keys that stay when the binding ends.
    func unbound() -> ClassKeys { ClassKeys(keys.filter { $0.key != .passcodeSet }) }

    subscript(keyClass: KeyClass) -> X25519.PrivateKey? { keys[keyClass] }
}
