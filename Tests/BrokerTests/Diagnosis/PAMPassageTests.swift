import BrokerProtocol
import Glibc
import Platform
import RootConfiguration
import TestSupport
import Testing

@testable import Broker

/// Which PAM stacks can let people in without asking them. Each expectation is what libpam does with the stack.
struct PAMPassageTests {
    private static let unix = "\nauth required pam_unix.so"

    private func find(_ text: String, _ shared: String = "", past proof: PAMProof = .anyFactor) throws -> PAMPassage? {
        let folder = try TemporaryFolder()
        for (name, text) in [("stack", text), ("shared", shared)] {
            try DurableFile.write(Array((text + "\n").utf8), to: "\(folder.path)/\(name)", mode: 0o644)
        }
        return PAMPassage.find(through: PAMStack(service: "stack", folders: [folder.path]), past: proof)
    }

    @Test(
        "a stack in which somebody gets in past the modules that ask is found, and the module is named",
        arguments: [
            ("auth sufficient pam_permit.so" + unix, "pam_permit.so"),
            ("auth sufficient pam_succeed_if.so uid >= 1000 quiet" + unix, "pam_succeed_if.so"),
            ("auth sufficient pam_localuser.so" + unix, "pam_localuser.so"),
            ("auth sufficient pam_exec.so quiet /bin/true" + unix, "pam_exec.so"),
            ("auth sufficient pam_debug.so" + unix, "pam_debug.so"),
            ("auth sufficient pam_wheel.so trust" + unix, "pam_wheel.so"),
            ("auth sufficient pam_listfile.so item=user file=/x sense=allow" + unix, "pam_listfile.so"),
            ("-auth [success=done default=ignore] pam_time.so" + unix, "pam_time.so"),
            ("auth sufficient pam_u2f.so cue nouserok" + unix, "pam_u2f.so"),
            // Jumps over the module that asks.
            (
                "auth [success=1 default=ignore] pam_localuser.so" + unix + "\nauth required pam_permit.so",
                "pam_localuser.so"
            ),
            ("auth [default=1] pam_succeed_if.so" + unix + "\nauth required pam_permit.so", "pam_permit.so"),
            (
                "auth [ success = 1 default = ignore ] pam_localuser.so" + unix + "\nauth required pam_permit.so",
                "pam_localuser.so"
            ),
            // The module that asks may fail.
            ("auth optional pam_unix.so\nauth required pam_permit.so", "pam_permit.so"),
            ("auth sufficient pam_unix.so\nauth required pam_permit.so", "pam_permit.so"),
            ("auth [success=ok default=ignore] pam_unix.so\nauth required pam_permit.so", "pam_permit.so"),
            (
                "auth [success=1 default=1] pam_unix.so\nauth requisite pam_deny.so\nauth required pam_permit.so",
                "pam_permit.so"
            ),
            // The module that asks leaves some users out.
            ("auth required pam_permit.so\nauth required pam_sss.so ignore_unknown_user", "pam_permit.so"),
            ("auth required pam_permit.so\nauth required pam_krb5.so minimum_uid=1000", "pam_permit.so"),
            // A refusal that is taken back.
            ("auth substack shared\nauth required pam_permit.so", "pam_permit.so"),
        ])
    func found(text: String, module: String) throws {
        #expect(
            try find(text, "auth [default=bad] pam_unix.so\nauth [default=reset] pam_deny.so") == .unasked([module]))
    }

    @Test(
        "a module that Coffer does not know is said to be unknown",
        arguments: [
            ("auth sufficient pam_howdy.so" + unix, "pam_howdy.so"),
            ("auth sufficient pam_exec.so expose_authtok quiet /bin/check" + unix, "pam_exec.so"),
            (
                "auth [success=1 default=ignore] pam_userdb.so\nauth requisite pam_deny.so\nauth required pam_permit.so",
                "pam_userdb.so"
            ),
        ])
    func unknown(text: String, module: String) throws {
        #expect(try find(text) == .unknown([module]))
    }

    @Test(
        "a stack in which every success takes an answer is sound",
        arguments: [
            "auth required pam_unix.so", "auth requisite pam_succeed_if.so uid >= 1000" + unix,
            "auth required pam_permit.so" + unix, "auth sufficient pam_fprintd.so" + unix,
            "auth sufficient pam_u2f.so cue" + unix,
            // As Red Hat has it.
            """
            auth required pam_env.so
            auth required pam_faildelay.so delay=2000000
            auth sufficient pam_fprintd.so
            auth [default=1 ignore=ignore success=ok] pam_usertype.so isregular
            auth [default=1 ignore=ignore success=ok] pam_localuser.so
            auth sufficient pam_unix.so
            auth [default=1 ignore=ignore success=ok] pam_usertype.so isregular
            auth sufficient pam_sss.so forward_pass
            auth required pam_deny.so
            """,
            // A refusal that counts as "ok" is what the stack returns.
            "auth [default=ok] pam_unix.so\nauth required pam_permit.so",
            // "done" ends the substack only.
            "auth substack shared" + unix,
        ])
    func sound(text: String) throws {
        #expect(try find(text, "auth sufficient pam_permit.so\nauth required pam_deny.so") == nil)
    }

    @Test("an included file counts as lines, and a substack as one line that its own jumps do not leave")
    func included() throws {
        let permit = "auth sufficient pam_permit.so\nauth required pam_deny.so"
        #expect(try find("auth include shared" + Self.unix, permit) == .unasked(["pam_permit.so"]))
        #expect(try find("@include shared" + Self.unix, permit) == .unasked(["pam_permit.so"]))
        let two = "auth required pam_unix.so\nauth required pam_unix.so"
        let jump = "auth [success=1 default=ignore] pam_localuser.so\n"
        let permitted = "\nauth required pam_permit.so"
        #expect(try find(jump + "auth substack shared" + permitted, two) == .unasked(["pam_localuser.so"]))
        #expect(try find(jump + "auth include shared" + permitted, two) == nil)
    }

    @Test("a service is held to what it stands for")
    func proofs() throws {
        #expect(try find("auth required pam_unix.so", past: .biometric) == .unasked(["pam_unix.so"]))
        #expect(try find("auth required pam_fprintd.so", past: .passcode) == .unasked(["pam_fprintd.so"]))
        #expect(try find("auth required pam_fprintd.so", past: .biometric) == nil)
        #expect(try find("auth required pam_sss.so", past: .passcode) == nil)
        #expect(try find("auth required pam_deny.so") == .nobody)
        // A jump out of the stack is refused.
        #expect(try find("auth [success=7 default=die] pam_localuser.so" + Self.unix) == .nobody)
        #expect(try find("account required pam_unix.so") == .nobody)
    }

    @Test("doctor says which services it cannot judge, and that a silent key is not believed")
    func findings() throws {
        let folder = try TemporaryFolder()
        var configuration = Configuration()
        configuration.pamDirectory = folder.path
        func put(_ auth: String, _ services: String...) throws {
            for service in services {
                try DurableFile.write(
                    Array("\(auth)\naccount required pam_unix.so\n".utf8), to: "\(folder.path)/\(service)", mode: 0o644)
            }
        }
        func look() -> [Keychain.Finding] {
            let user = OwnProcess.effectiveUser
            return PAMCheck.findings(
                DiagnosisFacts(
                    configuration: configuration, owner: .user(user), authenticatorUID: user, brokerUID: user,
                    process: .current(), now: 1))
        }
        try put("auth required pam_unix.so", "coffer", "coffer-passcode")
        try put("auth required pam_fprintd.so", "coffer-biometric")
        #expect(look().map(\.verdict) == [.ok])
        try put("auth required pam_face.so", "coffer", "coffer-biometric")
        #expect(look().map(\.verdict) == [.note])
        #expect(look().first?.message.contains("coffer, coffer-biometric asks a person") == true)
        try put("auth required pam_fprintd.so", "coffer-biometric")
        try put("auth sufficient pam_u2f.so\nauth required pam_unix.so", "coffer")
        #expect(look().map(\.verdict) == [.problem])
        configuration.silentServices = ["coffer"]
        #expect(look().map(\.verdict) == [.ok])
    }

    @Test("a module is what its name says only in the folders that packages write")
    func folders() throws {
        for folder in [
            "/lib/security", "/usr/lib/security", "/lib64/security", "/lib/x86_64-linux-gnu/security",
            "/lib/security/$ISA",
            "/usr/lib/aarch64-linux-gnu/security", "/nix/store/abc-linux-pam-1.6/lib/security",
        ] { #expect(PAMModules.isSystems(folder), "\(folder)") }
        for folder in [
            "/tmp/lib/security", "/usr/local/lib/security", "/lib/security/../../tmp", "/lib/a/b/security",
            "lib/security", "",
            "/srv/nix/store/a/lib/security", "/lib", "/security",
        ] { #expect(!PAMModules.isSystems(folder), "\(folder)") }
        // Its name is not enough to be believed, and is enough to be refused.
        #expect(try find("auth required /tmp/h1/evil/pam_unix.so") == .unknown(["/tmp/h1/evil/pam_unix.so"]))
        #expect(try find("auth required ../../../tmp/pam_unix.so") == .unknown(["../../../tmp/pam_unix.so"]))
        #expect(try find("auth required /usr/lib/security/pam_unix.so") == nil)
        let folder = try TemporaryFolder()
        func problems(_ text: String) throws -> [String] {
            try DurableFile.write(Array((text + "\n").utf8), to: "\(folder.path)/stack", mode: 0o644)
            let stack = PAMStack(service: "stack", folders: [folder.path])
            return PAMCheck.problems(of: "coffer", stack, owner: OwnProcess.effectiveUser).map(\.message)
        }
        let account = "\naccount required pam_unix.so"
        #expect(
            try problems("auth required /opt/pam_rootok.so" + Self.unix + account).contains {
                $0.contains("root would always pass")
            })
        // Others could have put it there.
        let module = folder.path + "/pam_unix.so"
        for (mode, count) in [(0o644, 0), (0o666, 1)] as [(mode_t, Int)] {
            try DurableFile.write([0], to: module, mode: mode)
            let found = try problems("auth required \(module)" + account)
            #expect(found.count { $0.contains("the module \(module) in ") } == count, "\(found)")
        }
    }

    @Test(
        "a module that is not there is told, unless its line says that it may be missing; what the line makes of it counts"
    )
    func absences() throws {
        let (folder, stacks) = (try TemporaryFolder(), try TemporaryFolder())
        func look(_ text: String) throws -> [Keychain.Finding] {
            try DurableFile.write(Array((text + "\n").utf8), to: "\(stacks.path)/stack", mode: 0o644)
            return PAMCheck.absences(
                from: "coffer", PAMStack(service: "stack", folders: [stacks.path]), PAMModules(folders: [folder.path]))
        }
        // Nobody knows where this system has its modules.
        #expect(try look("auth required pam_unix.so").isEmpty)
        for name in ["pam_permit.so", "pam_unix.so"] {
            try DurableFile.write([0], to: "\(folder.path)/\(name)", mode: 0o644)
        }
        #expect(try look("auth required pam_unix.so\naccount required \(folder.path)/pam_unix.so").isEmpty)
        for text in ["-auth required pam_sss.so", "auth required pam_fprintd.so", "session required pam_none.so"] {
            #expect(try look(text).isEmpty, "\(text)")
        }
        for (text, verdict) in [
            ("auth required pam_sss.so", .problem), ("account requisite /nowhere/pam_unix.so", .problem),
            ("auth [success=1 module_unknown=die default=ignore] pam_sss.so", .problem),
            ("auth sufficient pam_u2f.so", .note), ("auth [success=1 default=ignore] pam_sss.so", .note),
            ("account [module_unknown=ignore default=bad] pam_sss.so", .note),
        ] as [(String, Keychain.Finding.Verdict)] {
            let found = try look(text)
            #expect(
                found.map(\.verdict) == [verdict] && (found.first?.advice != nil) == (verdict == .problem), "\(found)")
        }
    }

    @Test("account lines that judge nobody let expired accounts in, and are told; those of distributions judge")
    func accounts() throws {
        let folder = try TemporaryFolder()
        func problems(_ text: String, judges: Bool = true) throws -> [String] {
            let text = "auth required pam_unix.so\n\(text)\n"
            try DurableFile.write(Array(text.utf8), to: "\(folder.path)/stack", mode: 0o644)
            let stack = PAMStack(service: "stack", folders: [folder.path])
            return PAMCheck.problems(
                of: "coffer", stack, owner: OwnProcess.effectiveUser, judgesAccounts: judges
            ).map(\.message)
        }
        let passing = "PAM service coffer: its account lines let expired accounts in, by "
        for (text, module) in [
            ("account required pam_permit.so", "pam_permit.so"),
            ("account sufficient pam_localuser.so\naccount required pam_unix.so", "pam_localuser.so"),
            ("account optional pam_unix.so\naccount required pam_permit.so", "pam_permit.so"),
            ("account required pam_nologin.so", "pam_nologin.so"),
            ("account required pam_fprintd.so", "pam_fprintd.so"),
        ] {
            #expect(try problems(text) == [passing + module], "\(text)")
            #expect(try problems(text, judges: false) == [], "\(text)")
        }
        #expect(try problems("account required pam_deny.so") == ["PAM service coffer: its account lines let nobody in"])
        for text in [
            "account required pam_unix.so", "account required pam_unix.so\naccount required pam_access.so",
            // Debian's, Arch's and Fedora's.
            "account [success=1 new_authtok_reqd=done default=ignore] pam_unix.so\naccount requisite pam_deny.so\n"
                + "account required pam_permit.so",
            "-account [success=1 default=ignore] pam_systemd_home.so\naccount required pam_unix.so\n"
                + "account optional pam_permit.so\naccount required pam_time.so",
            "account required pam_unix.so\naccount sufficient pam_localuser.so\n"
                + "account sufficient pam_usertype.so issystem\n"
                + "account [default=bad success=ok user_unknown=ignore] pam_sss.so\naccount required pam_permit.so",
            // Coffer does not know it, which is a note.
            "account required pam_custom.so",
        ] { #expect(try problems(text) == [], "\(text)") }
    }
}
