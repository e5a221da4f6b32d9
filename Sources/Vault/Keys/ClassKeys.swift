import Cryptography

/// Private halves of class keys: what can be read right now. A value: who holds a copy holds the keys.
public struct ClassKeys: Sendable {
    private let keys: [KeyClass: X25519.PrivateKey]

    init(_ keys: [KeyClass: X25519.PrivateKey]) { self.keys = keys }

    /// What stays when the vault locks: `always`, and `after-first-unlock` if it was there.
    public func locked() -> ClassKeys {
        ClassKeys(keys.filter { $0.key.kind == .always || $0.key.kind == .afterFirstUnlock })
    }

    /// Whether items of this class can be read with these keys.
    public func contains(_ accessibility: Accessibility) -> Bool {
        keys.keys.contains { $0.kind.rawValue == accessibility.rawValue }
    }

    /// What stays when the vault is bound no more.
    func unbound() -> ClassKeys { ClassKeys(keys.filter { $0.key != .passcodeSet }) }

    subscript(keyClass: KeyClass) -> X25519.PrivateKey? { keys[keyClass] }
}
