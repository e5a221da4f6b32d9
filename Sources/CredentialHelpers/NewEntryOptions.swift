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
    struct Factor: ExpressibleByArgument {
        let requirement: AccessControl.Requirement

        init?(argument: String) {
            guard let requirement = AccessControl.Requirement(rawValue: argument),
                Self.possible.contains(requirement)
            else { return nil }
            self.requirement = requirement
        }

        static var allValueStrings: [String] { possible.map(\.rawValue) }

        private static let possible = AccessControl.Requirement.allCases.filter { $0 != .applicationPassword }
    }

    func validate() throws {
        _ = try newAccess
        if let group {
            guard !group.isEmpty else { throw ValidationError("the group must not be empty") }
            try ArgumentText.check(group, "group", limit: ArgumentLimits.owner)
        }
    }

    var vault: VaultName { group.map(VaultName.group) ?? .own }

    /// nil if no option asks for one.
    var newAccess: AccessControl? {
        get throws(ValidationError) {
            let requirements = try RequirementOptions.check(require.map(\.requirement), any: any)
            guard access != nil || thisDeviceOnly || !requirements.isEmpty else { return nil }
            do throws(AccessControlError) {
                return try AccessControl(
                    access ?? .whenUnlocked, isThisDeviceOnly: thisDeviceOnly, requirements: requirements,
                    anyIsEnough: any)
            } catch { throw ValidationError(error.description) }
        }
    }
}
