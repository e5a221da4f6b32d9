import ArgumentParser
import Coffer
import Glibc
import Platform

/// Waits, and then clears the clipboard if it still holds the value from standard input. Only `get --clip` starts it.
struct ClipboardClearCommand: ParsableCommand {
    static let configuration = CommandConfiguration(commandName: "clipboard-clear", shouldDisplay: false)

    @Argument var tool: String
    @Argument(transform: SecondsArgument.init(parsing:)) var seconds: SecondsArgument
    @Argument var board = "display"
    @Argument var token: String?

    func run() throws {
        guard let tool = ClipboardTool(rawValue: tool) else {
            throw ValidationError("there is no clipboard tool '\(tool)'")
        }
        // The secret must be cleared even if the terminal closes meanwhile.
        signal(SIGHUP, SIG_IGN)
        let value = try StandardInput.read(limit: InputLimits.value)
        sleep(UInt32(clamping: seconds.seconds))
        if let token, !ClipboardClaim(token: token).stands(board) { return }
        let programs = ProgramSearch(environment: OwnProcess.environment)
        // A terminal does not say what its clipboard holds.
        guard tool.isSeen else { return try tool.clear(programs: programs) }
        if try tool.paste(limit: value.count, programs: programs) == value {
            try tool.clear(programs: programs)
        }
    }
}
