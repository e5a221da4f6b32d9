import ArgumentParser
import Coffer
import CredentialHelpers

/// Who may read an item, and when. A setting that is not named stays as it is, or is a new item's default.
struct AccessChangeOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp("When it can be read; when-unlocked is the default for a new secret.", valueName: "class"))
    var access: AccessControl.Accessibility?

    @Flag(
        inversion: .prefixedNo,
        help: "Whether it stays on this machine: not even an encrypted export contains it.")
    var thisDeviceOnly: Bool?

    @Option(
        help: ArgumentHelp(
            "What each read requires of you; replaces earlier requirements. May be repeated.",
            valueName: "factor"))
    var require: [FactorArgument] = []

    @Flag(help: "With several --require: one of them is enough.")
    var any = false

    /// A factor, or none.
    enum FactorArgument: ExpressibleByArgument, Equatable {
        case factor(AccessControl.Requirement)
        case none

        static var allValueStrings: [String] { AccessControl.Requirement.allValueStrings + ["none"] }

        init?(argument: String) {
            if argument == "none" {
                self = .none
            } else if let factor = AccessControl.Requirement(rawValue: argument) {
                self = .factor(factor)
            } else {
                return nil
            }
        }
    }

    func validate() throws {
        guard !require.contains(.none) || require.count == 1 else {
            throw ValidationError("--require none does not go with another --require")
        }
        try RequirementOptions.check(factors, any: any)
    }

    var isSome: Bool { change != nil }

    /// nil if no setting is named.
    var change: PartialAccess? {
        guard access != nil || thisDeviceOnly != nil || !require.isEmpty else { return nil }
        return PartialAccess(
            accessibility: access, isThisDeviceOnly: thisDeviceOnly, requirements: require.isEmpty ? nil : factors,
            anyIsEnough: require.isEmpty ? nil : any)
    }

    /// - Throws: `.invalidArgument` if the result contradicts itself. The broker is not asked.
    func applied(to former: AccessControl) throws(KeychainError) -> AccessControl {
        try change?.checked(over: former) ?? former
    }

    private var factors: [AccessControl.Requirement] {
        require.compactMap { if case .factor(let factor) = $0 { factor } else { nil } }
    }
}
