import Foundation
import TestSupport
import Testing

/// What `make install` installs, in a folder that stands for a machine.
@Suite struct InstallTests {
    /// A copy of the files that an installation is made from, which a test may change, and a machine to install to.
    private struct Fixture {
        let folder: TemporaryFolder
        var tree: String { folder.path + "/tree" }
        var machine: String { folder.path + "/machine" }

        init() throws {
            folder = try TemporaryFolder()
            // In a process of its own, for the reason that Sandbox gives.
            let copy = """
                set -e
                mkdir -p "$1/tree/docs" "$1/tree/build" "$1/machine/usr/lib/systemd" "$1/machine/etc/pam.d"
                cp -r Makefile packaging pam scripts "$1/tree/"
                cp -r docs/man "$1/tree/docs/"
                for program in cofferd coffer-authenticator coffer coffer-secret-service; do
                    cp ".build/debug/$program" "$1/tree/build/"
                done
                echo module >"$1/tree/module.so"
                cp -r /usr/lib/systemd/system "$1/machine/usr/lib/systemd/"
                echo before >"$1/machine/etc/pam.d/login"
                """
            try #require(try Self.shell(copy, folder.path, in: SourceTree.root).code == 0)
        }

        static func shell(_ script: String, _ words: String..., in folder: String) throws -> Outcome {
            try Command(
                program: "/bin/sh", arguments: ["-c", "cd \"$0\" && \(script)", folder] + words,
                environment: ProcessInfo.processInfo.environment, limit: .seconds(120)
            ).run()
        }

        func make(_ target: String, _ variables: String...) throws -> Outcome {
            try Self.shell(
                "umask 077 && exec make -s \"$@\"", target, in: tree,
                rest: ["BUILD=build", "MODULE=module.so", "PAMDIR=/usr/lib/security", "DESTDIR=\(machine)"] + variables)
        }

        static func shell(_ script: String, _ word: String, in folder: String, rest: [String]) throws -> Outcome {
            try Command(
                program: "/bin/sh", arguments: ["-c", "cd \"$0\" && \(script)", folder, word] + rest,
                environment: ProcessInfo.processInfo.environment, limit: .seconds(120)
            ).run()
        }

        /// Type, mode, owner and content of everything on the machine.
        func state() throws -> [String] {
            let list =
                #"find . -mindepth 1 \( -type f -printf '%p %m %u %g ' -exec sha256sum {} \; \) -o -printf '%p %y %m %u %g\n'"#
            let outcome = try Self.shell(list, in: machine)
            try #require(outcome.code == 0)
            return outcome.text.split(separator: "\n").map(String.init).sorted()
        }

        func write(_ text: String, _ path: String) throws { try Data(text.utf8).write(to: URL(filePath: path)) }
        func text(_ path: String) throws -> String { try String(contentsOfFile: machine + path, encoding: .utf8) }
        func has(_ path: String) -> Bool { FileManager.default.fileExists(atPath: machine + path) }
    }

    @Test("with a prefix, everything is where the units say, for everybody to read and its owner to write")
    func prefix() throws {
        let fixture = try Fixture()
        let before = Set(try fixture.state().map { $0.prefix { $0 != " " } })
        let installed = try fixture.make("install", "PREFIX=/opt/coffer")
        #expect(installed.code == 0 && installed.text.isEmpty, "\(installed)")

        let names = try FileManager.default.contentsOfDirectory(atPath: SourceTree.path("packaging/systemd")).map {
            $0.replacing("@.", with: "@someone.")
        }
        // The shell is the system's.
        try FileManager.default.createDirectory(atPath: fixture.machine + "/bin", withIntermediateDirectories: true)
        try FileManager.default.copyItem(atPath: "/usr/bin/true", toPath: fixture.machine + "/bin/sh")
        let verified = try Fixture.shell(
            "exec systemd-analyze verify --man=no \"$@\"", "--root=\(fixture.machine)", in: fixture.machine, rest: names
        )
        try FileManager.default.removeItem(atPath: fixture.machine + "/bin/sh")
        #expect(names.count == 10 && verified.code == 0 && verified.errors.isEmpty, "\(verified)")
        for name in try FileManager.default.contentsOfDirectory(atPath: SourceTree.path("packaging/systemd")) {
            let lines = try fixture.text("/usr/lib/systemd/system/\(name)").split(separator: "\n")
            // It runs programs of the system's alone.
            for line in lines where line.hasPrefix("Exec") && name != "coffer-boot-log.service" {
                let words = line.split(separator: "=", maxSplits: 1)[1].split(separator: " ")
                let program = words.first { $0.hasPrefix("/opt/coffer/") }
                #expect(fixture.has(String(try #require(program, "\(line)"))), "\(line)")
                #expect(words.first == program || words.prefix(2) == ["/bin/sh", "-c"], "\(line)")
            }
        }

        for program in [
            "bin/coffer", "libexec/coffer/cofferd", "libexec/coffer/coffer-authenticator",
        ] {
            let path = fixture.machine + "/opt/coffer/" + program
            let outcome = try Command(program: path, arguments: ["--version"], environment: [:]).run()
            let name = program.split(separator: "/").last ?? ""
            #expect(outcome.code == 0 && outcome.text.hasPrefix("\(name) "), "\(outcome)")
        }

        // One file under three names. The kernel tells a process by the name that was started.
        let links = try Fixture.shell(
            "stat -c '%h %i' bin/coffer bin/*-credential-coffer | uniq", in: fixture.machine + "/opt/coffer")
        #expect(links.text.hasPrefix("3 ") && links.text.split(separator: "\n").count == 1, "\(links)")
        for name in ["git-credential-coffer", "docker-credential-coffer"] {
            let outcome = try Command(
                program: fixture.machine + "/opt/coffer/bin/" + name, arguments: ["--version"], environment: [:]
            ).run()
            #expect(outcome.code == 0 && outcome.text.hasPrefix("\(name) "), "\(outcome)")
        }

        let owner = try Fixture.shell("printf '%s %s' \"$(id -un)\" \"$(id -gn)\"", in: fixture.machine).text
        for line in try fixture.state() where !before.contains(line.prefix { $0 != " " }) {
            let isProgram =
                line.contains("/opt/coffer/bin/coffer ") || line.contains("-credential-coffer ")
                || line.contains("/opt/coffer/libexec/coffer/coffer")
            let words = line.split(separator: " ")
            let expected = words[1] == "d" ? "d 755" : isProgram ? "755" : "644"
            #expect(line.contains(" \(expected) \(owner)"), "\(line)")
        }
        #expect(fixture.has("/usr/lib/security/pam_coffer.so") && fixture.has("/etc/pam.d/coffer-passcode"))
        for file in [
            "bash-completion/completions/coffer", "zsh/site-functions/_coffer", "fish/vendor_completions.d/coffer.fish",
        ] {
            #expect(try fixture.text("/opt/coffer/share/\(file)").contains("coffer complete-words"))
        }
        for file in [
            "bash-completion/completions/coffer-secret-service", "zsh/site-functions/_coffer-secret-service",
            "fish/vendor_completions.d/coffer-secret-service.fish",
        ] {
            #expect(try fixture.text("/opt/coffer/share/\(file)").contains("replace"))
        }
        for (file, words) in [
            (
                "dbus-1/services/org.freedesktop.impl.portal.desktop.coffer.service",
                "/opt/coffer/libexec/coffer/coffer-secret-service"
            ),
            ("xdg-desktop-portal/portals/coffer.portal", "Interfaces=org.freedesktop.impl.portal.Secret"),
        ] {
            #expect(try fixture.text("/opt/coffer/share/\(file)").contains(words))
        }
        for page in [
            "man8/coffer-secret-service.8",
            "man1/coffer-otp.1", "man5/cofferd.conf.5", "man8/cofferd.8", "man8/pam_coffer.8",
        ] {
            #expect(fixture.has("/opt/coffer/share/man/\(page)"))
        }
    }

    @Test("a second install keeps what was edited and renews what was not")
    func edits() throws {
        let fixture = try Fixture()
        try #require(try fixture.make("install").code == 0)
        try fixture.write("idle-lock = 1\n", fixture.machine + "/etc/coffer/cofferd.conf")
        try fixture.write("auth required pam_deny.so\n", fixture.machine + "/etc/pam.d/coffer")

        let again = try fixture.make("install")
        #expect(again.code == 0 && again.text.contains("/etc/coffer/cofferd.conf"), "\(again)")
        #expect(try fixture.text("/etc/coffer/cofferd.conf") == "idle-lock = 1\n")
        #expect(try fixture.text("/etc/pam.d/coffer") == "auth required pam_deny.so\n")
        #expect(!fixture.has("/etc/coffer/cofferd.conf.new"))

        // The next version, with other files and one less.
        try fixture.write("# next\n", fixture.tree + "/packaging/cofferd.conf")
        try fixture.write("# next\n", fixture.tree + "/pam/coffer-passcode")
        try FileManager.default.removeItem(atPath: fixture.tree + "/docs/man/coffer-get.1")
        let next = try fixture.make("install")
        #expect(next.code == 0 && next.text.contains("/etc/coffer/cofferd.conf.new"), "\(next)")
        #expect(try fixture.text("/etc/coffer/cofferd.conf") == "idle-lock = 1\n")
        #expect(try fixture.text("/etc/coffer/cofferd.conf.new") == "# next\n")
        #expect(try fixture.text("/etc/pam.d/coffer-passcode") == "# next\n")
        #expect(!fixture.has("/usr/share/man/man1/coffer-get.1") && fixture.has("/usr/share/man/man1/coffer-set.1"))

        let removed = try fixture.make("uninstall")
        #expect(removed.code == 0 && removed.text.contains("Kept your /etc/pam.d/coffer"), "\(removed)")
        #expect(try fixture.text("/etc/coffer/cofferd.conf") == "idle-lock = 1\n")
        #expect(try fixture.text("/etc/pam.d/coffer") == "auth required pam_deny.so\n")
        #expect(!fixture.has("/etc/pam.d/coffer-passcode") && !fixture.has("/etc/coffer/cofferd.conf.new"))
    }

    @Test("a file of the administrator's that was there before the first install is kept")
    func older() throws {
        let fixture = try Fixture()
        try fixture.write("auth required pam_deny.so\n", fixture.machine + "/etc/pam.d/coffer")
        let installed = try fixture.make("install")
        #expect(installed.code == 0 && installed.text.contains("/etc/pam.d/coffer.new"), "\(installed)")
        #expect(try fixture.text("/etc/pam.d/coffer") == "auth required pam_deny.so\n")
    }

    @Test("uninstall removes what install laid down, and nothing else")
    func uninstall() throws {
        let fixture = try Fixture()
        let nothing = try fixture.make("uninstall")
        #expect(nothing.code != 0 && nothing.errors.contains("laid nothing down"), "\(nothing)")
        let before = try fixture.state()
        try #require(try fixture.make("install", "PREFIX=/usr/local").code == 0)
        // Another prefix. What the first one installed elsewhere is removed.
        try #require(try fixture.make("install").code == 0)
        #expect(fixture.has("/usr/bin/coffer") && !fixture.has("/usr/local"))
        try FileManager.default.createDirectory(
            atPath: fixture.machine + "/var/lib/coffer", withIntermediateDirectories: true)
        try fixture.write("vault", fixture.machine + "/var/lib/coffer/user-1000.vault")
        try fixture.write("auth optional pam_coffer.so\n", fixture.machine + "/etc/pam.d/login")
        let removed = try fixture.make("uninstall")
        #expect(removed.code == 0 && removed.text.contains("/var/lib/coffer"), "\(removed)")
        #expect(removed.text.contains("pam_coffer.so") && removed.text.contains("/etc/pam.d/login"))
        #expect(try fixture.text("/var/lib/coffer/user-1000.vault") == "vault")

        try FileManager.default.removeItem(atPath: fixture.machine + "/var")
        try fixture.write("before\n", fixture.machine + "/etc/pam.d/login")
        let after = try fixture.state()
        #expect(Set(after).symmetricDifference(before).filter { !$0.contains("/etc/pam.d/login") } == [])
    }

    @Test("an uninstall and an install that were interrupted can be repeated")
    func interrupted() throws {
        let fixture = try Fixture()
        let before = try fixture.state()
        try #require(try fixture.make("install").code == 0)
        // A program that fails after so many calls, as on a disk that has become read-only.
        func failing(_ program: String, after calls: Int) throws {
            let path = fixture.tree + "/broken/\(program)"
            try FileManager.default.createDirectory(atPath: fixture.tree + "/broken", withIntermediateDirectories: true)
            try fixture.write(
                "#!/bin/sh\necho >>\"$0.calls\"; [ $(wc -l <\"$0.calls\") -le \(calls) ] || exit 1\nexec /usr/bin/\(program) \"$@\"\n",
                path)
            try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path)
        }
        func makeBroken(_ target: String) throws -> Int32 {
            try Fixture.shell(
                "PATH=\"$PWD/broken:$PATH\" make -s \"$@\"", target, in: fixture.tree,
                rest: ["BUILD=build", "MODULE=module.so", "PAMDIR=/usr/lib/security", "DESTDIR=\(fixture.machine)"]
            ).code
        }
        try failing("rm", after: 20)
        #expect(try makeBroken("uninstall") != 0 && fixture.has("/usr/lib/coffer/installed"))
        let removed = try fixture.make("uninstall")
        #expect(removed.code == 0, "\(removed)")
        #expect(try fixture.state() == before)

        try FileManager.default.removeItem(atPath: fixture.tree + "/broken/rm")
        try failing("mv", after: 0)
        #expect(try makeBroken("install") != 0 && !fixture.has("/usr/lib/coffer/installed"))
        let installed = try fixture.make("install")
        #expect(installed.code == 0 && !installed.text.contains("another program"), "\(installed)")
        #expect(try fixture.make("uninstall").code == 0)
        #expect(!fixture.has("/usr/share/dbus-1/services/org.freedesktop.secrets.service"))
    }

    @Test("without what is to be installed, nothing is laid down")
    func incomplete() throws {
        let fixture = try Fixture()
        let before = try fixture.state()
        try FileManager.default.removeItem(atPath: fixture.tree + "/build/cofferd")
        let outcome = try fixture.make("install")
        #expect(outcome.code != 0 && outcome.errors.contains("make release"), "\(outcome)")
        #expect(try fixture.state() == before)
        #expect(try fixture.make("install", "PREFIX=relative").code != 0)
        #expect(try fixture.state() == before)
    }
}
