import ArgumentParser
import Coffer
import CredentialHelpers
import Platform

/// Parses and runs the command, and turns any failure into one line and an exit status.
@main
enum Main {
    static func main() {
        // The caller chooses this word. It decides nothing but which command line is read.
        if let helper = CredentialHelper(startedAs: CommandLine.arguments.first) { helper.run() }
        let arguments = ArgumentRewriter.rewrite(Array(CommandLine.arguments.dropFirst()))
        let report = ErrorReport(asJSON: arguments.prefix { $0 != "--" }.contains("--json"))
        let inheritance: ProcessInheritance
        do throws(SystemError) {
            inheritance = try ProcessHardening.apply()
        } catch {
            report.show(KeychainError(.failed, error.description)).leave()
        }
        do {
            if let plain = PlainCommand(arguments) { return try plain.run() }
            if let mistake = RunCommand.mistake(in: arguments) { throw mistake }
            if let mistake = DashedWord.mistake(in: arguments) { throw mistake }
            if let mistake = SubcommandSuggestion.mistake(in: arguments) { throw mistake }
            var command = try SingleCommand.parse(arguments) ?? CofferCommand.parseAsRoot(arguments)
            do {
                if let starter = command as? any ProgramStarting {
                    try starter.run(restoring: inheritance)
                } else {
                    try command.run()
                }
            } catch {
                throw (command as? any VaultUsing)?.vault.named(error) ?? error
            }
        } catch let error as KeychainError {
            report.show(error).leave()
        } catch let failure as CommandFailure {
            report.show(failure).leave()
        } catch let status as ExitStatus {
            status.leave()
        } catch {
            let code = CofferCommand.exitCode(for: error)
            guard code == .success else {
                report.showUsage(
                    CofferCommand.message(for: error), command: SubcommandSuggestion.known(arguments)
                ).leave()
            }
            show(CofferCommand.fullMessage(for: error))
        }
    }
}

extension Main {
    /// Writes help, a version or a completion script. The parser would not notice a disk that is full.
    private static func show(_ text: String) {
        do throws(ExitStatus) { if !text.isEmpty { try Output.line(text) } } catch { error.leave() }
    }
}

/// A command that becomes another program.
protocol ProgramStarting {
    /// - Parameter inheritance: what the other program has to get back.
    func run(restoring inheritance: ProcessInheritance) throws
}
