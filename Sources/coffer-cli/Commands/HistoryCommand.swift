import ArgumentParser
import BrokerProtocol
import Coffer

/// `coffer history`
struct HistoryCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "history", _superCommandName: "coffer",
        abstract: "List the values that a secret had before.",
        usage: "coffer history <service> [<account>] [--json] | [--keep <n>] [--days <n>] [--bin <n>]",
        discussion: """
            A value that set replaces is kept for a while: the last 3 of each secret, for 30 days, unless you choose otherwise. It can be read \
            with what reading it took then. Removing a secret for good (coffer rm --now), renewing its key and making it harder to read also \
            remove its former values. In the bin, a secret keeps them.

            Columns: VERSION SET ACCESS REQUIRES UNTIL, and FIELD if another field than the one named secret has a former value. On a terminal they are aligned. Otherwise tabs separate them, and times are in ISO 8601.

            Without a name: shows what the vault keeps, or changes it with --keep, --days and --bin. What is too much then is gone at once.

            Examples:
              coffer history github me
              coffer get github me --former 3
              coffer restore github me
              coffer history --keep 0
            """)

    @Argument(help: ArgumentHelp("What the secret is for: a site, a program.", valueName: "service"))
    var service: String?

    @Argument(help: ArgumentHelp("The account there; may be left out if there is only one.", valueName: "account"))
    var account: String?

    @Option(help: ArgumentHelp("Keep so many former values of each secret, 0 to 10. 0: none.", valueName: "n"))
    var keep: Int64?

    @Option(help: ArgumentHelp("Keep them for so many days, 0 to 366. 0: none.", valueName: "n"))
    var days: Int64?

    @Option(help: ArgumentHelp("Keep removed secrets in the bin for so many days, 0 to 366. 0: none.", valueName: "n"))
    var bin: Int64?

    @OptionGroup var kind: KindOptions
    @OptionGroup var vault: VaultOptions
    @OptionGroup var format: JSONOptions

    func validate() throws {
        if let service {
            try NameArgument.check(service: service)
            guard keep == nil, days == nil, bin == nil else {
                throw ValidationError("--keep, --days and --bin are for the whole vault, so they take no name")
            }
        }
        if let account { try NameArgument.check(account: account) }
    }

    /// A former value in the output of `--json`.
    private struct Record: Encodable {
        var version: Int
        /// Left out for the field secret.
        var field: String?
        var set: String
        var access: AccessControl
        var until: String
    }

    private struct Setting: Encodable {
        var keep: Int64
        var days: Int64
        var bin: Int64?
    }

    func run() throws {
        let session = CommandSession(vault)
        guard let word = service else { return try showSetting(session) }
        let name = try session.partialName(word, account, kind.kind)
        let found = try session.finding(name) { () throws(KeychainError) in
            try session.client.call(ItemCall.history(of: name))
        }
        if format.json {
            try Output.line(
                JSONText.of(
                    found.versions.map {
                        Record(
                            version: $0.version, field: $0.field == .secret ? nil : $0.field.text,
                            set: TimeText($0.set).iso8601, access: $0.access,
                            until: TimeText($0.keptUntil).iso8601)
                    }))
        } else if found.versions.isEmpty, Output.isTerminal {
            Output.note("\(found.item.shownName) has no former values")
        } else {
            try Output.line(
                FormerTable.lines(found.versions, aligned: Output.isTerminal, width: Output.columns).joined(
                    separator: "\n"))
        }
    }

    /// What the status has.
    /// - Throws: `.notFound` if there is no vault yet.
    private func knownSetting(_ session: CommandSession) throws(KeychainError) -> Keychain.HistorySetting? {
        let status = try session.client.call(Keychain.Status())
        guard status.vault.state != .none else {
            throw KeychainError(.notFound, "there is no vault yet", advice: "begin with: coffer set SERVICE ACCOUNT")
        }
        return status.history
    }

    private func showSetting(_ session: CommandSession) throws {
        let setting: Keychain.HistorySetting
        if keep != nil || days != nil || bin != nil {
            setting = try session.client.call(Keychain.SetHistory(values: keep, days: days, bin: bin)).history
        } else if let known = try knownSetting(session) {
            setting = known
        } else {
            // Nothing is changed; this opens the file, which the status does not do.
            setting = try session.client.call(Keychain.SetHistory()).history
        }
        if format.json {
            try Output.line(JSONText.of(Setting(keep: setting.values, days: setting.days, bin: setting.bin)))
            return
        }
        if setting.values == 0 || setting.days == 0 {
            try Output.line("Former values are not kept")
        } else {
            let values = setting.values == 1 ? "The former value" : "The last \(setting.values) former values"
            let days = setting.days == 1 ? "a day" : "\(setting.days) days"
            try Output.line("\(values) of each secret \(setting.values == 1 ? "is" : "are") kept, for \(days)")
        }
        guard let bin = setting.bin else { return }
        let days = bin == 1 ? "a day" : "\(bin) days"
        try Output.line(bin == 0 ? "Removed secrets are not kept" : "Removed secrets are kept for \(days)")
    }
}
