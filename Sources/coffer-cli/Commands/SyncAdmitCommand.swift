import ArgumentParser
import Coffer
import Platform

/// `coffer sync admit`
struct SyncAdmitCommand: SharingCommand {
    static let configuration = CommandConfiguration(
        commandName: "admit",
        abstract: "Let machines in that root has invited. Root only, for service vaults.",
        usage: "coffer sync admit [--once] --user <name>",
        discussion: """
            Looks for machines that have run coffer sync join --invitation, and adds each one that its invitation allows. Nobody is asked. It \
            ends when no invitation is open.

            With systemd you need not run it: coffer sync invite starts it as the system service coffer-admit@NAME. To see what it says:
              journalctl --unit coffer-admit@web
            """)

    @Flag(help: "Look once, and end.")
    var once = false

    @OptionGroup var shared: ServiceVaultOptions

    func validate() throws { try SyncInviteCommand.checkService(shared) }

    func share() throws {
        let session = CommandSession(shared.vault, quiet: true)
        let sharing = try Sharing.find(session, folder: nil, noPrompt: false)
        var (admission, told) = (GuestAdmission(session, sharing), ToldOnce())
        while try !admission.open().isEmpty {
            do {
                // What keeps the store away can end.
                if let failure = try sharing.folder.refresh() { throw failure }
                _ = try admission.look()
                _ = told.line(nil, working: "")
            } catch let failure as CommandFailure {
                guard !once, SharedFolder.isAway(failure) else { throw failure }
                let text = VisibleText.sentence("\(failure.message); \(failure.advice)")
                if let line = told.line("coffer: \(text)", working: "") { Output.note(line) }
            }
            if once { return }
            let pause = sharing.folder.isFar ? InvitationLimits.pause.far : InvitationLimits.pause.near
            // `try?`: what is not waited for is looked at sooner.
            _ = try? Readiness.wait(for: [], until: .now + pause)
        }
        Output.note("No invitation is open.")
    }
}
