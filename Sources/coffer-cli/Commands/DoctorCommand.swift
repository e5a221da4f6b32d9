import ArgumentParser
import Coffer

/// `coffer doctor`
struct DoctorCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Look whether everything is in order, and say what to do where it is not.",
        usage: "coffer doctor [--json]",
        discussion: """
            Looks at broker, authenticator, TPM (state, lockout, passwords, who else can use it, how it is \
            known), storage key, files, sockets, PAM services and clock, checks every row of the vault and its \
            log, and names the items that nobody can read any more because other fingers are enrolled now. \
            Asks you for nothing and reads no value. A line is “ok”, a “note” that needs nothing done, or \
            “TO DO”. With --json each finding has the check's name, which stays the same from version to version.

            Exit status: 0 when there is nothing to do, 1 when there is.
            """)

    @OptionGroup var format: JSONOptions

    func run() throws {
        let findings = Doctor.findings(DoctorFacts(asking: Session().client))
        if format.json {
            try Output.line(JSONText.of(findings))
        } else {
            try Output.line(findings.map(\.line).joined(separator: "\n"))
        }
        if findings.contains(where: { $0.verdict == .problem }) { throw ExitStatus.failure }
    }
}
