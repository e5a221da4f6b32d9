import Coffer

/// `coffer edit --join`
struct JoinReport {
    /// nil for all items.
    let service: String?
    /// nil for all items of the service.
    let account: String?
    let vault: VaultOptions
    let reason: String?
    let noPrompt: Bool
    let isTrial: Bool
    let isQuiet: Bool

    func run() throws {
        let session = CommandSession(vault)
        let companions = try companions(session)
        var joining = Joining(
            session, noPrompt: noPrompt, reason: reason, isTrial: isTrial, command: ShellText.askingAgain)
        var failure: KeychainError?
        do throws(KeychainError) { try joining.run(companions) } catch { failure = error }
        let outcomes = joining.outcomes
        if !isTrial, outcomes.contains(where: \.isJoined) {
            failure = failure?.afterPart("what was joined stays; for the rest, run the command again")
        }
        for outcome in outcomes where !isQuiet || !outcome.isJoined { try Output.line(outcome.line) }
        if !isQuiet, failure == nil || !outcomes.isEmpty {
            Output.note(outcomes.isEmpty ? "Nothing to join" : JoinOutcome.summary(of: outcomes, isTrial: isTrial))
            if !isTrial, outcomes.contains(where: \.isJoined), let note = bin(session) { Output.note(note) }
        }
        if let failure { throw failure }
        guard outcomes.allSatisfy(\.isJoined) else { throw ExitStatus.failure }
    }

    /// What is joined without a name is hardly anything else. A person who gives a name knows what they have there.
    private func companions(_ session: CommandSession) throws(KeychainError) -> [Companion] {
        let all = Companion.all(of: try session.client.list(service: nil))
        guard let service else { return all.filter(\.isEvident) }
        let name = try session.partialName(service, account, nil)
        if let account = name.account {
            // An item that is not there is named in the usual way.
            _ = try session.finding(name) { () throws(KeychainError) in
                try session.client.call(ItemCall.attributes(of: name))
            }
            let wanted = ItemName(service: name.service, account: account)
            return all.filter { $0.target.name == wanted }
        }
        return all.filter { $0.target.service.utf8.elementsEqual(name.service.utf8) }
    }

    /// Where the former secrets are; nil if that is not known.
    private func bin(_ session: CommandSession) -> String? {
        // `try?`: without the setting, nothing is said about it.
        guard let days = (try? session.client.call(Keychain.Status()))?.history?.bin else { return nil }
        guard days > 0 else { return nil }
        return
            "The bin keeps the former secrets, with their former values, for \(days == 1 ? "a day" : "\(days) days"); list them with: "
            + ShellText.command(["coffer", "list", "--deleted"] + vault.words)
    }
}
