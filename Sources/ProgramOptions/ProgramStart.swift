import Glibc
import Platform

extension ProgramUsage {
    /// Reads the arguments, runs what they ask for, and ends the process: with 0, with 64 after ``UsageError``, with 1 after another error.
    public func start(_ arguments: [String] = ownArguments, _ run: (ParsedOptions) throws -> Void) -> Never {
        do {
            if let options = try options(arguments) { try run(options) }
        } catch { fail(error) }
        exit(0)
    }

    /// The same for a program that runs tasks.
    public func start(_ arguments: [String] = ownArguments, _ run: @Sendable (ParsedOptions) async throws -> Void) async
        -> Never
    {
        do {
            if let options = try options(arguments) { try await run(options) }
        } catch { fail(error) }
        exit(0)
    }

    /// Those of the process, without the program's own name.
    public static var ownArguments: [String] { Array(CommandLine.arguments.dropFirst()) }

    /// - Returns: nil if help or the version was asked for, and shown.
    private func options(_ arguments: [String]) throws -> ParsedOptions? {
        switch try read(arguments) {
        case .show(let text):
            try StandardOutput.write(Array(text.utf8))
            return nil
        case .run(let options): return options
        }
    }

    private func fail(_ error: any Error) -> Never {
        let isMisuse = error is UsageError
        let usage = isMisuse ? "\(UsageText(self).line)\n  See '\(name) --help' for more information.\n" : ""
        // `try?`: there is no other place to report to.
        try? StandardOutput.writeError(Array("Error: \(error)\n\(usage)".utf8))
        exit(isMisuse ? 64 : 1)
    }
}
