import ArgumentParser
import Coffer

/// `coffer doctor`
struct DoctorCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor", _superCommandName: "coffer",
        abstract: "Check that everything is in order, and show what to do if not.",
        usage: "coffer doctor [--json]",
        discussion: """
            Checks broker, authenticator, TPM (state, lockout, passwords, who else can use it, how it is known), storage key, files, sockets, \
            PAM services and clock. Checks every row of the vault and its log. Names the items that nobody can read because other fingers are \
            enrolled now. Asks you for nothing and reads no value. Each line is “ok”, a “note” that needs nothing done, or “TO DO”. With --json \
            each finding has the check's name, which stays the same from version to version.

            Exit status: 0 if there is nothing to do, 1 if there is.
            """)

    @OptionGroup var format: JSONOptions

    func run() throws {
        let findings = Doctor.findings(DoctorFacts(asking: CommandSession().client))
        if format.json {
            try Output.line(JSONText.of(findings))
        } else {
            try Output.line(findings.map(\.line).joined(separator: "\n"))
        }
        if findings.contains(where: { $0.verdict == .problem }) { throw ExitStatus.failure }
    }
}
