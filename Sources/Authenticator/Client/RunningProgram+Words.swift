import Item
import Platform

extension RunningProgram {
    /// As a prompt names it.
    var shown: String {
        switch self {
        case .file(let path): VisibleText.path(path)
        case .elsewhere(let path):
            "a program that calls itself \(VisibleText.path(path)), in a file system of its own"
        case .unnamed(let name):
            "a program that calls itself \(EscapedText.quoted(name, limit: PromptLimits.program))"
        }
    }

    /// As the authenticator's log names it. A `?` follows what the process may have chosen, as in `coffer log`.
    var logged: String {
        switch self {
        case .file(let path): EscapedText.escaped(path, limit: PromptLimits.program)
        case .elsewhere(let name), .unnamed(let name): EscapedText.escaped(name, limit: PromptLimits.program) + "?"
        }
    }
}
