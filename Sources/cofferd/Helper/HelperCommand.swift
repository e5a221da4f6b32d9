import BrokerProtocol
import HelperProtocol
import JSON
import Platform
import ProgramOptions

/// One kind of work that the program does for `coffer`.
protocol HelperTask: Sendable {
    static var usage: ProgramUsage.Command { get }

    /// - Parameter words: as many as `usage` names.
    static func run(_ words: [String]) throws
}

/// Does the work for which `coffer` would need a database or a cryptographic library. It runs as the user who started `coffer`.
enum HelperCommand {
    private static var tasks: [any HelperTask.Type] {
        [
            OldVaultCommand.self, MeasureCommand.self, AgeCommand.self, KeyringCommand.self, KWalletCommand.self,
            OneTimePasswordHelper.self, PaperCommand.self,
        ]
    }

    /// - Parameter arguments: those after ``Helper/command``.
    static func start(_ arguments: [String]) -> Never {
        let usage = ProgramUsage(
            Helper.name, version: "\(Helper.program) \(ProductVersion.current)",
            abstract: "Started by coffer, for what coffer itself has no libraries for.",
            commands: tasks.map { $0.usage })
        usage.start(arguments) { options in
            try ProcessHardening.apply()
            try tasks.first { $0.usage.name == options.command }?.run(options.words)
        }
    }
}

/// Writes a line of JSON for `coffer`.
enum HelperAnswer {
    static func say(_ answer: some JSONWritable) throws {
        var line = JSONWriter.bytes(of: answer)
        defer { Wipe.bytes(&line) }
        try StandardOutput.write(line)
        // By itself: a longer array would leave a copy of the line behind.
        try StandardOutput.write([UInt8(ascii: "\n")])
    }
}
