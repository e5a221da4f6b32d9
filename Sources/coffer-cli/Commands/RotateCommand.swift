import ArgumentParser
import Coffer

/// `coffer rotate`
struct RotateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rotate", _superCommandName: "coffer",
        abstract: "Renew a secret's key, or all keys of the vault.",
        usage: "coffer rotate <service> [<account>] [options] | --all | --signing-key",
        discussion: """
            The secrets stay the same, and the same people can read them. Values that they had before are removed, because nothing stays under a \
            former key. Renewing the key of a secret with requirements prompts you, as reading \
            it does.

            --all renews every key, in the TPM too. After that, earlier copies of the vault's file open nothing, no matter what else somebody has. One \
            prompt names all secrets that require you; those with an application password ask for theirs. Secrets that are stored meanwhile are \
            kept. If it is interrupted, the vault is as it was, or renewed: run it again. Expired secrets are not carried over. Afterwards, make a new \
            recovery code. Machines that share your secrets are told the new keys.

            --signing-key, for root, renews the key with which the authenticator confirms that a person was there. Each vault takes up the new \
            key with its next rotate --all. The former key stays until no vault needs it.

            Examples:
              coffer rotate github me
              coffer rotate --all
            """)

    @Argument(help: ArgumentHelp("What the secret is for: a site, a program.", valueName: "service"))
    var service: String?

    @Argument(help: ArgumentHelp("The account there; may be left out if there is only one.", valueName: "account"))
    var account: String?

    @Flag(help: "Renew all keys of the vault.")
    var all = false

    @Flag(help: "Renew the authenticator's signing key (root).")
    var signingKey = false

    @OptionGroup var kind: KindOptions
    @OptionGroup var prompt: PromptOptions
    @OptionGroup var vault: VaultOptions

    @Flag(name: .shortAndLong, help: "Print only errors.")
    var quiet = false

    func validate() throws {
        if let service, all || signingKey {
            let name = ItemText.name(service: service, account: account)
            let flag = all ? "--all" : "--signing-key"
            throw ValidationError("\(flag) takes no name; leave out \(flag) to renew the key of \(name) alone")
        }
        guard !(all && signingKey) else { throw ValidationError("--all and --signing-key do not go together") }
        guard kind.kind == nil || service != nil else { throw ValidationError("--kind is for one secret") }
        guard [all, signingKey, service != nil].count(where: { $0 }) == 1 else {
            throw ValidationError("name a secret, or give --all to renew the keys of all of them")
        }
        if let service { try NameArgument.check(service: service) }
        if let account { try NameArgument.check(account: account) }
    }

    func run() throws {
        let session = CommandSession(vault)
        if signingKey { return try renewSigningKey(session) }
        if let service { try rotate(service, session) } else { try rotateAll(session) }
    }

    private func rotate(_ word: String, _ session: CommandSession) throws {
        let name = try session.partialName(word, account, kind.kind)
        let renewed = try session.finding(name) { () throws(KeychainError) in
            try session.call(
                ItemCall.rotate(name, ReadRequest()), for: name.shownName, noPrompt: prompt.noPrompt,
                choosingPassword: false,
                command: ShellText.command(
                    "rotate", name.service, name.account, KindOptions.words(name.kind) + vault.words))
        }
        guard !quiet else { return }
        Output.note("Renewed the key of \(renewed.shownName)")
    }

    private func renewSigningKey(_ session: CommandSession) throws {
        let former = try session.client.renewSigningKey()
        guard !quiet else { return }
        Output.note("Renewed the authenticator's signing key")
        guard former > 0 else { return }
        Output.note(
            former == 1
                ? "One vault uses a former key until its owner runs: coffer rotate --all"
                : "\(former) vaults use a former key until their owners run: coffer rotate --all")
    }

    private func rotateAll(_ session: CommandSession) throws {
        let command = ShellText.command(["coffer", "rotate", "--all"] + vault.words)
        let asking = try session.client.list(service: nil).count { !$0.access.requirements.isEmpty }
        // At most one prompt for each item, as names can be that long, one for unlocking, and one for items stored meanwhile.
        let prompts = asking + 2
        var reply = try session.rotateAll([:], prompts: prompts, noPrompt: prompt.noPrompt, command: command)
        var given: Set<String> = []
        // The broker asks for some passwords at a time. It asks for one twice only if that item was stored meanwhile.
        while reply.items == nil, !reply.passwords.isEmpty, given.isDisjoint(with: reply.passwords.map(\.id)) {
            given.formUnion(reply.passwords.map(\.id))
            var passwords: [String: [UInt8]] = [:]
            for item in reply.passwords {
                let input = session.passwordInput(for: item.shownName, noPrompt: prompt.noPrompt)
                passwords[item.id] = try input.present()
            }
            reply = try session.rotateAll(passwords, prompts: prompts, noPrompt: prompt.noPrompt, command: command)
        }
        guard let items = reply.items else {
            throw KeychainError(
                .failed, "secrets with an application password were stored meanwhile, so the keys were not renewed",
                advice: "run the command again")
        }
        if !reply.isRevoked {
            Output.note(
                "The TPM still holds the former keys; Coffer tries again to remove them whenever the vault is opened")
        }
        guard !quiet else { return }
        Output.note("Renewed all keys; \(items) secret\(items == 1 ? " was" : "s were") sealed anew")
        if vault.words.isEmpty, try Sharing.presentState(session).circle != nil {
            Output.note("The other machines are told by the next coffer sync now, or by the service")
        }
        // A group's vault and a service vault have no recovery code.
        guard vault.words.isEmpty, try session.client.call(Keychain.Status()).vault.service != true else { return }
        Output.note("An earlier recovery code opens only older copies; make a new one with: coffer recovery new")
    }
}
