import ArgumentParser
import Coffer

extension ItemKind: ExpressibleByArgument {}

/// The kind of the secret that a command names.
struct KindOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The kind of the secret; generic by default.", valueName: "kind"))
    var kind: ItemKind?

    /// The options to add to a command that a person is told to run.
    static func words(_ kind: ItemKind?) -> [String] { kind.map { ["--kind", $0.rawValue] } ?? [] }
}
