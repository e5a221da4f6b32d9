import ArgumentParser
import Circle
import FoundationEssentials

/// `coffer sync`
struct SyncCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sync",
        abstract: "Share your vault's secrets with your other machines.",
        usage:
            "coffer sync init | join | add | invite | admit | now | watch | wait | status | conflicts | resolve | release | remove | exposed | leave | paper | restore | identity | store",
        discussion: """
            Your machines share secrets through a folder that all of them can use: of Syncthing, on a network, or on a stick. It can also be a \
            bucket that speaks S3, or a folder of a WebDAV server such as Nextcloud: coffer help sync init. What lies there is sealed and \
            signed. Nobody who has it can read your secrets, change them, or add a machine.

            Secrets that require you ask you on each machine. Those for one device only stay on their machine. Sharing needs no network of \
            Coffer's own.

            On the first machine:
              coffer sync init ~/Sync/coffer

            On each further one; it shows a code:
              coffer sync join ~/Sync/coffer

            Meanwhile on a machine that shares already; it asks for that code:
              coffer sync add

            From then on changes travel by themselves where systemd runs: coffer help sync watch. To have it done at once:
              coffer sync now

            For secrets that require you, once more machines have joined:
              coffer sync release

            If two machines have changed the same thing, nothing is lost:
              coffer sync conflicts

            Once a machine was lost or given away, on another one:
              coffer sync remove MACHINE
              coffer sync exposed MACHINE

            If all machines are lost at once, a code on paper and the folder bring everything back:
              coffer sync paper
              coffer sync restore FOLDER
            """,
        subcommands: [
            SyncInitCommand.self, SyncJoinCommand.self, SyncAddCommand.self, SyncInviteCommand.self,
            SyncAdmitCommand.self,
            SyncNowCommand.self,
            SyncWatchCommand.self, SyncWaitCommand.self, SyncStatusCommand.self, SyncConflictsCommand.self,
            SyncResolveCommand.self, SyncReleaseCommand.self, SyncRemoveCommand.self,
            SyncExposedCommand.self, SyncLeaveCommand.self, SyncPaperCommand.self, SyncRestoreCommand.self,
            SyncIdentityCommand.self,
            SyncStoreCommand.self,
        ])

    /// What a machine is called.
    static func name(_ text: String) throws -> MachineName {
        guard let name = MachineName(text) else {
            throw ValidationError(
                "a machine's name has 1 to \(CircleLimits.name) of A-Z a-z 0-9 . _ - and begins with a letter or digit")
        }
        guard text.lowercased() != paper else {
            throw ValidationError("a machine cannot be called \(paper), because the code on paper is")
        }
        return name
    }

    /// What the code on paper is called where machines are named.
    private static let paper = "paper"

    /// The host's name without its domain, made fit.
    static func hostName(_ host: String = ProcessInfo.processInfo.hostName) -> MachineName {
        let name = MachineName(near: String(host.prefix { $0 != "." }))
        return name.text.lowercased() == paper ? MachineName(near: "\(name.text)-1") : name
    }

    /// - Parameter isPlace: whether it may also be a server.
    static func checkFolder(_ folder: String?, isPlace: Bool = false) throws {
        guard let folder else { return }
        guard isPlace || !SharedPlace.isRemote(folder) else {
            throw ValidationError("--folder takes a folder; name a server with: coffer sync store set")
        }
        guard !folder.isEmpty, !folder.utf8.contains(0) else { throw ValidationError("the folder must not be empty") }
        try PathArgument.check(folder, "folder's name")
    }
}
