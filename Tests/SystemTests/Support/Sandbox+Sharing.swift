import Testing

/// Machines that share their secrets through a folder. Their person's password is that of every sandbox.
extension Sandbox {
    static let password = "sandbox"

    /// A command that must succeed, with its person's answer.
    @discardableResult
    func succeed(
        _ arguments: String..., input: String = "", sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> Outcome {
        let outcome = try coffer(arguments, input: Array(input.utf8), password: Self.password)
        try #require(outcome.code == 0, "\(arguments): \(outcome)", sourceLocation: sourceLocation)
        return outcome
    }

    /// Joins the machines of a folder, which this member adds it to.
    func join(_ folder: String, _ name: String, by member: Sandbox) throws {
        let code = try joinCode(folder, name)
        try member.succeed("sync", "add", input: "\(code)\n")
        try succeed("sync", "join", folder, "--name", name)
    }

    /// The code with which this machine asks to join.
    func joinCode(_ folder: String, _ name: String) throws -> String {
        let asked = try succeed("sync", "join", folder, "--name", name, "--no-wait")
        return String(try #require(asked.all.split(whereSeparator: \.isWhitespace).first { $0.hasPrefix("JOIN-") }))
    }
}
