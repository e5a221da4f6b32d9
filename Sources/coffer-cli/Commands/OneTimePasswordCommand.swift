import ArgumentParser
import Coffer
import FoundationEssentials
import Glibc
import HelperProtocol

/// `coffer otp`
struct OneTimePasswordCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "otp", _superCommandName: "coffer",
        abstract: "Print a one-time password.",
        usage: "coffer otp <service> [<account>] [options]",
        discussion: """
            The password is made from the seed that a site shows when you switch on two-factor authentication: an otpauth:// address, or letters \
            and digits. Store the seed beside the password, in the field otp, with coffer set --otp. The password follows the time (RFC 6238). \
            Reading the seed asks you for what the secret requires, as coffer get does.

            If the secret has no field otp, the seed is its value. A seed of an earlier import is beside the password, as github.com/me:otp; coffer \
            otp github.com me finds it, and coffer edit --join makes a field of it.

            Examples:
              coffer set github me --otp
              coffer otp github
              coffer otp github me --clip
            """)

    @OptionGroup var item: ItemReference
    @OptionGroup var prompt: PromptOptions
    @OptionGroup var password: ApplicationPasswordOptions
    @OptionGroup var vault: VaultOptions
    @OptionGroup var format: JSONOptions

    @OptionGroup var why: ReasonOptions

    @Option(
        help: ArgumentHelp(
            "Put it on the clipboard instead; written --clip[=<seconds>], 45 seconds by default.",
            valueName: "seconds"),
        transform: SecondsArgument.init(parsing:))
    var clip: SecondsArgument?

    @Option(
        help: ArgumentHelp("The password of another moment, such as 2027-01-31T09:00:00Z.", valueName: "time"),
        transform: MomentArgument.init(parsing:))
    var at: MomentArgument?

    /// The output of `--json`.
    private struct Record: Encodable {
        var item: ItemDescription
        var code: String
        var digits: Int
        var period: Int
        var secondsLeft: Int
    }

    func validate() throws {
        guard clip == nil || !format.json else {
            throw ValidationError("--clip prints nothing, so it does not go with --json")
        }
    }

    /// The value may be a password, so no advice replaces it.
    private func advice(about item: ItemAttributes, _ field: FieldName?) -> String {
        let words = KindOptions.words(item.kind == .genericPassword ? nil : item.kind) + vault.words
        if field != nil || SeedItem.account(ofCompanion: item.account) != nil {
            return "look at it with: "
                + ShellText.command("get", item.service, item.account, FieldOptions.words(field) + words)
        }
        return "store a seed beside it with: "
            + ShellText.command("set", item.service, item.account, words + ["--otp", "--new"])
    }

    func run() throws {
        let session = CommandSession(vault)
        // Checked before anybody is asked, because a missing clipboard can be noticed at once.
        let clipboard = try clip.map { _ in try Clipboard.find(session) }
        let name = try item.name(session)
        let seedName = try SeedItem.name(for: name, session)
        let found = try ItemReading(
            reason: why.reason, noPrompt: prompt.noPrompt, choosingPassword: password.appPassword,
            command: {
                ShellText.command("otp", name.service, name.account, KindOptions.words(name.kind) + vault.words)
            }
        ).read(seedName, session)
        let seed: OneTimeSeed
        do throws(OneTimeSeed.Mistake) { seed = try OneTimeSeed(stored: found.value) } catch {
            throw KeychainError(
                .failed,
                "\(FieldText.shown(found.attributes.shownName, seedName.field)) holds no seed for one-time passwords: \(error.reason)",
                advice: advice(about: found.attributes, seedName.field))
        }
        // The clock is read after the person has answered, so that the password is not an old one.
        let now = at?.seconds ?? Int64(Date().timeIntervalSince1970)
        let made = try OneTimePassword.make(seed, at: now)
        let left = "\(made.secondsLeft) second\(made.secondsLeft == 1 ? "" : "s")"
        if let clip, let clipboard {
            try clipboard.copy(Array(made.code.utf8), for: clip.seconds)
            Output.note(
                "Copied the one-time password of \(found.attributes.shownName), good for \(left); \(clipboard.spoken) is cleared in \(clip.spoken)"
            )
        } else if format.json {
            try Output.line(
                JSONText.of(
                    Record(
                        item: ItemDescription(found.attributes), code: made.code, digits: seed.digits,
                        period: seed.period,
                        secondsLeft: made.secondsLeft)))
        } else {
            try Output.line(made.code)
            // With another moment there is nothing to hurry for.
            if Output.isTerminal, at == nil { Output.note("Good for \(left)") }
        }
    }
}
