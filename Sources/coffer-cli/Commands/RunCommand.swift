import ArgumentParser
import BrokerProtocol
import Coffer
import Glibc
import Platform

/// `coffer run`
struct RunCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run", _superCommandName: "coffer",
        abstract: "Run a program with secrets.",
        usage:
            "coffer run [--env <name>=<reference>] … [--file <name>=<reference>] … [--env-file <file>] [--mask] [--lease <time> --items <list>] -- <command> …",
        discussion: """
            The program gets the secrets that you name in environment variables or in files, and takes this command's place. All secrets are read \
            with one prompt, or nothing is started. A reference is coffer://SERVICE/ACCOUNT, or coffer://SERVICE/ACCOUNT/FIELD for a field.

            Prefer --file: programs print their environment into logs and crash reports, and hand it to every program that they start. A file is \
            in memory, has no name and cannot be changed. The variable holds its path.

            In an environment variable, a newline at a secret's end is dropped. Files have all bytes. A file of variables has NAME=VALUE lines; \
            values that are references are resolved.

            With --mask, the program writes to this command, which replaces each secret in its output by [masked]. The program then sees pipes \
            and not the terminal.

            With --lease, you are asked once. For the given time, the command and every program that it starts read the named items without a \
            prompt: by coffer get, by the library, by git. Nobody else does, and other items ask as always. This is for build scripts and coding \
            agents. It ends when the time is over, when the command ends, when the vault locks, and with coffer forget. coffer status lists leases.

            Examples:
              coffer run --env PGPASSWORD=coffer://db/admin -- psql -h db -U admin
              coffer run --file KEY=coffer://deploy/key -- sh -c 'ssh-add -t 10m "$KEY"'
              coffer run --env-file app.env --mask -- make deploy
              coffer run --lease 10m --items ci/deploy,ci/sign -- make release

            The exit status is the program's. If it was not started: 127 if there is no such command, 126 if it cannot be run, otherwise as \
            for every coffer command.
            """)

    @Option(
        help: ArgumentHelp(
            "Set a variable to a secret. The name alone takes the reference that the variable holds now. Repeat for more.",
            valueName: "name=reference"))
    var env: [String] = []

    @Option(
        help: ArgumentHelp(
            "Put a secret into a file in memory, and set a variable to its path. Repeat for more.",
            valueName: "name=reference"))
    var file: [String] = []

    @Option(
        help: ArgumentHelp(
            "Set the variables of this file. --env and --file go before it. Repeat for more; a later one goes before an earlier one.",
            valueName: "file"), completion: .file())
    var envFile: [String] = []

    @Flag(help: "Replace the secrets in the program's output by [masked].")
    var mask = false

    @Option(
        help: ArgumentHelp(
            "Why the secrets are read; shown in the prompt and kept in the log. By default it names the command.",
            valueName: "text"))
    var reason: String?

    @Option(
        help: ArgumentHelp(
            "Ask once, and let the command and what it starts read the items again without a prompt for so long: 10m, 1h.",
            valueName: "time"),
        transform: LeaseTimeArgument.init(parsing:))
    var lease: LeaseTimeArgument?

    @Option(
        help: ArgumentHelp(
            "The items of the lease, separated by commas: SERVICE/ACCOUNT,SERVICE,SERVICE/ACCOUNT/FIELD. Write a comma or slash within a name as in a reference (%2C, %2F).",
            valueName: "list"),
        transform: LeaseItemsArgument.init(parsing:))
    var items: LeaseItemsArgument?

    @OptionGroup var prompt: PromptOptions
    @OptionGroup var vault: VaultOptions

    @Flag(help: "Print coffer's own errors as JSON.")
    var json = false

    @Argument(
        parsing: .postTerminator,
        help: ArgumentHelp("The program to run, and its arguments.", valueName: "command"),
        completion: .file())
    var command: [String] = []

    /// Without `--`, the parser would read the program's options as coffer's own.
    static func mistake(in arguments: [String]) -> ValidationError? {
        guard arguments.first == configuration.commandName,
            !arguments.contains(where: { ["--", "--help", "-h"].contains($0) })
        else { return nil }
        return ValidationError("put -- before the command, as in: coffer run --env NAME=coffer://… -- make deploy")
    }

    func validate() throws {
        guard !command.isEmpty else {
            throw ValidationError("give a command after --, as in: coffer run --env NAME=coffer://… -- make deploy")
        }
        for one in env + file { _ = try SecretAssignment(parsing: one) }
        for path in envFile { try PathArgument.check(path) }
        guard (lease == nil) == (items == nil) else {
            throw ValidationError(
                lease == nil
                    ? "--items goes with --lease, as in: coffer run --lease 10m --items db/admin -- make deploy"
                    : "name the items of the lease, as in: coffer run --lease 10m --items db/admin -- make deploy")
        }
        if let reason { try NameArgument.check(reason, "reason", limit: ItemLimits.reason) }
    }

    func run(restoring inheritance: ProcessInheritance) throws {
        let present = PresentEnvironment()
        if lease != nil { try checkTwice() }
        let plan = try plan(present)
        let program = try CommandSearch.find(command[0], path: CommandSession(vault).variable("PATH"))
        if let lease, let items, try hasLease(lease, items) {
            // This process has the lease, so it stays. The command is its child, and resolves its references under the lease.
            do throws(SystemError) {
                try AttendedRun.run(
                    LeaseWords.without(RawWords.arguments()), restoring: inheritance)
            } catch { throw Self.failure(error) }
        }
        warn(of: present.namesOfReferences(except: plan.names))
        let secrets = try secrets(plan)
        let (environment, files) = try plan.entries(secrets)
        let image = ProgramImage(
            program, arguments: RawWords.argumentsAfterTerminator() ?? [],
            environment: present.without(plan.names.union(Self.ownVariables)) + environment, files: files)
        let mask = mask ? OutputMask(SecretMatcher(try SecretStrings.of(secrets.values))) : nil
        do {
            guard let mask else { try image.replaceThisProcess(restoring: inheritance) }
            let (end, unwritten) = try image.relay(restoring: inheritance, output: mask, errors: mask)
            if let unwritten { try tell(unwritten, end) }
            end.repeatHere()
        } catch let error as SystemError {
            throw Self.failure(error)
        }
    }

    /// With a lease, this process and its child both read the files of variables. The child would find a pipe empty, and start
    /// the command without its variables.
    private func checkTwice() throws(KeychainError) {
        for path in envFile {
            let status: FileStatus?
            do throws(SystemError) { status = try FileStatus.following(path) } catch { continue }
            guard let status, !status.isRegular else { continue }
            throw KeychainError(
                .invalidArgument, "\(VisibleText.quoted(path)) is no regular file, and --lease reads it twice",
                advice: "write the variables into a file, or leave out --lease")
        }
    }

    /// A log that is cut short must not pass for a whole one. The program's own failure keeps its status.
    private func tell(_ unwritten: SystemError, _ end: ProgramEnd) throws(CommandFailure) {
        let message = "the program's output could not all be written: \(unwritten.reason)"
        guard end != .exited(0) else {
            throw CommandFailure(
                code: "failed", message: message, advice: "make room where it goes, and run it again", status: .failure)
        }
        Output.note("coffer: \(message)")
    }

    /// - Returns: whether there is a lease. There is none if no item requires a person.
    private func hasLease(_ time: LeaseTimeArgument, _ items: LeaseItemsArgument) throws(KeychainError) -> Bool {
        let session = CommandSession(vault)
        let method = Keychain.Lease(
            items: items.names.map(\.wire), seconds: Int64(time.seconds), command: Self.shownProgram(command[0]),
            reason: reason)
        let state = try session.client.call(Keychain.Status()).vault.state
        if state == .locked || state == .sealed, session.mayAsk(noPrompt: prompt.noPrompt) {
            // Opening the vault is a question of its own, so that no yes to it means more.
            _ = try session.call(
                Keychain.Unlock(), for: "unlocking", noPrompt: prompt.noPrompt, command: session.unlockCommand)
        }
        let lease = try session.call(
            method, for: "the lease", noPrompt: prompt.noPrompt, command: "coffer run …"
        ).lease
        if lease == nil, !json { Output.note("coffer: none of these items asks, so no lease is needed") }
        return lease != nil
    }

    /// What coffer tells the programs that ask for it, and nobody else.
    private static let ownVariables: Set<String> = ["COFFER_ASKPASS_PROMPT"]

    private func plan(_ present: PresentEnvironment) throws -> RunPlan {
        var plan = RunPlan()
        // Not read by the parser, which repeats in its message what it cannot read: perhaps a secret.
        let (env, file) = (try env.map(SecretAssignment.init), try file.map(SecretAssignment.init))
        for path in envFile {
            for (name, source) in try VariableFile.read(path) { plan.setByFile(name, to: source) }
        }
        for one in env { try plan.set(one.name, to: .secret(try present.reference(of: one))) }
        for one in file { try plan.set(one.name, to: .file(try present.reference(of: one))) }
        return plan
    }

    private func secrets(_ plan: RunPlan) throws(KeychainError) -> [SecretReference: ReferenceResolver.Secret] {
        let resolver = ReferenceResolver(
            vault: vault, reason: reason ?? "to run \(Self.shownProgram(command[0]))", noPrompt: prompt.noPrompt,
            command: "coffer run …", tells: !json)
        return try resolver.resolve(plan.references)
    }

    /// Only the last part of the program's path: a reason is kept in the log, and arguments can hold what should not be.
    private static func shownProgram(_ command: String) -> String {
        let name = command.split(separator: "/").last.map(String.init) ?? command
        return String(name.unicodeScalars.prefix(100))
    }

    private func warn(of names: [String]) {
        guard let first = names.first, !json else { return }
        let others = names.count > 1 ? " and \(names.count - 1) more" : ""
        Output.note(
            VisibleText.sentence(
                "coffer: warning: the variable \(first)\(others) holds a reference, which the program gets as it is; to resolve it, add --env \(first)"
            ))
    }

    private static func failure(_ error: SystemError) -> CommandFailure {
        // The program itself was found before.
        let isMissing = error.errno == ENOENT
        let isTooLong = error.errno == E2BIG
        return CommandFailure(
            code: isTooLong ? "command-too-long" : "command-not-runnable",
            message: isTooLong
                ? "the arguments and the environment are too long together, so the command was not started"
                : error.message,
            advice: isTooLong
                ? "give large secrets as files, with --file"
                : isMissing
                    ? "check that the program which its first line names is there"
                    : "check that it is a program that this machine can run",
            status: .commandNotRunnable)
    }
}

extension RunCommand: ProgramStarting {}
