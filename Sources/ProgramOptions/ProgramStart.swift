import Glibc
import Platform

extension ProgramUsage {
    /// Reads the process's arguments, runs what they ask for, and ends the process: with 0, with 64 after ``UsageError``, with 1 after another error.
    public func start(_ run: (ParsedOptions) throws -> Void) -> Never {
        do {
            switch try read(Array(CommandLine.arguments.dropFirst())) {
            case .show(let text): try StandardOutput.write(Array(text.utf8))
            case .run(let options): try run(options)
            }
        } catch let error as UsageError {
            Self.report("Error: \(error)\n\(UsageText(self).line)\n  See '\(name) --help' for more information.\n")
            exit(64)
        } catch {
            Self.report("Error: \(error)\n")
            exit(1)
        }
        exit(0)
    }

    private static func report(_ text: String) {
        // `try?`: there is no other place to report to.
        try? StandardOutput.writeError(Array(text.utf8))
    }
}
