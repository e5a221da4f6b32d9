import ArgumentParser
import BrokerProtocol

/// A change of who may read an item, and when.
struct AccessChangeOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp("When it can be read.", valueName: "class"))
    var access: Keychain.Accessibility?

    @Flag(inversion: .prefixedNo, help: "Whether it may leave this machine in an encrypted export.")
    var thisDeviceOnly: Bool?

    @Option(
        help: ArgumentHelp(
            "What reading asks of you each time, instead of what it asked before. May be repeated.",
            valueName: "factor"))
    var require: [FactorArgument] = []

    @Flag(help: "With several --require: one of them is enough.")
    var any = false

    /// A factor, or none.
    enum FactorArgument: ExpressibleByArgument, Equatable {
        case factor(Keychain.Constraint)
        case none

        static var allValueStrings: [String] { Keychain.Constraint.allValueStrings + ["none"] }

        init?(argument: String) {
            if argument == "none" {
                self = .none
            } else if let factor = Keychain.Constraint(rawValue: argument) {
                self = .factor(factor)
            } else {
                return nil
            }
        }
    }

    func validate() throws {
        guard !require.contains(.none) || require.count == 1 else {
            throw ValidationError("--require none stands alone")
        }
        guard !any || require.count > 1 else { throw ValidationError("--any needs two or more --require") }
        guard Set(factors).count == factors.count else { throw ValidationError("--require names a factor twice") }
    }

    var isSome: Bool { access != nil || thisDeviceOnly != nil || !require.isEmpty }

    func applied(to former: Keychain.AccessControl) -> Keychain.AccessControl {
        var control = former
        if let access { control.accessibility = access }
        if let thisDeviceOnly { control.thisDeviceOnly = thisDeviceOnly }
        if !require.isEmpty {
            control.require = factors
            control.any = any
        }
        return control
    }

    private var factors: [Keychain.Constraint] {
        require.compactMap { if case .factor(let factor) = $0 { factor } else { nil } }
    }
}
