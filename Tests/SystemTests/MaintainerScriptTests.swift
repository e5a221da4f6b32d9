import Foundation
import TestSupport
import Testing

/// What the packages' own scripts do (``PackageScripts``).
@Suite struct MaintainerScriptTests {
    private struct Fixture {
        let scripts: PackageScripts
        var folder: TemporaryFolder { scripts.folder }
        private var machine: String { scripts.machine }

        /// - Parameter answer: what debconf says of deleting the vaults; nil: there is no debconf.
        init(answer: String? = "false", isRunning: Bool = true) throws {
            scripts = try PackageScripts()
            for path in ["coffer/user-1.vault", "coffer-auth/key", "other/file"] { try scripts.keep(path) }
            // What a taken-over broker could leave.
            try FileManager.default.createSymbolicLink(
                atPath: "\(machine)/var/lib/coffer/link", withDestinationPath: "\(machine)/var/lib/other")
            if isRunning { try scripts.runSystemd() }
            if let answer {
                try scripts.install(
                    debconf: """
                        db_note() { echo "$*" >>"\(scripts.calls)"; }
                        db_fset() { db_note db_fset "$@"; }
                        db_input() { db_note db_input "$@"; }
                        db_go() { db_note db_go; }
                        db_get() { db_note db_get "$@"; RET=\(answer); }
                        db_reset() { db_note db_reset "$@"; RET=; }
                        db_stop() { db_note db_stop; }
                        """)
            }
            try scripts.install([
                "systemctl", "udevadm", "deb-systemd-invoke", "pam-auth-update", "dpkg-divert", "chown", "chmod",
            ])
            // The machine has the account that a test writes there, and no other.
            try Script.write(
                """
                #!/bin/sh
                exec cat "\(folder.path)/account" 2>/dev/null
                """, to: "\(folder.path)/programs/getent")
        }

        func run(_ name: String, _ words: String..., environment: [String: String] = [:]) throws -> Outcome {
            try scripts.run(name, words, environment: environment)
        }

        func called() throws -> [String] { try scripts.called() }

        /// - Parameter line: the account coffer, as in `/etc/passwd`. `HOME` stands for the folder of the vaults.
        func setAccount(_ line: String) throws {
            let text = line.replacing("HOME", with: "\(machine)/var/lib/coffer") + "\n"
            try Data(text.utf8).write(to: URL(filePath: folder.path + "/account"))
        }

        func remove(_ name: String) throws {
            try FileManager.default.removeItem(atPath: "\(machine)/var/lib/\(name)")
        }

        /// What is left of the folders.
        func left() throws -> [String] {
            try FileManager.default.subpathsOfDirectory(atPath: machine + "/var/lib").sorted()
        }

        static let whole = [
            "coffer", "coffer-auth", "coffer-auth/key", "coffer/link", "coffer/user-1.vault", "other", "other/file",
        ]
    }

    @Test("a purge keeps the vaults unless somebody says otherwise, and says so", arguments: ["false", nil])
    func purgeKeeps(_ answer: String?) throws {
        let fixture = try Fixture(answer: answer)
        let outcome = try fixture.run("coffer.postrm", "purge")
        #expect(outcome.code == 0 && outcome.errors.contains("Kept the vaults"), "\(outcome)")
        #expect(try fixture.left() == Fixture.whole)
    }

    @Test("a purge that was told so deletes the two folders, follows no link, and asks anew each time")
    func purgeDeletes() throws {
        let fixture = try Fixture(answer: "true")
        let outcome = try fixture.run("coffer.postrm", "purge")
        #expect(outcome.code == 0 && !outcome.errors.contains("Kept"), "\(outcome)")
        #expect(try fixture.left() == ["other", "other/file"])
        #expect(
            try fixture.called() == [
                "db_fset coffer/delete-vaults seen false", "db_input high coffer/delete-vaults", "db_go",
                "db_get coffer/delete-vaults", "db_reset coffer/delete-vaults", "db_stop",
            ])
    }

    @Test(
        "nothing but a purge deletes or asks",
        arguments: ["remove", "upgrade", "failed-upgrade", "abort-install", "abort-upgrade", "disappear"])
    func othersKeep(_ word: String) throws {
        let fixture = try Fixture(answer: "true")
        let outcome = try fixture.run("coffer.postrm", word)
        #expect(outcome.code == 0, "\(outcome)")
        #expect(try fixture.left() == Fixture.whole)
        #expect(try fixture.called().isEmpty)
    }

    @Test("a first installation starts nothing again; an update does; a root without systemd is left alone")
    func postinst() throws {
        let rule = [
            "systemctl --quiet is-active cofferd.socket", "udevadm control --reload",
            "udevadm trigger --action=add --subsystem-match=tpmrm",
        ]
        let first = try Fixture()
        #expect(try first.run("coffer.postinst", "configure", "").code == 0)
        #expect(try first.called() == rule + ["db_stop"])
        let update = try Fixture()
        #expect(try update.run("coffer.postinst", "configure", "1.0").code == 0)
        #expect(
            try update.called()
                == rule + ["deb-systemd-invoke try-restart cofferd.service coffer-authenticator.service", "db_stop"])
        let folder = try Fixture(isRunning: false)
        #expect(try folder.run("coffer.postinst", "configure", "1.0").code == 0)
        #expect(try folder.called() == ["db_stop"])
        for fixture in [first, update, folder] { #expect(try fixture.left() == Fixture.whole) }
    }

    @Test("an update says beforehand that vaults lock")
    func preinst() throws {
        let fixture = try Fixture()
        #expect(try fixture.run("coffer.preinst", "upgrade", "1.0").text.contains("locks all vaults"))
        #expect(try fixture.called() == ["systemctl --quiet is-active cofferd.service"])
        #expect(try fixture.run("coffer.preinst", "install").text.isEmpty)
        #expect(try Fixture(isRunning: false).run("coffer.preinst", "upgrade", "1.0").text.isEmpty)
    }

    /// An account that was there before Coffer: who has it, has all vaults. `HOME` is the folder of the vaults.
    @Test(
        "a first installation gives the broker no person's account, no other service's, and none that can log in",
        arguments: [
            ("coffer:x:1000:1000:A:HOME:/bin/bash", true), ("coffer:x:1001:1001::HOME:/usr/sbin/nologin", true),
            ("coffer:x:998:998::HOME:/bin/sh", true), ("coffer:x:998:998::HOME:", true),
            ("coffer:x:998:998:Other:/srv/other:/usr/sbin/nologin", true), ("coffer:x:1:1::/:/bin/false", true),
            ("coffer:x:998:998:::/usr/sbin/nologin", true),
            ("coffer:x:999:999::HOME:/usr/sbin/nologin", false), ("coffer:x:1:1::HOME:/bin/false", false),
        ])
    func account(_ line: String, _ isRefused: Bool) throws {
        let fixture = try Fixture()
        try fixture.setAccount(line)
        try fixture.remove("coffer-auth")
        let outcome = try fixture.run("coffer.preinst", "install")
        #expect(outcome.code == (isRefused ? 1 : 0), "\(outcome)")
        #expect(outcome.errors.contains("There is an account coffer already") == isRefused, "\(outcome)")
        // An update cannot change it, and does not stop half-way. The doctor tells of it.
        #expect(try fixture.run("coffer.preinst", "upgrade", "1.0").code == 0)
    }

    @Test("an installation after another takes the account that it had, wherever its home folder is")
    func formerAccount() throws {
        let fixture = try Fixture()
        try fixture.setAccount("coffer:x:998:998::/nonexistent:/usr/sbin/nologin")
        let outcome = try fixture.run("coffer.preinst", "install")
        #expect(outcome.code == 0 && outcome.errors.isEmpty, "\(outcome)")
    }

    @Test("a removal stops the sockets first, so that nobody starts the services again; an update does not")
    func prerm() throws {
        let fixture = try Fixture()
        #expect(try fixture.run("coffer.prerm", "upgrade", "1.1").code == 0)
        #expect(try fixture.called().isEmpty)
        #expect(try fixture.run("coffer.prerm", "remove").code == 0)
        #expect(
            try fixture.called() == [
                "deb-systemd-invoke stop cofferd.socket coffer-authenticator.socket",
                "deb-systemd-invoke stop cofferd.service coffer-authenticator.service",
            ])
        #expect(try fixture.left() == Fixture.whole)
    }

    @Test(
        "the module's line goes in with the package, and out before the module does, once no other architecture has it")
    func module() throws {
        let fixture = try Fixture()
        #expect(try fixture.run("libpam-coffer.postinst", "configure").code == 0)
        #expect(try fixture.run("libpam-coffer.prerm", "upgrade", "1.1").code == 0)
        let another = ["DPKG_MAINTSCRIPT_PACKAGE_REFCOUNT": "2"]
        #expect(try fixture.run("libpam-coffer.prerm", "remove", environment: another).code == 0)
        #expect(try fixture.called() == ["pam-auth-update --package"])
        #expect(try fixture.run("libpam-coffer.prerm", "remove").code == 0)
        #expect(try fixture.called() == ["pam-auth-update --package", "pam-auth-update --package --remove coffer"])
    }

    @Test("D-Bus's file of another keyring is put aside, and comes back")
    func diversion() throws {
        let file = "/usr/share/dbus-1/services/org.freedesktop.secrets.service"
        func call(_ word: String) -> String {
            "dpkg-divert --package coffer-secret-service --rename --quiet \(word) --divert \(file).other \(file)"
        }
        let fixture = try Fixture()
        for word in ["install", "upgrade"] {
            #expect(try fixture.run("coffer-secret-service.preinst", word).code == 0)
        }
        #expect(try fixture.called() == [call("--add"), call("--add")])
        let removal = try Fixture()
        for word in ["upgrade", "purge", "remove", "abort-install", "disappear"] {
            #expect(try removal.run("coffer-secret-service.postrm", word).code == 0)
        }
        #expect(try removal.called() == [String](repeating: call("--remove"), count: 3))
    }

    /// The broker owns its folder. A script of root's that changes files in it could be led by a link to any file.
    @Test("no script gives files to accounts or changes their modes, and each one is tested here")
    func rest() throws {
        let names = try FileManager.default.contentsOfDirectory(atPath: SourceTree.path("packaging/debian"))
            .filter {
                ["preinst", "postinst", "prerm", "postrm", "config"].contains($0.split(separator: ".").last ?? "")
            }
        #expect(
            names.sorted() == [
                "coffer-secret-service.postrm", "coffer-secret-service.preinst", "coffer.postinst", "coffer.postrm",
                "coffer.preinst", "coffer.prerm", "libpam-coffer.postinst", "libpam-coffer.prerm",
            ])
        for name in names {
            let text = try SourceTree.text("packaging/debian/\(name)")
            #expect(text.hasPrefix("#!/bin/sh\nset -e\n"), "\(name)")
            for line in text.split(separator: "\n") where !line.hasPrefix("#") && !line.contains("echo ") {
                let words = line.split(whereSeparator: \.isWhitespace)
                for word in ["chown", "chmod", "chgrp", "setfacl", "mv", "cp", "eval"] {
                    #expect(!words.contains { $0 == word }, "\(name): \(line)")
                }
                if words.contains("rm") { #expect(line.contains("--one-file-system --"), "\(name): \(line)") }
                if words.contains("-delete") { #expect(line.contains("-xdev -mindepth 1"), "\(name): \(line)") }
            }
        }
    }
}
