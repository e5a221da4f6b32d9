import ArgumentParser
import BrokerProtocol

extension Keychain.ItemKind: ExpressibleByArgument {}

/// The kind of the secret that a command names.
struct KindOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The kind of the secret; generic by default.", valueName: "kind"))
    var kind: Keychain.ItemKind?

    /// The options to add to a command that a person is told to run.
    static func words(_ kind: Keychain.ItemKind?) -> [String] { kind.map { ["--kind", $0.rawValue] } ?? [] }
}
