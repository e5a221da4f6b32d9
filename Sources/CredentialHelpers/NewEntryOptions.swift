import ArgumentParser
import Coffer

/// The vault of all entries, and who may read the entries that are new. Entries that exist keep their own access control.
struct NewEntryOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "When a new entry can be read; when-unlocked is the default.", valueName: "class"))
    var access: AccessControl.Accessibility?

    @Flag(help: "New entries stay on this machine: a recovery code does not restore them.")
    var thisDeviceOnly = false

    @Option(help: ArgumentHelp("What each read of a new entry requires of you. May be repeated.", valueName: "factor"))
    var require: [Factor] = []

    @Flag(help: "With several --require: one of them is enough.")
    var any = false

    @Option(help: ArgumentHelp("Use the vault of this group; you must be a member.", valueName: "name"))
    var group: String?

    /// What a person can do while another program waits. An application password cannot be asked for then.
    enum Factor: String, CaseIterable, ExpressibleByArgument {
        case presence
        case biometry
        case biometryCurrentSet = "biometry-current-set"
        case passcode

        var requirement: AccessControl.Requirement {
            switch self {
            case .presence: .userPresence
            case .biometry: .biometryAny
            case .biometryCurrentSet: .biometryCurrentSet
            case .passcode: .devicePasscode
            }
        }
    }

    func validate() throws {
        guard !any || require.count > 1 else { throw ValidationError("--any needs two or more --require") }
        guard Set(require).count == require.count else { throw ValidationError("--require names a factor twice") }
        // The library keeps the stricter one. A person who writes both should know that.
        guard !require.contains(.biometry) || !require.contains(.biometryCurrentSet) else {
            throw ValidationError("“biometry” and “biometry-current-set” exclude each other; name one of them")
        }
        guard group != "" else { throw ValidationError("the group must not be empty") }
    }

    var vault: VaultName { group.map(VaultName.group) ?? .own }

    /// nil if no option asks for one.
    var newAccess: AccessControl? {
        guard access != nil || thisDeviceOnly || !require.isEmpty else { return nil }
        return AccessControl(
            access ?? .whenUnlocked, isThisDeviceOnly: thisDeviceOnly,
            requirements: Set(require.map(\.requirement)), anyIsEnough: any)
    }
}

extension AccessControl.Accessibility: ExpressibleByArgument {}
