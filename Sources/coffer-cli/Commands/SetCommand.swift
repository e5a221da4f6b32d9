import ArgumentParser
import Coffer
import HelperProtocol
import Platform

/// `coffer set`
struct SetCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "set", _superCommandName: "coffer",
        abstract: "Store a secret.",
        usage: "coffer set <service> <account> [options]",
        discussion: """
            At a terminal, type the secret twice. Otherwise standard input is the secret, every byte of it. An empty one is refused \
            unless you give --allow-empty: a program that failed must not wipe a secret.

            If the secret is there already, its value is replaced; coffer restore brings it back. Settings that you do not name stay as they are: requirements, class, \
            label, comment, attributes, expiry. An empty label, comment or attribute value takes it away. If the new settings make \
            the secret easier to read, you are told; at a terminal you are asked. So you are if a former value was harder to read, \
            and you name no settings: any of your programs can replace a secret by one that requires nothing.

            --generate stores a random password: --policy letters-digits (32 characters), symbols (32), words (8 of Coffer's own list) or pin (6 \
            digits). It says about how many bits of strength the password has.

            With --require app-password, type a password for this secret, twice as well. If you forget it, the secret is lost.

            A secret can have up to 16 fields: the one named secret, and others such as otp, notes or pin. --field stores one of them and keeps \
            the others. Settings hold for all fields. --otp stores the seed of one-time passwords in the field otp; coffer otp prints them. A seed \
            that was stored as a secret of its own stays there. With a field, --new and --existing are about the field.

            Examples:
              coffer set github me --require presence
              coffer set db admin --generate=24 --label "Database" --expires 90d
              coffer set wifi home --generate --policy words --clip
              coffer set github me --otp
              coffer set github me --field pin
              coffer set github me --file-field codes.txt <codes.txt
              coffer set server notes --editor
              coffer set ssh key <id_ed25519
            """)

    @OptionGroup var item: ItemArguments
    @OptionGroup var field: FieldOptions
    @OptionGroup var access: AccessChangeOptions
    @OptionGroup var metadata: MetadataOptions
    @OptionGroup var prompt: PromptOptions
    @OptionGroup var vault: VaultOptions
    @OptionGroup var format: JSONOptions

    @OptionGroup var source: ValueOptions

    @Option(
        help: ArgumentHelp(
            "With --generate: put the password on the clipboard, too; written --clip[=<seconds>], 45 seconds by default.",
            valueName: "seconds"),
        transform: SecondsArgument.init(parsing:))
    var clip: SecondsArgument?

    @Flag(exclusivity: .exclusive)
    var mode: Mode?

    @Flag(name: .shortAndLong, help: "Do not ask before a secret is stored that is easier to read than one before.")
    var force = false

    @Flag(name: .shortAndLong, help: "Print only warnings and errors.")
    var quiet = false

    @Argument(help: .hidden)
    var further: [String] = []

    private var detachedLength: String? { ArgumentRewriter.detached("--generate", where: LengthArgument.isLength) }

    /// Arguments that can only be meant as the secret.
    private var surplus: [String] { further.filter { $0 != detachedLength } }

    enum Mode: String, EnumerableFlag {
        case new, existing

        static func help(for value: Mode) -> ArgumentHelp? {
            switch value {
            case .new: "Fail with status 10 if the secret, or its field, exists already."
            case .existing: "Fail with status 3 if the secret, or its field, does not exist yet."
            }
        }
    }

    /// The output of `--json`.
    private struct Record: Encodable {
        var item: ItemDescription
        /// Left out for the field secret.
        var field: String?
        /// When the replaced value had been set.
        var replaced: String?
        /// The strength of a generated password.
        var bits: Int?
    }

    func validate() throws {
        guard surplus.isEmpty else {
            throw ValidationError(
                "never pass a secret as an argument, because every program on this machine can read those; type it when asked, or pipe it in"
            )
        }
        guard clip == nil || source.generate != nil else { throw ValidationError("--clip goes with --generate") }
        guard source.fileField == nil || field.field == nil else {
            throw ValidationError("--file-field names the field, so --field does not go with it")
        }
        guard source.generate == nil || field.field != .otp else {
            throw ValidationError("a site gives the seed of the field otp, so --generate cannot make it")
        }
        // This may name an item. But a password of an unintended length would be noticed too late.
        if let detachedLength {
            throw ValidationError(
                "a length needs an equals sign before it: write --generate=\(detachedLength); an account named \(detachedLength) comes before --generate"
            )
        }
    }

    func run() throws {
        var session = CommandSession(vault, quiet: quiet)
        let offer = try RecoveryOffer.beforeFirstVault(session, vault, quiet: quiet || format.json || prompt.noPrompt)
        if offer != nil { session = session.quieted }
        let name = try item.name(session)
        let former = try formerItem(name, session)
        let target = SetTarget(name, try wantedField(of: former, name, session))
        try checkMode(target, former)
        let wanted = try access.applied(to: former?.access ?? .whenUnlocked)
        try checkBiometry(wanted, session)
        if let former {
            try checkWeakening(of: name, from: former.access, to: wanted)
            try checkHistory(of: name, wanted, session)
        }
        // Checked before anything is stored, because a missing clipboard can be noticed at once.
        let clipboard = try clip.map { _ in try Clipboard.find(session, orElse: "nothing was stored") }
        let recipe = try source.recipe()
        func store(_ value: [UInt8]) throws(KeychainError) -> SetOutcome {
            var new = NewItem(
                value: value, label: metadata.label, comment: metadata.comment,
                attributes: metadata.attributes(over: former?.attributes ?? [:]), expiry: metadata.expires?.expiry)
            new.partialAccess = access.change
            new.field = target.field
            new.fieldKind = kind(of: target.field)
            return try session.store(
                new, as: name, if: condition(target, former),
                needing: !wanted.requirements.contains(.applicationPassword)
                    ? nil : former?.hasFields(beside: target.field) == true ? .present : .new,
                noPrompt: prompt.noPrompt)
        }
        let reply: SetOutcome
        if recipe == nil, source.editor {
            reply = try edited(target, session, storing: store)
        } else {
            let value = try recipe?.password() ?? given(target)
            if recipe != nil { warnOfUnreadInput("--generate") }
            reply = try store(value)
            // Stored first: what is on the clipboard can then be read again.
            if let clip { try clipboard?.copy(value, for: clip.seconds) }
        }
        if format.json {
            try Output.line(
                JSONText.of(
                    Record(
                        item: ItemDescription(reply.attributes),
                        field: target.field == .secret ? nil : target.field.text,
                        replaced: reply.replaced.map { TimeText($0).iso8601 },
                        bits: recipe.map { Int($0.bits) })))
        } else if !quiet {
            report(reply, target, recipe)
        }
        warnOfSilence(reply, session)
        try offer?.make()
    }

    /// A secret that requires its person is sealed to each machine of a circle.
    private func warnOfSilence(_ reply: SetOutcome, _ session: CommandSession) {
        let access = reply.attributes.access
        guard !access.requirements.isEmpty, !access.isThisDeviceOnly, vault.words.isEmpty else { return }
        // `try?`: the secret is stored, and a locked vault does not tell.
        guard let state = try? Sharing.presentState(session), let warning = Silence.warning(state) else { return }
        Output.note(warning)
    }

    /// Stores a value that a person writes in their editor.
    private func edited(
        _ target: SetTarget, _ session: CommandSession,
        storing store: ([UInt8]) throws(KeychainError) -> SetOutcome
    ) throws -> SetOutcome {
        let editing = try EditedValue(session)
        warnOfUnreadInput("--editor")
        return try editing.edit([]) { value throws(KeychainError) in
            guard source.allowEmpty || !value.isEmpty else {
                throw KeychainError(
                    .failed, "the file is empty, so nothing was stored",
                    advice: "to store an empty secret, use --allow-empty")
            }
            return try store(checkedSeed(value, target))
        }
    }

    /// The value that a person types, or that is piped in.
    private func given(_ target: SetTarget) throws -> [UInt8] {
        let input = ValueInput(
            trim: source.trim || isSeed(target), allowsEmpty: source.allowEmpty, lastLine: source.lastLine,
            isFile: source.fileField != nil)
        let reading = try input.read(for: target.shown)
        if let warning = reading.warning { Output.note("coffer: warning: \(warning)") }
        return try checkedSeed(reading.value, target)
    }

    /// Whether the value is a seed. The field otp holds nothing else, because coffer otp takes it.
    private func isSeed(_ target: SetTarget) -> Bool { source.otp || target.field == .otp }

    /// The field that gets the value.
    private func wantedField(
        of former: ItemAttributes?, _ name: FullName, _ session: CommandSession
    ) throws(KeychainError) -> FieldName {
        if let named = source.fileField ?? field.field { return named }
        return source.otp ? SeedItem.field(forNewSeedOf: name, former, session) : .secret
    }

    /// nil: a present field keeps its kind, and a new one has the usual kind of its name.
    private func kind(of field: FieldName) -> FieldKind? {
        guard field != .secret else { return nil }
        return source.fileField != nil ? .file : source.otp ? .otp : nil
    }

    /// - Throws: ``KeychainError`` if `--new` or `--existing` rules out what the vault has. Nobody has typed anything then.
    private func checkMode(_ target: SetTarget, _ former: ItemAttributes?) throws(KeychainError) {
        let present = former?.field(target.field)
        if mode == .new, let former, let present {
            // Without other fields, the broker gives no time of the field's own.
            let set = former.hasNamedFields ? present.set : former.modified
            throw KeychainError(
                .alreadyExists, "\(target.shown) exists already, set \(TimeText(set).relative())",
                advice: "leave out --new to replace it")
        }
        if mode == .existing, present == nil {
            throw KeychainError(
                .notFound, "\(target.shown) does not exist", advice: "leave out --existing to store it")
        }
    }

    /// What must still hold when the value is stored.
    private func condition(_ target: SetTarget, _ former: ItemAttributes?) -> ItemChange.Condition {
        guard let mode else { return .none }
        guard let former else { return mode == .new ? .isAbsent : .isPresent }
        // The broker's own conditions are about items. Of an item with fields, the state that was looked at must be the present one.
        return target.field == .secret && !former.hasNamedFields
            ? (mode == .new ? .isAbsent : .isPresent) : .isUnchanged(since: former)
    }

    /// The seed as an address. Only by that can coffer otp tell it from a password later.
    private func checkedSeed(_ value: [UInt8], _ target: SetTarget) throws(KeychainError) -> [UInt8] {
        // A file is stored as it is, whatever its field is called.
        guard isSeed(target), source.fileField == nil else { return value }
        do throws(OneTimeSeed.Mistake) {
            return Array(
                try OneTimeSeed(reading: value).address(issuer: target.name.service, account: target.name.account).utf8)
        } catch {
            throw KeychainError(
                .failed, "that is no seed for one-time passwords: \(error.reason)",
                advice: "copy the otpauth:// address, or the letters and digits that the site shows")
        }
    }

    private func warnOfUnreadInput(_ option: String) {
        guard StandardInput.hasData else { return }
        Output.note("coffer: warning: \(option) does not read standard input; the piped input is not stored")
    }

    /// Looks the item up before anybody has to type, so that a wrong mode does not cost a typed secret.
    private func formerItem(_ name: FullName, _ session: CommandSession) throws -> ItemAttributes? {
        do throws(KeychainError) {
            return try session.client.call(ItemCall.attributes(of: name.partial))
        } catch {
            guard error.code == .notFound else { throw error }
            return nil
        }
    }

    /// Refuses an item that requires biometry if no finger can be asked for here, before anybody has to type. The broker judges
    /// other owners' vaults.
    private func checkBiometry(_ wanted: AccessControl, _ session: CommandSession) throws(KeychainError) {
        guard !wanted.requirements.isDisjoint(with: [.biometryAny, .biometryCurrentSet]), !wanted.anyIsEnough,
            vault.words.isEmpty
        else { return }
        // `try?`: if the authenticator cannot answer now, storing the item asks it again or fails.
        guard let answer = (try? session.client.biometry())?.answer, !answer.usable else { return }
        throw KeychainError(
            .invalidArgument,
            "an item that requires biometry could never be read here: \(answer.reason ?? "no reason is known")",
            advice: answer.advice ?? "")
    }

    /// Asks before a secret gets easier to read. Writing needs no authentication, so nothing else catches such a slip.
    private func checkWeakening(
        of name: FullName, from former: AccessControl, to wanted: AccessControl
    ) throws {
        guard let weakening = AccessWeakening(from: former, to: wanted) else { return }
        Output.note("coffer: warning: this makes \(name.shownName) easier to read: \(weakening.text)")
        try askToGoOn()
    }

    /// Asks before a secret is easier to read than a former value.
    private func checkHistory(
        of name: FullName, _ wanted: AccessControl, _ session: CommandSession
    ) throws {
        // Options that were given decide, not the former value.
        let former = try FormerWeakening.find(of: name, to: wanted, session, named: access.applied(to:))
        guard let former else { return }
        Output.note("coffer: warning: \(former.text(name.shownName)); to have that again, use \(former.remedy)")
        try askToGoOn()
    }

    private func askToGoOn() throws {
        guard !force, Confirmation.isPossible else { return }
        guard try Confirmation.isGiven("Go on? [y/N] ", orSkipWith: "-f") else {
            Output.note("Nothing was changed")
            throw ExitStatus.failure
        }
    }

    private func report(_ reply: SetOutcome, _ target: SetTarget, _ recipe: PasswordRecipe?) {
        let name = target.name
        let items = FieldOptions.words(target.field) + KindOptions.words(name.kind) + vault.words
        var done =
            reply.replaced.map { "Replaced \(target.shown) (set \(TimeText($0).relative()))" }
            ?? "Stored \(target.shown)"
        if let recipe { done += ": a new password of \(recipe.spoken)" }
        // Mentions a setting that was kept and that the command does not show.
        if reply.replaced != nil, metadata.expires == nil, let expires = reply.attributes.expires {
            done += "; it still expires \(TimeText(expires).relative())"
        }
        // A command is the last of its line, so that it can be copied.
        let place =
            clip.map { "it is on the clipboard for \($0.spoken)" }
            ?? "see it with: \(ShellText.command("get", name.service, name.account, items))"
        if reply.keepsFormer {
            done += "; bring the former value back with: "
            done += ShellText.command("restore", name.service, name.account, items)
            Output.note(VisibleText.sentence(done))
            if recipe != nil { Output.note(VisibleText.sentence(place.prefix(1).uppercased() + place.dropFirst())) }
        } else {
            Output.note(VisibleText.sentence(recipe == nil ? done : "\(done); \(place)"))
        }
    }
}

/// What a value is stored as: a field of an item.
private struct SetTarget {
    let name: FullName
    let field: FieldName

    init(_ name: FullName, _ field: FieldName) {
        self.name = name
        self.field = field
    }

    var shown: String { FieldText.shown(name.shownName, field) }
}
