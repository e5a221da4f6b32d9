import ArgumentParser
import Coffer

/// `coffer doctor`
struct DoctorCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor", _superCommandName: "coffer",
        abstract: "Check that everything is in order, and show what to do if not.",
        usage: "coffer doctor [--problems] [--group <name> | --user <name>] [--json]",
        discussion: """
            Checks broker, authenticator, TPM (state, lockout, passwords, who else can use it, how it is known), storage key, files, sockets, \
            PAM services and clock. Checks every row of the vault and its log. Names the items that nobody can read because other fingers are \
            enrolled now. Of machines that share your secrets, \
            checks the folder, who was not heard for long, and clocks. Asks you for nothing and reads no value. The first line sums up. Each other line is “ok”, a “note” that needs nothing done, \
            or “TO DO”. With --json there is no summary, and each finding has the check's name, which stays the same from version to version.

            --group and --user have it check the vault of a group or of a service, with the machines that share it.

            Exit status: 0 if there is nothing to do, 1 if there is.
            """)

    @Flag(help: "Print only the summary and what there is to do.")
    var problems = false

    @OptionGroup var vault: VaultOptions
    @OptionGroup var format: JSONOptions

    func run() throws {
        let vault = vault.words.isEmpty ? nil : vault
        let session = CommandSession(vault)
        var facts = DoctorFacts(asking: session.client)
        facts.vault = vault
        facts.sharing = SharingFacts(asking: session)
        let findings = Doctor.findings(facts).map { $0.naming(vault) }
        let shown = problems ? findings.filter { $0.verdict == .problem } : findings
        if format.json {
            try Output.line(JSONText.of(shown))
        } else {
            try Output.line(([Doctor.summary(findings)] + shown.map(\.line)).joined(separator: "\n"))
        }
        if findings.contains(where: { $0.verdict == .problem }) { throw ExitStatus.failure }
    }
}
