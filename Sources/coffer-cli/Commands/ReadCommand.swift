import ArgumentParser
import Coffer

/// `coffer read`
struct ReadCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "read", _superCommandName: "coffer",
        abstract: "Print the secret that a reference names.",
        usage: "coffer read <reference> [options]",
        discussion: """
            A reference is coffer://SERVICE/ACCOUNT, or coffer://SERVICE/ACCOUNT/FIELD. A slash within a name is written %2F there, and a space \
            %20. The secret is printed as by coffer get: unchanged, and on a terminal a newline follows.

            Examples:
              coffer read coffer://github/me
              coffer read coffer://github/me/pin
              coffer read 'coffer://db/admin?group=ops'
            """)

    @Argument(help: ArgumentHelp("The secret, as coffer://SERVICE/ACCOUNT.", valueName: "reference"))
    var reference: String

    @OptionGroup var why: ReasonOptions

    @Flag(help: "On a terminal, show even what the terminal would obey: control characters, bytes that are not text.")
    var raw = false

    @OptionGroup var prompt: PromptOptions
    @OptionGroup var password: ApplicationPasswordOptions
    @OptionGroup var vault: VaultOptions
    @OptionGroup var format: JSONOptions

    private func parsed() throws -> SecretReference {
        do throws(SecretReference.Mistake) { return try SecretReference(parsing: reference) } catch {
            // The text is not repeated, because it may be a secret.
            throw ValidationError("this is no reference to a secret: \(error.reason); \(error.advice)")
        }
    }

    func validate() throws {
        _ = try parsed()
    }

    static func resolver(
        of reference: SecretReference, _ vault: VaultOptions, reason: String? = nil, noPrompt: Bool = false
    ) -> ReferenceResolver {
        ReferenceResolver(
            vault: vault, reason: reason, noPrompt: noPrompt,
            command: ShellText.command(["coffer", "read", reference.text] + vault.words))
    }

    static func secret(_ reference: SecretReference, _ resolver: ReferenceResolver) throws -> ReferenceResolver.Secret {
        guard let secret = try resolver.resolve([reference])[reference] else {
            throw KeychainError(.protocolViolation, "\(reference.shownName) was not read")
        }
        return secret
    }

    func run() throws {
        let reference = try parsed()
        var resolver = Self.resolver(of: reference, vault, reason: why.reason, noPrompt: prompt.noPrompt)
        resolver.choosesPassword = password.appPassword
        let secret = try Self.secret(reference, resolver)
        guard format.json else { return try SecretOutput.value(secret.value, of: secret.shownName, raw: raw) }
        try Output.line(
            JSONText.of(
                SecretOutput.Record(secret.item, reference.field, secret.value)))
    }
}
