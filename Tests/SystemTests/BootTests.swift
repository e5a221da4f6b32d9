import Authorization
import Cryptography
import Foundation
import TestSupport
import Testing

/// A vault that is tied to the boot, as a person ties it: `pam_unix`, authenticator, broker and TPM as they are.
@Suite(.enabled(if: getuid() == 0, "only root can make accounts"), .serialized) struct BootTests {
    private static let password = "correct horse"

    private func tools(_ sandbox: Sandbox, _ program: String, _ arguments: String...) throws {
        let outcome = try Command(
            program: "/usr/bin/env", arguments: [program] + arguments, environment: ProcessInfo.processInfo.environment
        ).run()
        try #require(outcome.code == 0, "\(outcome)")
    }

    private func measure(_ sandbox: Sandbox, _ register: Int, _ digest: String) throws {
        try tools(
            sandbox, "tpm2_pcrextend", "-T", "swtpm:path=\(sandbox.directory)/tpm/swtpm.sock",
            "\(register):sha256=\(digest)")
    }

    private func powerCycle(_ sandbox: Sandbox) throws {
        try sandbox.script("stop-broker")
        try tools(sandbox, "swtpm_ioctl", "--unix", "\(sandbox.directory)/tpm/swtpm.sock.ctrl", "-i")
        try tools(sandbox, "tpm2_startup", "-T", "swtpm:path=\(sandbox.directory)/tpm/swtpm.sock", "-c")
        try sandbox.script("start-broker")
    }

    /// A program makes and confirms a code. It reads what it has to give back.
    private func makeCode(_ sandbox: Sandbox, _ account: RealAccount) throws {
        let pipe = sandbox.folder + "/code"
        let askpass = try sandbox.askpass(Self.password, name: "askpass-code")
        let script = """
            rm -f '\(pipe)' && mkfifo '\(pipe)'
            exec 3<>'\(pipe)'
            coffer recovery new --script <&3 | { read -r code; read -r part; printf '%s\\n' "$code" | cut -d- -f"$part" >&3; cat; }
            """
        var environment = ProcessInfo.processInfo.environment
        for (name, value) in sandbox.variables { environment[name] = value }
        environment["COFFER_ASKPASS"] = askpass
        let folder = sandbox.folder
        try FileManager.default.setAttributes([.posixPermissions: 0o777], ofItemAtPath: folder)
        let outcome = try Command(
            program: "/usr/bin/setpriv",
            arguments: [
                "--reuid=\(account.uid)", "--regid=\(account.uid)", "--clear-groups", "/bin/bash", "-o", "pipefail",
                "-c",
                script,
            ], environment: environment
        ).run()
        try #require(outcome.code == 0, "\(outcome)")
    }

    @Test func fromBindingOverAnUpdateToTheEnd() throws {
        let account = try RealAccount(password: Self.password)
        let sandbox = try Sandbox("--pam-dir", SourceTree.path("pam"), reachable: true)
        func coffer(_ words: String..., input: String = "", password: String? = nil) throws -> Outcome {
            try sandbox.coffer(words, input: Array(input.utf8), password: password, uid: account.uid)
        }
        let early = try coffer("boot")
        #expect(early.code == 3 && early.errors.contains("no vault yet"), "\(early)")
        #expect(try coffer("unlock", password: Self.password).code == 0)
        #expect(try coffer("set", "s", "a", input: "value").code == 0)
        #expect(try coffer("boot").text == "Tied to the boot: no; tie it with: coffer boot bind\n")
        let unsafe = try coffer("boot", "bind", password: Self.password)
        #expect(unsafe.code == 1 && unsafe.errors.contains("coffer recovery new"), "\(unsafe)")
        try makeCode(sandbox, account)
        // No log shows what holds the command line.
        let open = try coffer("boot", "bind", password: Self.password)
        #expect(open.code == 1 && open.errors.contains("--weak"), "\(open)")
        #expect(open.errors.contains("kernel's command line: open; anybody who edits it"), "\(open)")
        let wrong = try coffer("boot", "bind", "--weak", password: "wrong")
        #expect(wrong.code == 4, "\(wrong)")
        let bound = try coffer("boot", "bind", "--weak", password: Self.password)
        #expect(bound.code == 0 && bound.errors.contains("registers 4, 7"), "\(bound)")
        #expect(try coffer("boot", "bind", password: Self.password).code == 10)
        let status = try coffer("status").text
        #expect(status.contains("Tied to the boot: yes, by registers 4, 7"))
        #expect(status.contains("Problem: the tie to the boot leaves the kernel's command line open"))
        #expect(status.contains("coffer boot release, then coffer boot bind"))
        #expect(try coffer("boot").text.contains("This boot: approved"))
        #expect(try coffer("get", "s", "a").text == "value")

        // Somebody starts something else.
        let digest = String(repeating: "ab", count: 32)
        try powerCycle(sandbox)
        try measure(sandbox, 7, digest)
        for words in [["list"], ["get", "s", "a"], ["boot"]] {
            let refused = try sandbox.coffer(words, uid: account.uid)
            #expect(refused.code == 8 && refused.errors.contains("coffer boot approve"), "\(refused)")
        }
        let refused = try coffer("unlock", password: Self.password)
        #expect(refused.code == 8 && refused.errors.contains("this boot was not approved"), "\(refused)")
        let doctor = try coffer("doctor")
        #expect(doctor.code == 1 && doctor.text.contains("tied to the boot"), "\(doctor)")

        // The machine as before, and then an update.
        try powerCycle(sandbox)
        #expect(try coffer("unlock", password: Self.password).code == 0)
        #expect(try coffer("get", "s", "a").text == "value")
        #expect(try coffer("boot", "approve").code == 64)
        // SHA-256 of 32 zeros and the digest.
        let value = try Command(
            program: "/bin/sh",
            arguments: ["-c", "printf '%064d%s' 0 \(digest) | xxd -r -p | sha256sum | cut -c1-64"],
            environment: ["PATH": "/usr/bin:/bin"]
        ).run().text.trimmingCharacters(in: .whitespacesAndNewlines)
        let approved = try coffer("boot", "approve", "--expect", "4=\(value)", password: Self.password)
        #expect(approved.code == 0, "\(approved)")
        #expect(try coffer("boot").text.contains("Also approved"))
        try powerCycle(sandbox)
        try measure(sandbox, 4, digest)
        #expect(try coffer("unlock", password: Self.password).code == 0)
        #expect(try coffer("boot", "prune", password: Self.password).code == 0)
        #expect(try coffer("boot").text.contains("Also approved") == false)
        try powerCycle(sandbox)
        #expect(try coffer("list").code == 8)
        try measure(sandbox, 4, digest)
        #expect(try coffer("unlock", password: Self.password).code == 0)

        #expect(try coffer("boot", "release", password: Self.password).code == 0)
        try powerCycle(sandbox)
        #expect(try coffer("unlock", password: Self.password).code == 0)
        #expect(try coffer("get", "s", "a").text == "value")
        let log = try coffer("log").text
        for word in ["tie", "approve", "release", "this boot alone"] { #expect(log.contains(word), "\(log)") }
        try sandbox.expectTPMEmpty()
    }

    @Test func anUpdateIsApprovedByItsFiles() throws {
        let account = try RealAccount(password: Self.password)
        let sandbox = try Sandbox("--pam-dir", SourceTree.path("pam"), reachable: true)
        func coffer(_ words: String..., input: String = "", password: String? = nil) throws -> Outcome {
            try sandbox.coffer(words, input: Array(input.utf8), password: password, uid: account.uid)
        }
        let (old, new, log) = (sandbox.folder + "/vmlinuz-1", sandbox.folder + "/vmlinuz-2", sandbox.folder + "/log")
        for path in [old, new] { try "kernel \(path)".write(toFile: path, atomically: true, encoding: .utf8) }
        func start(_ kernel: String) throws {
            try powerCycle(sandbox)
            let digest = try SHA256.digest(Array("kernel \(kernel)".utf8))
            let initrd = [UInt8](repeating: 7, count: 32)
            let events = [.init(4, 0xD, digest)] + (try BootLoaderLog.kernelStub("root=/dev/sda1", initrd: initrd))
            for event in events { try measure(sandbox, Int(event.register), Hex.encode(event.digest)) }
            try Data(FirmwareLogMaker.log(events)).write(to: URL(fileURLWithPath: log))
        }
        try sandbox.configure("boot-log = \(log)")
        try start(old)
        #expect(try coffer("unlock", password: Self.password).code == 0)
        #expect(try coffer("set", "s", "a", input: "value").code == 0)
        try makeCode(sandbox, account)
        let bound = try coffer("boot", "bind", password: Self.password)
        #expect(bound.code == 0 && bound.errors.contains("Tie the vault to registers 4, 7, 9:"), "\(bound)")
        for part in ["kernel's command line: held", "initrd: held", "root file system: "] {
            #expect(bound.errors.contains(part), "\(bound)")
        }
        #expect(try coffer("status").text.contains("Problem:") == false)
        #expect(try coffer("boot").text.contains("kernel's command line: held"))
        #expect(try coffer("doctor").text.contains("this boot is approved"))

        let strange = try coffer("boot", "approve", "--replace", "\(new)=\(old)", password: Self.password)
        #expect(strange.code == 64 && strange.errors.contains("was not measured"), "\(strange)")
        let missing = try coffer("boot", "approve", "--replace", "\(old)=\(new).away", password: Self.password)
        #expect(missing.code == 1 && missing.errors.contains("cannot be read"), "\(missing)")
        let approved = try coffer("boot", "approve", "--replace", "\(old)=\(new)", password: Self.password)
        #expect(approved.code == 0, "\(approved)")
        try start(new)
        #expect(try coffer("unlock", password: Self.password).code == 0)
        #expect(try coffer("get", "s", "a").text == "value")
        #expect(try coffer("boot", "prune", password: Self.password).code == 0)
        try start(old)
        #expect(try coffer("list").code == 8)
        try start(new)
        #expect(try coffer("list").text.contains("s\ta"))
        try sandbox.expectTPMEmpty()
    }
}
