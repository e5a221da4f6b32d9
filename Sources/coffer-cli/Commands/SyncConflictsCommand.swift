import ArgumentParser
import BrokerProtocol
import Coffer
import Platform

/// `coffer sync conflicts`
struct SyncConflictsCommand: SharingCommand {
    static let configuration = CommandConfiguration(
        commandName: "conflicts",
        abstract: "Show what several machines have changed at the same time.",
        usage: "coffer sync conflicts [<service> [<account>]] [--values] [--json] [--user <name>]",
        discussion: """
            If two machines change the same part of a secret without hearing of each other, all of them show the later change, and keep the \
            other one. This lists both, and of a secret each machine's: first the one that is shown. Equal changes are no conflict.

            Columns: SECRET PART MACHINE CHANGED STATE TEXT. The part is the name of a field, or (name), (label), (comment), (expiry), or an \
            attribute. The text is what the part says there, unless that is a secret. On a terminal the columns are aligned. Otherwise tabs \
            separate them, and times are in ISO 8601.

            --values also prints the secret's values. Reading them is guarded and logged like coffer get.

            To decide: coffer sync resolve. Setting the secret anew ends the conflict, too.

            Examples:
              coffer sync conflicts
              coffer sync conflicts github me --values
            """)

    @Argument(help: ItemReference.serviceHelp)
    var service: String?

    @Argument(help: ItemReference.accountHelp)
    var account: String?

    @OptionGroup var kind: KindOptions

    @Flag(help: "Print the values, too. Name the secret for it.")
    var values = false

    @Flag(
        help:
            "On a terminal, show even what the terminal would obey: control characters, bytes that are not text."
    )
    var raw = false

    @OptionGroup var why: ReasonOptions
    @OptionGroup var shared: ServiceVaultOptions
    @OptionGroup var prompt: PromptOptions
    @OptionGroup var format: JSONOptions

    func validate() throws {
        if let service { try ItemReference.check(service, account) }
        guard service != nil || !values else { throw ValidationError("--values is for one secret: name it") }
    }

    func share() throws {
        let session = CommandSession(shared.vault)
        _ = try Sharing.state(session, noPrompt: prompt.noPrompt)
        try session.openVault(noPrompt: prompt.noPrompt)
        var item: ItemAttributes?
        if let service {
            let name = try session.partialName(service, account, kind.kind)
            item = try session.finding(name) { () throws(KeychainError) in
                try session.client.call(ItemCall.attributes(of: name))
            }
        }
        let conflicts = try ConflictList(session, of: item?.id).conflicts
        var values: [String: [UInt8]] = [:]
        if self.values { for conflict in conflicts { try read(conflict, into: &values, session) } }
        if format.json {
            return try Output.line(JSONText.of(conflicts.map { ConflictRecord($0, values) }))
        }
        guard !conflicts.isEmpty else {
            if Output.isTerminal { Output.note(item.map { "\($0.shownName) is in no conflict" } ?? "No conflicts") }
            return
        }
        try Output.line(
            ConflictTable.lines(conflicts, aligned: Output.isTerminal, width: Output.columns).joined(separator: "\n"))
        for conflict in conflicts where conflict.part == "field" { try show(conflict, values) }
    }

    /// Reads the values of a field. Of equal ones, the first is enough.
    private func read(
        _ conflict: Sync.Conflict, into values: inout [String: [UInt8]], _ session: CommandSession
    ) throws(KeychainError) {
        guard conflict.part == "field", let field = conflict.name.flatMap({ FieldName($0) }) else { return }
        let name = PartialName(
            service: conflict.service, account: conflict.account, kind: kind.kind, field: field)
        for revision in conflict.revisions where revision.same == nil && !revision.unreadable {
            var call = ItemCall.read(name, ReadRequest(reason: why.reason, mayUnlock: false))
            call.method.revision = revision.id
            values[revision.id] = try session.call(
                call, for: name.shownField, noPrompt: prompt.noPrompt,
                command: ShellText.command(["coffer", "sync", "conflicts", conflict.service, conflict.account])
            ).value
        }
    }

    private func show(_ conflict: Sync.Conflict, _ values: [String: [UInt8]]) throws {
        let machines = RevisionChoice(revisions: conflict.revisions).shown
        for (revision, machine) in zip(conflict.revisions, machines) {
            guard let value = values[revision.id] else { continue }
            let label = "\(ConflictPart(conflict)?.shown ?? "") of \(machine)"
            try Output.bytes(
                ReadFields.text(
                    of: value, after: label, raw: raw, onTerminal: Output.isTerminal, wayOut: "read it with --json"))
        }
    }
}
