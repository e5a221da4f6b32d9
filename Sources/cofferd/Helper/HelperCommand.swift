import ArgumentParser
import BrokerProtocol
import FoundationEssentials
import HelperProtocol
import Platform

/// Does the work for which `coffer` would need a database or a cryptographic library. It runs as the user who started `coffer`.
struct HelperCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: Helper.name,
        abstract: "Started by coffer, for what coffer itself has no libraries for.",
        version: "\(Helper.program) \(ProductVersion.current)",
        subcommands: [
            OldVaultCommand.self, MeasureCommand.self, AgeCommand.self, KeyringCommand.self, KWalletCommand.self,
            OneTimePasswordHelper.self, PaperCommand.self,
        ])

    /// - Parameter arguments: those after ``Helper/command``.
    static func start(_ arguments: [String]) -> Never {
        do {
            try ProcessHardening.apply()
            var command = try parseAsRoot(arguments)
            try command.run()
            exit()
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
