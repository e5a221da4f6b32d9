import ArgumentParser
import BrokerProtocol
import Coffer
import FoundationEssentials

/// `coffer set`
struct SetCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "set",
        abstract: "Store a secret.",
        usage: "coffer set <service> <account> [options]",
        discussion: """
            On a terminal you are asked for the secret, twice. Otherwise it is standard input to its end, every byte of it. With \
            --require app-password you are asked, twice as well, for a password of the secret's own: who forgets that one has \
            lost the secret.

            Examples:
              coffer set github me --require presence
              coffer set db admin --generate=24 --label "Database" --expires 90d
              coffer set ssh key <id_ed25519
            """)

    @OptionGroup var item: ItemArguments
    @OptionGroup var access: AccessOptions
    @OptionGroup var metadata: MetadataOptions
    @OptionGroup var prompt: PromptOptions
    @OptionGroup var vault: VaultOptions

    @Option(
        help: ArgumentHelp(
            "Store a new random password; written --generate[=<length>], of 32 characters where none is given.",
            valueName: "length"),
        transform: LengthArgument.init(parsing:))
    var generate: LengthArgument?

    @Flag(help: "Drop one newline at the end of standard input.")
    var trim = false

    @Flag(exclusivity: .exclusive)
    var mode: Mode?

    @Flag(name: .shortAndLong, help: "Say nothing but warnings and errors.")
    var quiet = false

    @Argument(help: .hidden)
    var further: [String] = []

    private var detachedLength: String? { ArgumentRewriter.detached("--generate", where: LengthArgument.isLength) }

    /// What can only be meant for the secret.
    private var surplus: [String] { further.filter { $0 != detachedLength } }

    enum Mode: String, EnumerableFlag {
        case new, existing

        static func help(for value: Mode) -> ArgumentHelp? {
            switch value {
            case .new: "Fail with status 10 if the item is there already."
            case .existing: "Fail with status 3 if the item is not there yet."
            }
        }
    }

    func validate() throws {
        guard surplus.isEmpty else {
            throw ValidationError(
                "a secret is never an argument, because every program on this machine can read those; type it when asked, or pipe it in"
            )
        }
        guard generate == nil || !trim else {
            throw ValidationError("--trim is for standard input, not for --generate")
        }
        // An item by that name may be meant, but a password of another length than one thinks is found out too late.
        if let detachedLength {
            throw ValidationError(
                "a length stands behind an equals sign: write --generate=\(detachedLength); an account named \(detachedLength) comes before --generate"
            )
        }
    }

    func run() throws {
        let session = Session(vault)
        let former = try formerItem(session)
        try checkBiometry(session)
        let value: [UInt8]
        if let generate {
            value = PasswordGenerator.password(length: generate.characters)
        } else {
            let reading = try ValueInput(trim: trim).read(for: item.shownName)
            if let warning = reading.warning { Output.note("coffer: warning: \(warning)") }
            value = reading.value
        }
        let password =
            access.require.contains(.appPassword)
            ? try session.passwordInput(for: item.shownName, noPrompt: prompt.noPrompt).new() : nil
        let reply = try session.call(
            Keychain.Set(
                service: item.service, account: item.account, value: Data(value).base64EncodedString(),
                access: access.control,
                label: metadata.label, comment: metadata.comment, attributes: metadata.attributes,
                expires: metadata.expires.flatMap { $0 == .never ? nil : $0.milliseconds },
                mode: mode.flatMap { Keychain.SetMode(rawValue: $0.rawValue) }, applicationPassword: password),
            for: item.shownName, noPrompt: prompt.noPrompt, command: session.unlockCommand)
        warnOfLostFactor(former, now: reply.item)
        if !quiet { report(reply) }
    }

    /// Looks before anybody has to type, so that a wrong mode does not cost a typed secret.
    private func formerItem(_ session: Session) throws -> Keychain.Item? {
        do throws(KeychainError) {
            let found = try session.client.call(Keychain.Show(service: item.service, account: item.account)).item
            if mode == .new {
                throw KeychainError(
                    .alreadyExists, "\(item.shownName) is there already, set \(TimeText(found.modified).relative())",
                    advice: "leave out --new to replace it")
            }
            return found
        } catch {
            guard error.code == .notFound else { throw error }
            if mode == .existing {
                throw KeychainError(
                    .notFound, "\(item.shownName) is not there", advice: "leave out --existing to store it")
            }
            return nil
        }
    }

    /// Before anybody has to type: where no finger can be asked for, an item that needs one is refused. What contradicts itself, or is for somebody else, is
    /// for the broker to judge.
    private func checkBiometry(_ session: Session) throws(KeychainError) {
        let asked = access.require.filter { $0 == .biometry || $0 == .biometryCurrentSet }
        guard asked.count == 1, !access.any, vault.words.isEmpty else { return }
        let answer: Authentication.Biometry.Reply
        // Whoever cannot be asked now is asked, or missed, when the item is stored.
        do throws(KeychainError) { answer = try session.client.biometry().answer } catch { return }
        guard !answer.usable else { return }
        throw KeychainError(
            .invalidArgument,
            "an item that requires biometry could never be read here: "
                + KeychainError.clause(answer.reason ?? "no reason is known"))
    }

    /// An item keeps no policy by itself: whoever replaces a guarded one should know when the new one is not.
    private func warnOfLostFactor(_ former: Keychain.Item?, now: Keychain.Item) {
        guard let former, !former.access.require.isEmpty, now.access.require.isEmpty else { return }
        let lost = former.access.require.map { "--require \($0.rawValue)" }.joined(separator: " ")
        Output.note(
            "coffer: warning: \(item.shownName) asks for nothing any more when it is read; before, it was set with \(lost)"
        )
    }

    private func report(_ reply: Keychain.Set.Reply) {
        let done =
            reply.replaced.map { "Replaced \(item.shownName) (set \(TimeText($0).relative()))" }
            ?? "Stored \(item.shownName)"
        guard let generate else {
            Output.note(done)
            return
        }
        let command = ShellText.command(["coffer", "get", item.service, item.account] + vault.words)
        Output.note("\(done): a new password of \(generate.characters) characters; see it with: \(command)")
    }
}
