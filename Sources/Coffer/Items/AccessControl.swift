/// Who can read an item, and when.
///
/// Start from an accessibility class and add what a person must do:
/// ```swift
/// let access = AccessControl.whenUnlocked.thisDeviceOnly.requiring(.userPresence)
/// ```
/// Every value of this type is valid. Requirements that contradict each other are resolved as ``requiring(_:)`` says.
public struct AccessControl: Sendable, Hashable {
    /// The state of the vault in which an item can be read.
    public enum Accessibility: String, Sendable, Hashable, CaseIterable {
        /// While the vault is unlocked.
        case whenUnlocked = "when-unlocked"
        /// Since the vault was first unlocked after the broker started.
        case afterFirstUnlock = "after-first-unlock"
        /// While a vault that is bound to the login password is unlocked. Implies ``AccessControl/isThisDeviceOnly``.
        case passcodeSet = "passcode-set"
        /// Also while the vault is locked. Implies ``AccessControl/isThisDeviceOnly``.
        case always
    }

    /// What a person must do before an item is read.
    public enum Requirement: String, Sendable, Hashable, CaseIterable {
        /// Any factor that PAM accepts: password, finger or security key.
        case userPresence = "presence"
        /// Any enrolled finger.
        case biometryAny = "biometry"
        /// One of the fingers that were enrolled when the item was stored. A change of fingers makes it unreadable.
        case biometryCurrentSet = "biometry-current-set"
        /// The login password.
        case devicePasscode = "passcode"
        /// A password of the item's own. Its value travels with ``Keychain`` calls as `applicationPassword`.
        case applicationPassword = "app-password"
    }

    /// When the vault's state lets the value be read.
    public let accessibility: Accessibility
    /// The value opens on this machine's TPM only. A recovery code does not restore it.
    public let isThisDeviceOnly: Bool
    /// What a person must do; empty if nothing.
    public let requirements: Set<Requirement>
    /// Whether one of the requirements is enough. Otherwise all of them are needed.
    public let anyIsEnough: Bool

    package init(
        _ accessibility: Accessibility, isThisDeviceOnly: Bool = false, requirements: Set<Requirement> = [],
        anyIsEnough: Bool = false
    ) {
        self.accessibility = accessibility
        self.isThisDeviceOnly = isThisDeviceOnly || accessibility == .passcodeSet || accessibility == .always
        self.requirements = Self.consistent(requirements)
        self.anyIsEnough = anyIsEnough && self.requirements.count > 1
    }

    /// Readable while the vault is unlocked. This is the default of a new item.
    public static let whenUnlocked = AccessControl(.whenUnlocked)
    /// Readable since the vault was first unlocked, also while it is locked again.
    public static let afterFirstUnlock = AccessControl(.afterFirstUnlock)
    /// Readable while the vault is unlocked, if it is bound to the login password. On this device only.
    public static let passcodeSet = AccessControl(.passcodeSet)
    /// Readable also while the vault is locked. On this device only.
    public static let always = AccessControl(.always)

    /// The same, on this machine only.
    public var thisDeviceOnly: AccessControl {
        AccessControl(
            accessibility, isThisDeviceOnly: true, requirements: requirements, anyIsEnough: anyIsEnough)
    }

    /// The same, with requirements that must all be met, besides those that it has.
    ///
    /// `biometryAny` and `biometryCurrentSet` exclude each other: the stricter one, `biometryCurrentSet`, stays.
    public func requiring(_ more: Requirement...) -> AccessControl {
        AccessControl(
            accessibility, isThisDeviceOnly: isThisDeviceOnly,
            requirements: Self.consistent(requirements.union(more)))
    }

    /// The same, with other requirements. Any one of them is enough. They replace those that it has.
    ///
    /// `biometryAny` and `biometryCurrentSet` exclude each other: the stricter one, `biometryCurrentSet`, stays.
    public func requiringAny(of choices: Requirement...) -> AccessControl {
        AccessControl(
            accessibility, isThisDeviceOnly: isThisDeviceOnly, requirements: Self.consistent(Set(choices)),
            anyIsEnough: true)
    }

    private static func consistent(_ requirements: Set<Requirement>) -> Set<Requirement> {
        requirements.contains(.biometryCurrentSet) ? requirements.subtracting([.biometryAny]) : requirements
    }
}
