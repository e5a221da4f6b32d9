import Coffer
import Platform

/// Puts a secret on the clipboard and has it cleared later.
struct Clipboard {
    let tool: ClipboardTool
    let programs: ProgramSearch

    static func find(_ session: CommandSession) throws(KeychainError) -> Clipboard {
        guard let tool = ClipboardTool.find(variable: session.variable, programs: session.programs) else {
            throw KeychainError(
                .failed, "no usable clipboard was found, so nothing was read",
                advice: "on a display, install wl-clipboard (Wayland), xclip or xsel (X11)")
        }
        return Clipboard(tool: tool, programs: session.programs)
    }

    /// Starts a process in a session of its own that clears the clipboard, and gives it the value through a pipe. So neither the end of the terminal
    /// nor a reader of this process's output can stop the clearing.
    func copy(_ value: [UInt8], for seconds: Int) throws(KeychainError) {
        let claim = ClipboardClaim.take()
        let arguments = ["clipboard-clear", tool.rawValue, String(seconds)] + (claim.map { [$0.token] } ?? [])
        // Start the clearing process first, so that no secret is copied that nothing would clear.
        do {
            let holder = try Subprocess("/proc/self/exe", arguments) {
                $0.name = "coffer"
                $0.directory = "/"
                $0.input = .pipe
                $0.leadsSession = true
            }
            try holder.write(value)
            holder.closeInput()
        } catch {
            throw KeychainError(.failed, "the process that clears the clipboard could not start, so nothing was copied")
        }
        try tool.copy(value, programs: programs)
    }
}
