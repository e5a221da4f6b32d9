import FoundationEssentials
import Glibc
import Platform

/// The folder of a sandbox: configuration, PAM service files, sockets, vaults and logs.
struct SandboxFolder {
    let path: String
    private let programs: SandboxPrograms
    private let sealer: SandboxBroker.Sealer

    init(programs: SandboxPrograms, sealer: SandboxBroker.Sealer) throws(SandboxError) {
        // Not in TMPDIR: a socket's path has 107 bytes at most, and configuration files hold it without quotes.
        path = "/tmp/coffer-sandbox-\(UUID().uuidString.prefix(13).lowercased())"
        self.programs = programs
        self.sealer = sealer
        do { try write() } catch {
            remove()
            throw SandboxError("the folder \(path) cannot be filled: \(error)")
        }
    }

    func remove() {
        // A folder that is left behind in /tmp harms nobody.
        try? FileManager.default.removeItem(atPath: path)
    }

    /// Starts the shell that starts, watches and ends the programs.
    func startSupervisor() throws(SystemError) -> Subprocess {
        let words = ["-c", SandboxSupervisor.script, "coffer-sandbox", path, programs.broker, programs.authenticator]
        return try Subprocess("/bin/sh", words + [sealer == .simulatedTPM ? "swtpm" : ""]) { setup in
            // As in the unit files, but for the backtrace: the heap wipes freed memory, and the TPM library logs nothing.
            setup.environment = ProcessInfo.processInfo.environment.merging([
                "TSS2_LOG": "all+NONE", "SWIFT_BACKTRACE": "enable=no",
                "GLIBC_TUNABLES": "glibc.malloc.perturb=165:glibc.malloc.tcache_count=0",
            ]) { $1 }
            setup.directory = path
            setup.input = .pipe
            setup.output = .pipe
            setup.leadsSession = true
            // It ends the programs at the end of its input. Killed, it could not.
            setup.outlives = true
        }
    }

    private func write() throws {
        try makeFolder("", 0o700)
        for folder in ["tpm", "vaults", "pam.d"] { try makeFolder("/" + folder, 0o700) }
        for folder in ["registry", "log"] { try makeFolder("/" + folder, 0o755) }
        try write(SandboxBroker.password + "\n", to: "pam.d/password")
        try write(Self.check, to: "pam.d/check-password")
        for service in ["coffer", "coffer-biometric", "coffer-passcode"] { try write(pam, to: "pam.d/" + service) }
        guard let user = try Account.withUID(getuid())?.name else {
            throw SandboxError("the user who runs this has no account")
        }
        try write(configuration(user), to: "cofferd.conf")
    }

    private func makeFolder(_ name: String, _ mode: Int) throws {
        try FileManager.default.createDirectory(
            atPath: path + name, withIntermediateDirectories: false, attributes: [.posixPermissions: mode])
    }

    private func write(_ text: String, to name: String) throws {
        try Data(text.utf8).write(to: URL(filePath: "\(path)/\(name)"))
    }

    /// pam_exec writes the answer to standard input, with or without a NUL byte at the end.
    private static let check = """
        answer=$(tr -d '\\000')
        [ "$answer" = "$(cat "$(dirname "$0")/password")" ]

        """

    /// One password for everybody. pam_exec says "system error" if a program says no; pam_deny gives the right answer.
    private var pam: String {
        """
        auth     [success=1 default=ignore]  pam_exec.so expose_authtok quiet /bin/sh \(path)/pam.d/check-password
        auth     requisite  pam_deny.so
        auth     required  pam_permit.so
        account  required  pam_permit.so

        """
    }

    private func configuration(_ user: String) -> String {
        """
        sandbox = yes
        # A sandbox ignores this machine's screens.
        system-bus = no
        notifications = no
        socket = \(path)/coffer.sock
        authenticator-socket = \(path)/authenticator.sock
        auth-socket = \(path)/auth.sock
        vault-directory = \(path)/vaults
        registry-directory = \(path)/registry
        pam-directory = \(path)/pam.d
        sealer = \(sealer == .simulatedTPM ? "tpm\ntcti = swtpm:path=\(path)/tpm/swtpm.sock" : "software")
        broker-user = \(user)
        authenticator-user = \(user)

        """
    }
}
