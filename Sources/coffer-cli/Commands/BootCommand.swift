import ArgumentParser
import BrokerProtocol
import Coffer
import Glibc
import Platform

/// `coffer boot`
struct BootCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "boot",
        abstract: "Tie the vault to the way this machine boots.",
        usage: "coffer boot [show | bind | approve | prune | release]",
        discussion: """
            A vault that is tied to the boot opens only with firmware, boot loader and kernel that you approved. The TPM compares what was \
            measured. Approve an update before you restart. A boot that was not approved needs the recovery code, so make one first. Without a \
            command, this shows the present state.

            Examples:
              coffer boot bind                         tie the vault to this boot
              coffer boot approve --replace OLD=NEW    approve an update before restarting
              coffer boot prune                        after it, keep only the new boot
            """,
        subcommands: [
            BootShowCommand.self, BootBindCommand.self, BootApproveCommand.self, BootPruneCommand.self,
            BootReleaseCommand.self,
        ],
        defaultSubcommand: BootShowCommand.self)

    /// - Parameter text: the operation, as the subject of a sentence.
    static func call<Method: Challengeable>(
        _ method: Method, for text: String, command: String
    ) throws(KeychainError) -> Method.Reply {
        do throws(KeychainError) { return try CommandSession().call(method, for: text, command: command) } catch {
            throw named(error)
        }
    }

    /// Replaces "not found" by an error about the missing vault, because no item was asked for.
    static func named(_ error: KeychainError) -> KeychainError {
        guard error.code == .notFound else { return error }
        return KeychainError(
            .notFound, "you have no vault yet, so there is nothing to tie to the boot",
            advice: "the first `coffer set` makes one")
    }
}

/// `coffer boot show`
struct BootShowCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Show whether the vault is tied to the boot, and which boots are approved.",
        usage: "coffer boot [show] [--json]",
        discussion: """
            Asks nothing. To check whether the vault will open after the next restart: coffer doctor
            """)

    @OptionGroup var format: JSONOptions

    func run() throws {
        let reply: Keychain.Boot.Reply
        let client = CommandSession().client
        do throws(KeychainError) { reply = try client.call(Keychain.Boot()) } catch {
            throw BootCommand.named(error)
        }
        let coverage = try reply.boot.map { (boot) throws(KeychainError) in
            try client.call(Keychain.TieCoverage(registers: boot.registers)).coverage
        }
        let lines = BootText.lines(reply.boot) + (coverage.map { BootText.lines($0, RootFileSystem()) } ?? [])
        try Output.line(
            format.json ? JSONText.of(BootRecord(reply.boot, coverage)) : lines.joined(separator: "\n"))
    }
}

/// `coffer boot bind`
struct BootBindCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "bind",
        abstract: "Tie the vault to the present boot.",
        usage: "coffer boot bind [--registers <list>] [--weak] [--yes]",
        discussion: """
            You are asked for your password. You need a recovery code (coffer recovery new). If you restart after an update of firmware or \
            kernel that you have not approved, the code is the only way in.

            The registers are those of the TPM that tell one boot from another. Register 7 holds whether Secure Boot is on and whose signatures \
            it accepts. Register 4 holds the boot loader and the kernel that the firmware started. Without --registers, Coffer adds those that \
            hold the kernel's command line and its initrd. The firmware's log of this boot shows which: 8 and 9 with GRUB, 9 with the kernel's \
            own loader, 12 and 13 with systemd-stub. You see what the vault will be tied to, what that holds and what it leaves open. On a \
            terminal you are then asked to confirm.

            If nothing holds the command line, anybody who edits it at the boot menu could open the vault. To tie the vault all the same, use \
            --weak.
            """)

    @Option(help: ArgumentHelp("The registers, separated by commas (4,7,8,9).", valueName: "list"))
    var registers: String?

    @Flag(help: "Tie the vault even if the kernel's command line stays open.")
    var weak = false

    @Flag(name: .shortAndLong, help: "Do not ask for confirmation.")
    var yes = false

    func run() throws {
        let list = try registers.map(Self.parse)
        let client = CommandSession().client
        let boot: Keychain.BootState?
        do throws(KeychainError) { boot = try client.call(Keychain.Boot()).boot } catch {
            throw BootCommand.named(error)
        }
        if boot == nil {
            let coverage = try client.call(Keychain.TieCoverage(registers: list)).coverage
            Output.note("Tie the vault to registers \(BootText.registers(coverage.registers)):")
            for line in BootText.lines(coverage, RootFileSystem()) { Output.note("  " + line) }
            if coverage.commandLine == .held || weak, !yes, isatty(STDIN_FILENO) == 1 {
                guard try Confirmation.isGiven("Tie it? [y/N] ", orSkipWith: "--yes") else {
                    Output.note("The vault is not tied to the boot")
                    throw ExitStatus.failure
                }
            }
        }
        let reply = try BootCommand.call(
            Keychain.TieToBoot(registers: list, weak: weak ? true : nil), for: "tying your vault to the boot",
            command: "coffer boot bind")
        let text = BootText.registers(reply.boot?.registers ?? [])
        Output.note("Tied to the boot (registers \(text)). Before an update of firmware or kernel: coffer boot approve")
    }

    static func parse(_ text: String) throws -> [Int64] {
        let parts = text.split(whereSeparator: { $0 == "," || $0 == "+" })
        let numbers = parts.compactMap { Int64($0) }
        guard !numbers.isEmpty, numbers.count == parts.count else {
            throw ValidationError("--registers takes numbers separated by commas: 4,7")
        }
        return numbers
    }
}

/// `coffer boot approve`
struct BootApproveCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "approve",
        abstract: "Approve an update, so that the vault still opens after it.",
        usage: "coffer boot approve --replace <old=new>… | --expect <register=value>…",
        discussion: """
            Run this before the restart. The present boot stays approved too, until you run: coffer boot prune

            --replace names what an update replaces: the file before it and the file after it, or their SHA-256 digests. Coffer computes what \
            the registers will hold from the firmware's log of this boot. It first checks that log against the TPM. --expect names what a \
            register will hold instead, if you know it from elsewhere. Registers that you do not name stay as they are.

            Examples:
              coffer boot approve --replace /boot/vmlinuz-1=/boot/vmlinuz-2
              coffer boot approve --expect 7=65caf8dd1e0ea7…
            """)

    @Option(
        parsing: .singleValue,
        help: ArgumentHelp("A file of this boot and its replacement, or their digests.", valueName: "old=new"))
    var replace: [String] = []

    @Option(
        parsing: .singleValue,
        help: ArgumentHelp("What a register will hold: 64 hexadecimal digits.", valueName: "register=value"))
    var expect: [String] = []

    func validate() throws {
        guard replace.isEmpty != expect.isEmpty else {
            throw ValidationError(
                "name what will change: --replace OLD=NEW, or --expect REGISTER=VALUE; to keep only this boot approved: coffer boot prune"
            )
        }
    }

    func run() throws {
        let replacements = try replace.map { try FileReplacement(parsing: $0).pairs }
        let values = try expect.map { text in
            let (register, value) = try Self.parts(text, of: "--expect")
            guard let number = Int64(register) else {
                throw ValidationError("“\(register)” is not a register's number")
            }
            return Keychain.RegisterValue(register: number, value: value.lowercased())
        }
        _ = try BootCommand.call(
            Keychain.ApproveBoot(
                replacements: replacements.isEmpty ? nil : replacements, values: values.isEmpty ? nil : values),
            for: "approving another boot", command: "coffer boot approve")
        Output.note(
            "Approved. Earlier approvals still stand. After the restart, run: coffer boot prune")
    }

    static func parts(_ text: String, of option: String) throws -> (String, String) {
        guard let (old, new) = text.halves(at: "="), !old.isEmpty, !new.isEmpty else {
            throw ValidationError("\(option) takes two parts with “=” between them")
        }
        return (old, new)
    }
}

/// `coffer boot prune`
struct BootPruneCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "prune",
        abstract: "Keep only the present boot approved.",
        usage: "coffer boot prune",
        discussion: """
            Other boots that were approved no longer open your vault. Run this after the restart, when the machine runs with the update. You are \
            asked for your password.
            """)

    func run() throws {
        _ = try BootCommand.call(
            Keychain.ApproveBoot(), for: "keeping only this boot approved", command: "coffer boot prune")
        Output.note("Only this boot is approved now")
    }
}

/// `coffer boot release`
struct BootReleaseCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "release",
        abstract: "Untie the vault from the boot: it then opens however the machine boots.",
        usage: "coffer boot release",
        discussion: """
            You are asked for your password. No secret is lost, and items stay as they are.
            """)

    func run() throws {
        _ = try BootCommand.call(
            Keychain.TieToBoot(release: true), for: "releasing your vault from the boot", command: "coffer boot release"
        )
        Output.note("The vault is not tied to the boot")
    }
}
