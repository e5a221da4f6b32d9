import ArgumentParser
import BrokerProtocol

extension Keychain.Accessibility: ExpressibleByArgument {}
extension Keychain.Constraint: ExpressibleByArgument {}

/// Who may read a new item, and when.
struct AccessOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "When it can be read; when-unlocked is the default.", valueName: "class"))
    var access: Keychain.Accessibility?

    @Flag(help: "Never let it leave this machine, not even in an encrypted export.")
    var thisDeviceOnly = false

    @Option(
        help: ArgumentHelp(
            "What reading asks of you each time. May be repeated.",
            valueName: "factor"))
    var require: [Keychain.Constraint] = []

    @Flag(help: "With several --require: one of them is enough.")
    var any = false

    func validate() throws {
        guard !any || require.count > 1 else { throw ValidationError("--any needs two or more --require") }
        guard Set(require).count == require.count else { throw ValidationError("--require names a factor twice") }
    }

    /// nil when all is left to its default.
    var control: Keychain.AccessControl? {
        guard access != nil || thisDeviceOnly || !require.isEmpty else { return nil }
        return Keychain.AccessControl(
            accessibility: access ?? .whenUnlocked, thisDeviceOnly: thisDeviceOnly, require: require, any: any)
    }
}
