import ArgumentParser
import Authorization
import BrokerProtocol
import Circle
import Coffer
import Courier
import Platform

/// `coffer sync leave`
struct SyncLeaveCommand: SharingCommand {
    static let configuration = CommandConfiguration(
        commandName: "leave",
        abstract: "End sharing on this machine.",
        usage: "coffer sync leave [--folder <folder>] [--quiet] [--user <name>]",
        discussion: """
            You are asked for your password. The other machines go on without this one. The secrets stay here, and later \
            changes stay on their machine.

            If another machine has removed this one, or if a code of coffer sync join still waits, nobody is asked. To share again: coffer sync \
            join FOLDER

            While a code still waits, name the folder: coffer sync leave --folder FOLDER. Then its request is taken out of the folder, and nobody \
            can add this machine with the code.
            """)

    @Option(
        help: ArgumentHelp("The folder that your machines share, if it is another one now.", valueName: "folder"),
        completion: .directory)
    var folder: String?

    @Flag(name: .shortAndLong, help: "Print only warnings and errors.")
    var quiet = false

    @OptionGroup var shared: ServiceVaultOptions
    @OptionGroup var prompt: PromptOptions

    func validate() throws { try SyncCommand.checkFolder(folder) }

    func share() throws {
        let session = CommandSession(shared.vault, quiet: quiet)
        let state = try Sharing.openedState(session, noPrompt: prompt.noPrompt)
        guard state.circle != nil else {
            guard state.requested else { throw Sharing.notShared(isRequested: false) }
            try session.openVault(noPrompt: prompt.noPrompt)
            let isTaken = try takeRequestAway(session)
            _ = try session.client.call(Sync.Forget())
            if !quiet {
                Output.note(
                    isTaken
                        ? "The code to join others is forgotten. They cannot add this machine with it."
                        : "The code to join others is forgotten here. Its request still lies in the folder: do not "
                            + "type the code on another machine, because that would add one that never comes.")
            }
            return
        }
        let setting = SharingSetting(of: try Sharing.name(of: state), session)
        if state.joined { try removeItself(session, setting) } else { try finish(session, state, setting) }
        _ = try session.client.call(Sync.Forget())
        if try !SharingUnit.isForAnother(session) { SharingUnit.stop(for: shared.user) }
        if !quiet { Output.note("The secrets stay on this machine, and are no longer shared.") }
        do throws(KeychainError) {
            // A damaged item names no server. Its credentials stay then.
            if let remote = try? setting.content(asks: false)?.remote { try StoreKeys(for: remote, session).remove() }
            try setting.remove()
        } catch {
            // Nothing uses it now.
            Output.note(
                "coffer: warning: the item \(SharingSetting.service), which names the folder, is still there: "
                    + VisibleText.sentence(error.description))
        }
    }

    /// Takes the request out of the folder that the person names. The vault knows none before it has joined.
    /// - Returns: whether a folder was named.
    private func takeRequestAway(_ session: CommandSession) throws -> Bool {
        guard let folder else { return false }
        let place = try StoreOpening(session: session).folder(folder, .itself, isNamed: true)
        // The request that waits has a name already.
        let reply = try session.client.call(Sync.Request(name: SyncCommand.hostName().text))
        for path in try JoiningFiles(reply).all { place.remove(path) }
        return true
    }

    private func removeItself(_ session: CommandSession, _ setting: SharingSetting) throws {
        let sharing = try Sharing.find(session, folder: folder, noPrompt: prompt.noPrompt)
        do { try sharing.exchangeBeforeRemoval() } catch {
            // Another machine has removed this one meanwhile.
            guard try Sharing.presentState(session).joined else { return }
            throw error
        }
        let state = try Sharing.presentState(session)
        guard state.joined else { return }
        guard let own = try Sharing.own(of: state.machines) else {
            throw Sharing.misunderstood("this machine shares, and is not among those that do")
        }
        // Before the removal: a command that ends in between finds it the next time.
        try setting.store(sharing.folder.setting(leaving: own))
        _ = try session.call(
            Sync.Remove(devices: [Hex.encode(own.bytes)]), for: "ending sharing here", noPrompt: prompt.noPrompt,
            command: "coffer sync leave")
        try tellOthers(own, sharing)
    }

    /// This machine is no member. It may have removed itself without the others knowing.
    private func finish(_ session: CommandSession, _ state: Sync.State.Reply, _ setting: SharingSetting) throws {
        try session.openVault(noPrompt: prompt.noPrompt)
        guard let known = try known(setting), let own = known.leaving else { return }
        try tellOthers(
            own,
            Sharing(
                session: session, circle: Sharing.name(of: state),
                folder: folder.map { try StoreOpening(session: session).folder($0, .itself, isNamed: true) }
                    ?? StoreOpening(session: session, noPrompt: prompt.noPrompt).known(known, asks: true)))
    }

    /// - Returns: nil also if the item is damaged: the machine cannot stay for that.
    private func known(_ setting: SharingSetting) throws(KeychainError) -> SharingSetting.Content? {
        do throws(KeychainError) { return try setting.content(asks: true, noPrompt: prompt.noPrompt) } catch {
            guard error.code == .damaged else { throw error }
            return nil
        }
    }

    /// Writes the removal to the folder. Only after that is it forgotten here, because nobody else has it.
    private func tellOthers(_ own: WriterID, _ sharing: @autoclosure () throws -> Sharing) throws {
        do { try warn(sharing().exchange(leaving: own)) } catch {
            Output.note(
                shared.naming(
                    "The other machines do not know yet that this one leaves. Once the error is mended, run again: "
                        + "coffer sync leave; if the folder is gone: coffer sync leave --folder FOLDER"))
            throw error
        }
    }

    private func warn(_ outcome: ExchangeOutcome) {
        for line in SharingText.warnings(outcome) { Output.note(line) }
    }
}
