import ArgumentParser
import BrokerProtocol
import Coffer

/// `coffer sync status`
struct SyncStatusCommand: SharingCommand {
    static let configuration = CommandConfiguration(
        commandName: "status",
        abstract: "Show the machines that share your secrets, and what waits.",
        usage: "coffer sync status [--json] [--user <name>]",
        discussion: """
            Asks nothing. To see which secrets are not shared: coffer sync now

            If this machine was removed, it says so, and ends with status 6.
            """)

    @OptionGroup var shared: ServiceVaultOptions
    @OptionGroup var format: JSONOptions

    func share() throws {
        let session = CommandSession(shared.vault)
        let state = try Sharing.presentState(session)
        var (content, words): (SharingSetting.Content?, String) = (nil, "")
        if state.circle != nil {
            do throws(KeychainError) {
                content = try SharingSetting(of: Sharing.name(of: state), session).content(asks: false)
                words =
                    content.map(SharingText.folder)
                    ?? "not known here; name it with: coffer sync now --folder FOLDER"
            } catch {
                guard error.code == .locked else { throw error }
                words = "shown once the vault is open: coffer unlock"
            }
        }
        let isUnpushed = content.map { self.isUnpushed($0, session) } ?? false
        let isBehind = content.flatMap { self.isBehind($0, state, session) }
        try Output.line(
            format.json
                ? JSONText.of(SharingRecord(state, content, isUnpushed: isUnpushed, isBehind: isBehind))
                : shared.naming(
                    SharingText.status(
                        state, folder: words, isUnpushed: isUnpushed, isBehind: isBehind ?? false,
                        unreleased: unreleased(session, state), takesPaper: shared.vault == nil, width: Output.columns
                    ).joined(separator: "\n")))
        if state.circle != nil, !state.joined { throw ExitStatus.notPermitted }
    }

    /// - Returns: nil if only an unlocked vault can tell.
    private func unreleased(
        _ session: CommandSession, _ state: Sync.State.Reply
    ) throws(KeychainError) -> Int? {
        guard let paper = state.paper, state.joined else { return nil }
        do throws(KeychainError) { return try PaperMaking.unreleased(paper.device, session) } catch {
            guard error.code == .locked else { throw error }
            return nil
        }
    }

    /// - Returns: nil if that is not known without a network, or while the folder cannot be read.
    private func isBehind(
        _ content: SharingSetting.Content, _ state: Sync.State.Reply, _ session: CommandSession
    ) -> Bool? {
        guard content.remote == nil, state.joined else { return nil }
        // `try?`: `coffer sync now` and `coffer doctor` say what is wrong with a folder.
        return try? OwnHead.isMissing(
            in: StoreOpening(session: session).known(content, asks: false), of: Sharing.name(of: state), state)
    }

    /// Whether changes of this machine are in its repository, and not in the remote one.
    private func isUnpushed(_ content: SharingSetting.Content, _ session: CommandSession) -> Bool {
        guard content.branch != nil else { return false }
        // `try?`: `coffer sync now` and `coffer doctor` say what is wrong with a repository.
        return (try? StoreOpening(session: session).known(content, asks: false).isUnpublished) ?? false
    }
}
