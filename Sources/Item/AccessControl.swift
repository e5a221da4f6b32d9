/// Who can read an item, and when.
///
/// Start from an accessibility class and add what a person must do:
/// ```swift
/// let access = AccessControl.whenUnlocked.thisDeviceOnly.requiring(.userPresence)
/// ```
/// No requirement is ever dropped. If requirements contradict each other, every call that gets the access control
/// throws `.invalidArgument` and sends nothing. The initialiser throws at once.
public struct AccessControl: Sendable, Hashable {
    /// The state of the vault in which an item can be read.
    public enum Accessibility: String, Codable, Sendable, Hashable, CaseIterable {
        /// While the vault is unlocked.
        case whenUnlocked = "when-unlocked"
        /// Since the vault was first unlocked after the broker started.
        case afterFirstUnlock = "after-first-unlock"
        /// While a vault that is bound to the login password is unlocked. Implies ``AccessControl/isThisDeviceOnly``.
        case passcodeSet = "passcode-set"
        /// Also while the vault is locked. Implies ``AccessControl/isThisDeviceOnly``.
        case always
    }

    /// What a person must do before an item is read. The order of the cases is that of every list.
    public enum Requirement: String, Codable, Sendable, Hashable, CaseIterable {
        /// Any factor that PAM accepts: password, finger or security key.
        case userPresence = "presence"
        /// Any enrolled finger.
        case biometryAny = "biometry"
        /// One of the fingers that were enrolled when the item was stored. A change of fingers makes it unreadable.
        case biometryCurrentSet = "biometry-current-set"
        /// The login password.
        case devicePasscode = "passcode"
        /// A password of the item's own. Its value travels with `Keychain` calls as `applicationPassword`.
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
    /// The first contradiction that ``requiring(_:)`` and its like were given. What was read or checked has none.
    private let contradiction: AccessControlError?

    /// Checks what it is given.
    ///
    /// - Parameters:
    ///   - isThisDeviceOnly: true for the classes that imply it, whatever is given here.
    ///   - anyIsEnough: one of at least two requirements is enough.
    /// - Throws: for both kinds of biometry, and if one of fewer than two requirements should be enough.
    public init(
        _ accessibility: Accessibility = .whenUnlocked, isThisDeviceOnly: Bool = false,
        requirements: Set<Requirement>, anyIsEnough: Bool = false
    ) throws(AccessControlError) {
        self.init(accessibility, isThisDeviceOnly, requirements, anyIsEnough: anyIsEnough)
        try check()
    }

    /// A class without requirements.
    package init(_ accessibility: Accessibility, isThisDeviceOnly: Bool = false) {
        self.init(accessibility, isThisDeviceOnly, [], anyIsEnough: false)
    }

    /// Keeps all that it is given, with the contradiction in it.
    private init(
        _ accessibility: Accessibility, _ isThisDeviceOnly: Bool, _ requirements: Set<Requirement>, anyIsEnough: Bool,
        after former: AccessControlError? = nil
    ) {
        self.accessibility = accessibility
        self.isThisDeviceOnly = isThisDeviceOnly || accessibility == .passcodeSet || accessibility == .always
        self.requirements = requirements
        self.anyIsEnough = anyIsEnough
        contradiction = former ?? AccessControlError(in: requirements, anyIsEnough: anyIsEnough)
    }

    /// - Throws: if the requirements contradict each other.
    package func check() throws(AccessControlError) {
        if let contradiction { throw contradiction }
    }

    /// Readable while the vault is unlocked. This is the default of a new item.
    public static let whenUnlocked = AccessControl(.whenUnlocked)
    /// Readable since the vault was first unlocked, also while it is locked again.
    public static let afterFirstUnlock = AccessControl(.afterFirstUnlock)
    /// Readable while the vault is unlocked, if it is bound to the login password. On this device only.
    public static let passcodeSet = AccessControl(.passcodeSet)
    /// Readable also while the vault is locked. On this device only.
    public static let always = AccessControl(.always)
    /// What every setting has, and no other kind must have.
    package static let setting = afterFirstUnlock

    /// The same, on this machine only.
    public var thisDeviceOnly: AccessControl {
        AccessControl(accessibility, true, requirements, anyIsEnough: anyIsEnough, after: contradiction)
    }

    /// The same, with requirements that must all be met, besides those that it has.
    ///
    /// `biometryAny` and `biometryCurrentSet` exclude each other: a call that gets both throws.
    public func requiring(_ more: Requirement...) -> AccessControl {
        AccessControl(
            accessibility, isThisDeviceOnly, requirements.union(more), anyIsEnough: false, after: contradiction)
    }

    /// The same, with requirements of which any one is enough.
    ///
    /// An access control joins all its requirements in one way. A call throws if others were required before.
    public func requiringAny(of choices: Requirement...) -> AccessControl {
        let choices = Set(choices)
        let isMixed = !requirements.isEmpty && !(anyIsEnough && requirements == choices)
        return AccessControl(
            accessibility, isThisDeviceOnly, requirements.union(choices), anyIsEnough: choices.count != 1 || isMixed,
            after: contradiction ?? (isMixed ? .isMixed : nil))
    }
}
