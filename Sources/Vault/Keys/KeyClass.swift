import Cryptography
import Item

/// The class whose key a slot is made for (docs/vault-format.md, "keybag").
struct KeyClass: Sendable, Hashable {
    enum Kind: UInt8, Sendable, Hashable {
        case whenUnlocked = 1
        case afterFirstUnlock = 2
        case passcodeSet = 3
        case always = 4
        case recovery = 16

        init(_ accessibility: AccessControl.Accessibility) {
            self =
                switch accessibility {
                case .whenUnlocked: .whenUnlocked
                case .afterFirstUnlock: .afterFirstUnlock
                case .passcodeSet: .passcodeSet
                case .always: .always
                }
        }
    }

    let kind: Kind
    let isThisDeviceOnly: Bool

    init(kind: Kind, isThisDeviceOnly: Bool) {
        self.kind = kind
        self.isThisDeviceOnly = isThisDeviceOnly
    }

    init(_ access: AccessControl) {
        kind = Kind(access.accessibility)
        isThisDeviceOnly = access.isThisDeviceOnly
    }

    static let always = KeyClass(kind: .always, isThisDeviceOnly: true)
    static let recovery = KeyClass(kind: .recovery, isThisDeviceOnly: false)

    /// The classes whose private keys are sealed under the unlock root, in the order of the keybag.
    static let unlockable = [
        KeyClass(kind: .whenUnlocked, isThisDeviceOnly: false), KeyClass(kind: .whenUnlocked, isThisDeviceOnly: true),
        KeyClass(kind: .afterFirstUnlock, isThisDeviceOnly: false),
        KeyClass(kind: .afterFirstUnlock, isThisDeviceOnly: true),
    ]

    /// In a bound vault only.
    static let passcodeSet = KeyClass(kind: .passcodeSet, isThisDeviceOnly: true)

    /// Whether its private key is sealed under the unlock root.
    var isUnlockable: Bool { self == .passcodeSet || Self.unlockable.contains(self) }

    /// The classes of a new vault.
    static let ofNewVault = unlockable + [always, recovery]
    static let ofBoundVault = ofNewVault + [passcodeSet]

    /// `class ‖ scope`
    var encoded: [UInt8] { [kind.rawValue, isThisDeviceOnly ? 1 : 0] }
}

/// The private class keys at hand, which decide which items can be read now. Every copy of this value holds the keys.
public struct ClassKeys: Sendable {
    private let keys: [KeyClass: X25519.PrivateKey]

    init(_ keys: [KeyClass: X25519.PrivateKey]) { self.keys = keys }

    /// The keys that stay when the vault locks: `always`, and `after-first-unlock` if it was there.
    public func locked() -> ClassKeys {
        ClassKeys(keys.filter { $0.key.kind == .always || $0.key.kind == .afterFirstUnlock })
    }

    /// Whether items of this class can be read with these keys.
    public func contains(_ accessibility: AccessControl.Accessibility) -> Bool {
        let kind = KeyClass.Kind(accessibility)
        return keys.keys.contains { $0.kind == kind }
    }

    /// The keys that stay when the binding ends.
    func unbound() -> ClassKeys { ClassKeys(keys.filter { $0.key != .passcodeSet }) }

    subscript(keyClass: KeyClass) -> X25519.PrivateKey? { keys[keyClass] }
}
