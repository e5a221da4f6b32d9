/// The state of the vault in which an item can be read. The raw value is the class in the file.
public enum Accessibility: UInt8, Sendable, Hashable, CaseIterable, CustomStringConvertible {
    case whenUnlocked = 1
    case afterFirstUnlock = 2
    /// Only in a vault that is bound to the login password, and on this device only.
    case passcodeSet = 3
    /// Also while the vault is locked, and on this device only.
    case always = 4

    public var description: String {
        switch self {
        case .whenUnlocked: "when-unlocked"
        case .afterFirstUnlock: "after-first-unlock"
        case .passcodeSet: "passcode-set"
        case .always: "always"
        }
    }

    /// Whether items of this class never leave this device, even if nobody asked for that.
    public var impliesThisDeviceOnly: Bool { self == .passcodeSet || self == .always }
}
