import ArgumentParser
import BrokerProtocol
import HelperProtocol
import Platform

/// Does for `coffer` what takes a database or a library for cryptography.
@main struct CofferHelper: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: Helper.program, abstract: "Started by coffer, for what coffer itself has no libraries for.",
        version: "\(Helper.program) \(ProductVersion.current)",
        subcommands: [OldVaultCommand.self, MeasureCommand.self])

    static func main() {
        do {
            try ProcessHardening.apply()
            var command = try parseAsRoot()
            try command.run()
        } catch {
            exit(withError: error)
        }
    }
}
