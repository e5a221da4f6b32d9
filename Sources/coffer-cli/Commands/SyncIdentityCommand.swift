import ArgumentParser
import BrokerProtocol
import Coffer

/// `coffer sync identity`
struct SyncIdentityCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "identity",
        abstract: "Print by what other machines can know this machine's TPM.",
        usage: "coffer sync identity",
        discussion: """
            The line is for the file /etc/coffer/machines of a machine that adds this one with coffer sync add --attested. Bring it there by a \
            way that you trust: who can change it on the way decides which machine is added.

            It names the key that the TPM's maker put into it, and this machine. It is no secret.
            """)

    func run() throws {
        let session = CommandSession()
        let reply = try session.client.call(Sync.Identity())
        try Output.line("\(VisibleText.line(reply.name)) \(SyncCommand.hostName().text)")
    }
}
