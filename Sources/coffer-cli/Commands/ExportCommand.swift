import ArgumentParser
import Coffer
import FoundationEssentials
import Glibc
import HelperProtocol
import Import
import Platform

/// `coffer export`
struct ExportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export", _superCommandName: "coffer",
        abstract: "Export your secrets, encrypted in the age format.",
        usage: "coffer export (--to <recipient>… | --passphrase) [--output <file>] [options]",
        discussion: """
            The age program opens the file anywhere, without Coffer:  age --decrypt --identity key.txt export.age

            Coffer reads it with:  coffer import coffer export.age --identity key.txt

            Each line of the content is a secret in JSON, with its settings and all its fields. Secrets for this device only, secrets that need an \
            application password, secrets that have expired and secrets that only former fingers can open are left out and named. For guarded secrets you are asked once for up to 32. If they require \
            only your presence, coffer auth --for 5m lets you answer once for all.

            If one secret cannot be read, nothing is written. With --skip-unreadable, such secrets are left out and named with the reason, and \
            the command ends with status 1. Finding them may ask you more often.

            Nothing is written in the clear. Without --output, the file goes to standard output.

            Examples:
              coffer export --to age1… --output backup.age
              coffer export --passphrase --armor >backup.txt
            """)

    @Option(
        name: .customLong("to"),
        help: ArgumentHelp("Who can open it: a recipient of age. May be repeated.", valueName: "recipient"))
    var recipients: [String] = []

    @Flag(help: "Encrypt it with a passphrase, which you type.")
    var passphrase = false

    @Option(
        name: .shortAndLong, help: ArgumentHelp("Write this file; it must not exist yet.", valueName: "file"),
        completion: .file())
    var output: String?

    @Flag(help: "Write text instead of bytes.")
    var armor = false

    @Flag(help: "Leave out secrets that cannot be read, and export the others.")
    var skipUnreadable = false

    @OptionGroup var prompt: PromptOptions
    @OptionGroup var vault: VaultOptions

    func validate() throws {
        guard recipients.isEmpty == passphrase else {
            throw ValidationError("name recipients with --to, or give --passphrase")
        }
        if let output { try PathArgument.check(output) }
    }

    func run() throws {
        try checkOutput()
        let session = CommandSession(vault)
        try checkRecipients()
        let items = try session.client.list(service: nil)
        let now = Date()
        var left = items.compactMap { item in Self.obstacle(item, now).map { (item, $0) } }
        let portable = items.filter { Self.obstacle($0, now) == nil }
        guard !portable.isEmpty else { throw Self.nothing }
        let phrase = passphrase ? try session.newPassphrase("Passphrase for the export: ") : nil
        let unreadable = UnreadableItems()
        let found = try fields(of: portable, session, unreadable)
        let readable = portable.filter { unreadable.reasons[$0.id] == nil }
        let read = try Self.whole(readable, found.filter { unreadable.reasons[$0.item.id] == nil })
        let end = Date()
        left += portable.compactMap { item in unreadable.reasons[item.id].map { (item, VisibleText.sentence($0)) } }
        left += read.filter(\.fields.isEmpty).map { ($0.item, $0.item.isExpired(at: end) ? Self.expired : Self.lost) }
        let values = read.filter { !$0.fields.isEmpty }
        guard !values.isEmpty else {
            for (item, obstacle) in left where unreadable.reasons[item.id] != nil {
                Output.note("left out  \(item.shownName)  (\(obstacle))")
            }
            throw Self.nothing
        }
        let text = try Self.text(values)
        var helper = try AgeHelper.with(text)
        let answer = try helper.ask(
            AgeRequest(seal: .init(recipients: recipients, passphrase: phrase, armored: armor)))
        if let problem = answer.problem { throw KeychainError(.failed, problem, advice: "nothing was written") }
        try write(try helper.output(answer.count ?? 0))
        for (item, obstacle) in left { Output.note("left out  \(item.shownName)  (\(obstacle))") }
        Output.note(
            "Exported \(values.count) secret\(values.count == 1 ? "" : "s")"
                + (left.isEmpty ? "" : "; left out \(left.count)"))
        if !unreadable.reasons.isEmpty { throw ExitStatus.failure }
    }

    private static let expired = "expired"
    private static let lost = "the enrolled fingers changed since it was set, so nobody can read it"

    private static var nothing: KeychainError {
        KeychainError(.notFound, "there is no secret that an export can hold, so nothing was written")
    }

    /// Why an item stays here; nil for a portable one.
    private static func obstacle(_ item: ItemAttributes, _ now: Date) -> String? {
        if item.isExpired(at: now) { return expired }
        let access = item.access
        if access.isThisDeviceOnly { return "for this device only" }
        let takesPassword = access.requirements.contains(.applicationPassword) && !access.anyIsEnough
        return takesPassword ? "it takes an application password" : nil
    }

    /// What cannot be written is said before anybody is asked.
    private func checkOutput() throws {
        guard let output else {
            guard armor || !Output.isTerminal else {
                throw KeychainError(
                    .invalidArgument, "an export is not written to a terminal as bytes",
                    advice: "name a file with --output, or add --armor")
            }
            return
        }
        let shown = VisibleText.line(output)
        do {
            if try FileStatus.of(output) != nil { throw Self.exists(shown) }
            try DurableFile.checkFolder(of: output)
        } catch let error as SystemError {
            throw KeychainError(.failed, "\(shown) cannot be written: \(error.reason)", advice: "name another file")
        }
    }

    private static func exists(_ shown: String) -> KeychainError {
        KeychainError(
            .alreadyExists, "\(shown) cannot be written: it exists already", advice: "name a file that does not exist")
    }

    /// A mistyped recipient costs nobody a prompt.
    private func checkRecipients() throws {
        guard !recipients.isEmpty else { return }
        var helper = try AgeHelper.with([])
        let answer = try helper.ask(AgeRequest(seal: .init(recipients: recipients, passphrase: nil, armored: false)))
        if let problem = answer.problem { throw KeychainError(.invalidArgument, "--to cannot be used: \(problem)") }
    }

    /// Guarded items come together, so that the prompts are as few as can be.
    private func fields(
        of items: [ItemAttributes], _ session: CommandSession, _ unreadable: UnreadableItems
    ) throws(KeychainError) -> [ReadField] {
        let reading = JointReading(
            session: session, noPrompt: prompt.noPrompt, reason: "Export all secrets", purpose: "exporting",
            command: ShellText.askingAgain, leavesOutLost: true, unreadable: skipUnreadable ? unreadable : nil)
        let guarded = items.filter { !$0.access.requirements.isEmpty }
        // Those that require presence only come first. So coffer auth answers for whole requests, and the others are in as few as can be.
        let (first, others) = (guarded.filter(Self.takesPresence), guarded.filter { !Self.takesPresence($0) })
        let asking = FieldOfItem.all(of: first + others)
        tell(of: JointReading.requests(for: asking), for: guarded.count, presence: first.count)
        do throws(KeychainError) {
            return try reading.values(of: asking)
                + reading.values(of: FieldOfItem.all(of: items.filter(\.access.requirements.isEmpty)))
        } catch {
            guard !skipUnreadable, error.mayConcernOneItem else { throw error }
            let way = "to leave out what cannot be read, add: --skip-unreadable"
            let advice = error.advice.isEmpty ? way : "\(error.advice); \(way)"
            throw KeychainError(
                error.code, error.message, advice: advice, accounts: error.accounts, tpmCode: error.tpmCode,
                cause: error.cause)
        }
    }

    /// - Returns: each item with all of its fields, or with none if it has expired meanwhile or is lost.
    /// - Throws: `.changedMeanwhile` for an item of which only a part was read. Half of an item must not pass for the whole.
    private static func whole(
        _ items: [ItemAttributes], _ read: [ReadField]
    ) throws(KeychainError) -> [(item: ItemAttributes, fields: [ReadField])] {
        let fields = Dictionary(grouping: read, by: \.item.id)
        return try items.map { (listed) throws(KeychainError) in
            let found = fields[listed.id] ?? []
            guard let last = found.last else { return (listed, []) }
            guard Set(found.map(\.field)) == Set(last.item.fields.map(\.name)), last.item.access == listed.access else {
                throw KeychainError(
                    .changedMeanwhile, "\(listed.shownName) was changed meanwhile, so nothing was written",
                    advice: "run the command again")
            }
            return (last.item, found)
        }
    }

    private static func takesPresence(_ item: ItemAttributes) -> Bool { item.access.requirements == [.userPresence] }

    /// A person who is asked several times is told so before the first time.
    private func tell(of requests: Int, for guarded: Int, presence: Int) {
        guard requests > 1, !prompt.noPrompt else { return }
        let way =
            presence > 0 && TerminalPrompter.isPresent
            ? "; to answer once for all that require your presence, run first: coffer auth --for 5m" : ""
        Output.note(
            "coffer: \(guarded) guarded secrets need \(requests) requests of up to \(BatchLimits.reads), and each may ask you\(way)"
        )
    }

    private static func text(_ values: [(item: ItemAttributes, fields: [ReadField])]) throws -> [UInt8] {
        var text = try CofferExport.line(
            CofferExport.Head(
                created: TimeText(Date()).iso8601, hasFields: values.contains(where: \.item.hasNamedFields)))
        let names = values.sorted { ($0.item.service, $0.item.account) < ($1.item.service, $1.item.account) }
        for (item, fields) in names {
            text += try CofferExport.line(CofferExport.Line(item, fields))
            guard text.count <= ImportLimits.file else {
                throw KeychainError(
                    .limitExceeded,
                    "the secrets have more than \(ImportLimits.file >> 20) MiB, which an export cannot hold",
                    advice: "keep large files as protected files instead")
            }
        }
        return text + (try CofferExport.line(CofferExport.Tail(items: values.count)))
    }

    private func write(_ file: [UInt8]) throws {
        guard let output else { return try Output.bytes(file) }
        let shown = VisibleText.line(output)
        do throws(SystemError) { try DurableFile.create(file, at: output, mode: 0o600) } catch {
            // Somebody made the file while the person was asked.
            if error.errno == EEXIST { throw Self.exists(shown) }
            throw KeychainError(.failed, "\(shown) cannot be written: \(error.reason)", advice: "nothing was written")
        }
    }
}

extension CofferExport.Line {
    init(_ item: ItemAttributes, _ fields: [ReadField]) {
        let secret = fields.first { $0.field == .secret }
        self.init(
            service: item.service, account: item.account,
            access: .init(
                accessibility: item.access.accessibility.rawValue,
                require: item.access.requirements.inOrder.map(\.rawValue),
                any: item.access.anyIsEnough),
            value: secret.map { Data($0.value).base64EncodedString() })
        let others = fields.filter { $0.field != .secret }
        self.fields =
            others.isEmpty
            ? nil
            : others.map { found in
                CofferExport.Field(
                    name: found.field.text, kind: (item.field(found.field)?.kind ?? .secret).rawValue,
                    value: Data(found.value).base64EncodedString())
            }
        kind = item.kind == .genericPassword ? nil : item.kind.rawValue
        label = item.label
        comment = item.comment
        attributes = item.attributes.isEmpty ? nil : item.attributes
        created = item.created.milliseconds
        modified = item.modified.milliseconds
        expires = item.expires?.milliseconds
    }
}
