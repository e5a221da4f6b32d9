import ArgumentParser
import BrokerProtocol
import FoundationEssentials
import HelperProtocol
import Platform

/// Does the work for which `coffer` would need a database or a cryptographic library.
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

/// Writes a line of JSON for `coffer`.
enum HelperAnswer {
    static func say(_ answer: some Encodable) throws {
        try StandardOutput.write(Array(JSONEncoder().encode(answer)) + [UInt8(ascii: "\n")])
    }
}
