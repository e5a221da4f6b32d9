import ArgumentParser
import Authorization
import Circle
import Coffer
import Cryptography
import FoundationEssentials
import Glibc
import Platform

/// `coffer sync invite`
struct SyncInviteCommand: SharingCommand {
    static let configuration = CommandConfiguration(
        commandName: "invite",
        abstract: "Say beforehand which machines may join. Root only, for service vaults.",
        usage:
            "coffer sync invite [--writer] [--count <count>] [--for <time>] [--attested] [--output <file>] [--list] [--end <invitation>] --user <name>",
        discussion: """
            Writes an invitation, which is a secret. Bring it to the new machines. There, root runs coffer sync join FOLDER --invitation FILE, and \
            nobody is asked, here or there. Who has the invitation and can write to the folder gets all secrets that are shared. So let it end soon.

            By default one machine may come, within a day, and it only reads. --attested lets in only machines that prove that their keys are in a \
            TPM of root's list (/etc/coffer/machines). Then the invitation alone is worth nothing, and as many may come as the list has.

            This machine lets them in: the system service coffer-admit@NAME does, or coffer sync admit.

            Example:
              coffer sync invite --count 20 --for 12h --output invitation --user web
            """)

    @Flag(help: "The machines may change secrets, too.")
    var writer = false

    @Option(help: ArgumentHelp("How many machines may come.", valueName: "count"))
    var count: Int?

    @Option(
        name: .customLong("for"), help: ArgumentHelp("For how long, such as 12h or 7d.", valueName: "time"),
        transform: ComingArgument.init(parsing:))
    var time: ComingArgument?

    @Flag(help: "Only machines that prove that their keys are in a TPM of root's list.")
    var attested = false

    @Option(
        name: .shortAndLong, help: ArgumentHelp("The file to write, which must be new.", valueName: "file"),
        completion: .file())
    var output: String?

    @Flag(help: "List the invitations of this machine, and make none.")
    var list = false

    @Option(help: ArgumentHelp("End this one. Who came in by it stays.", valueName: "invitation"))
    var end: String?

    @OptionGroup var shared: ServiceVaultOptions

    func validate() throws {
        try Self.checkService(shared)
        if let output { try PathArgument.check(output) }
        if let count, !InvitationLimits.guests.contains(count) {
            throw ValidationError("--count takes a number from 1 to \(InvitationLimits.guests.upperBound)")
        }
        let makes = writer || count != nil || time != nil || attested || output != nil
        guard !(list || end != nil) || !makes, !list || end == nil else {
            throw ValidationError("--list and --end stand alone")
        }
    }

    /// - Throws: if the vault is a person's, who is asked about each machine.
    static func checkService(_ shared: ServiceVaultOptions) throws {
        guard shared.user != nil else {
            throw ValidationError(
                "invitations are for vaults of services: --user <name>; add your own machines with: coffer sync add")
        }
    }

    func share() throws {
        let session = CommandSession(shared.vault)
        let state = try Sharing.state(session, noPrompt: false)
        let circle = try Sharing.name(of: state)
        let folder = InvitationFolder(session)
        if let end {
            try folder.end(end)
            return Output.note("Ended invitation \(end).")
        }
        if list { return try show(folder.all(of: circle)) }
        guard state.machines.contains(where: { $0.own && $0.role == AddedRole.admin.rawValue }) else {
            throw KeychainError(
                .notPermitted, "this machine may not add others", advice: "invite them at an admin (coffer sync status)"
            )
        }
        let (invitation, text) = try Self.made(circle)
        let issued = IssuedInvitation(
            circle: Hex.encode(circle.bytes), key: Hex.encode(invitation.point),
            role: (writer ? AddedRole.writer : .reader).rawValue,
            until: Int64((Date().timeIntervalSince1970 + (time?.seconds ?? InvitationLimits.seconds)) * 1000),
            count: count ?? (attested ? nil : 1), attested: attested)
        let name = try InvitationFolder.name(of: invitation)
        // The file first: an invitation that nobody has lets nobody in.
        if let output { try write(text, to: output) }
        try folder.add(issued, as: name)
        if output == nil { try Output.bytes(text + [UInt8(ascii: "\n")]) }
        Output.note("Made invitation \(name): \(Self.allows(issued)), until \(TimeText(issued.until).clock()).")
        Output.note("On a new machine, run: coffer sync join FOLDER --invitation FILE --user \(shared.user ?? "")")
        try start(session)
    }

    private func start(_ session: CommandSession) throws {
        guard let user = shared.user else { return }
        guard try !SharingUnit.isForAnother(session), SharingUnit.admission(for: user).start() else {
            return Output.note(session.naming("To let machines in, keep this running: coffer sync admit"))
        }
        Output.note("The \(SharingUnit.admission(for: user).shown) lets them in.")
    }

    private func write(_ text: [UInt8], to output: String) throws {
        do throws(SystemError) {
            try DurableFile.create(text + [UInt8(ascii: "\n")], at: output, mode: 0o600)
        } catch {
            throw KeychainError(
                error.errno == EEXIST ? .alreadyExists : .failed,
                "\(VisibleText.line(output)) cannot be written: \(error.reason)", advice: "name a new file")
        }
    }

    private static func made(_ circle: StatementName) throws(KeychainError) -> (key: InvitationKey, text: [UInt8]) {
        do throws(CryptographyError) {
            let invitation = try Invitation(to: circle)
            return (invitation.key, try invitation.text.withBytes { bytes in bytes.indices.map { bytes[$0] } })
        } catch { throw KeychainError(.failed, "no invitation can be made: \(error)", advice: "free some memory") }
    }

    private static func allows(_ issued: IssuedInvitation) -> String {
        let who =
            issued.attested
            ? issued.count.map { "\($0) of root's list of machines" } ?? "the machines of root's list"
            : issued.count == 1 ? "one machine" : "\(issued.count ?? 0) machines"
        return "\(who) may come as \(issued.count == 1 ? "a \(issued.role)" : issued.role + "s")"
    }

    private func show(_ all: [(name: String, invitation: IssuedInvitation)]) throws {
        guard !all.isEmpty else { return Output.note("This machine has made no invitation.") }
        let now = Int64(Date().timeIntervalSince1970 * 1000)
        for (name, one) in all {
            let state = one.isOpen(at: now) ? "until \(TimeText(one.until).clock())" : "over"
            try Output.line("\(name)  \(Self.allows(one)), \(state); \(one.shownGuests)")
            for guest in one.guests {
                try Output.line("  \(VisibleText.line(guest.name))  \(TimeText(guest.time).clock())")
            }
        }
    }
}
