import FoundationEssentials

/// Finds a way to ask a person: first the terminal, then a program that the person named, then a dialog on the display.
package struct PrompterFinder: Sendable {
    private let environment: [String: String]

    package init(environment: [String: String]) { self.environment = environment }

    /// - Returns: nil if there is nobody to ask.
    package func find() -> (any Prompter)? {
        if TerminalPrompter.isPresent { return TerminalPrompter() }
        if let program = environment["COFFER_ASKPASS"], !program.isEmpty {
            return AskPassPrompter(program: program, environment: environment)
        }
        let hasDisplay = ["WAYLAND_DISPLAY", "DISPLAY"].contains { !(environment[$0] ?? "").isEmpty }
        if hasDisplay, let program = ProgramSearch(environment: environment).path(of: "pinentry") {
            return PinentryPrompter(program: program)
        }
        return nil
    }
}

/// Finds a program as a shell does, but only in the absolute folders of PATH.
package struct ProgramSearch: Sendable {
    private let folders: [String]

    package init(environment: [String: String]) {
        folders = (environment["PATH"] ?? "").split(separator: ":").map(String.init).filter { $0.hasPrefix("/") }
    }

    package func path(of program: String) -> String? {
        folders.lazy.map { "\($0)/\(program)" }.first { FileManager.default.isExecutableFile(atPath: $0) }
    }
}
