import Foundation
import TestSupport
import Testing

/// The packages' own scripts where what they call fails, and what a purge leaves of root's folders.
@Suite struct MaintainerFailureTests {
    private struct Fixture {
        let scripts: PackageScripts
        private var machine: String { scripts.machine }

        static let whole = ["coffer", "coffer-auth", "coffer-invitations", "other"]

        /// - Parameters:
        ///   - status: of the programs that the scripts call.
        ///   - debconf: the status of debconf's answers. It says yes in any case.
        init(status: Int, debconf: Int = 0) throws {
            scripts = try PackageScripts()
            for name in Self.whole { try scripts.keep("\(name)/file") }
            try scripts.runSystemd()
            try scripts.install(
                debconf: """
                    db_fset() { return \(debconf); }
                    db_input() { return \(debconf); }
                    db_go() { return \(debconf); }
                    db_get() { RET=true; return \(debconf); }
                    db_reset() { RET=; return \(debconf); }
                    db_set() { echo db_set "$@" >>"\(scripts.calls)"; return \(debconf); }
                    db_stop() { echo db_stop >>"\(scripts.calls)"; }
                    """)
            try scripts.install(["systemctl", "udevadm", "deb-systemd-invoke"], status: status)
        }

        func run(_ name: String, _ words: String...) throws -> Outcome { try scripts.run(name, words) }

        func called() throws -> [String] { try scripts.called() }

        /// What is left in a folder.
        func left(_ path: String = "/var/lib") throws -> [String] {
            try FileManager.default.contentsOfDirectory(atPath: machine + path).sorted()
        }

        /// Moves one of the folders to `/srv`, and leaves a link to it.
        /// - Returns: its path there, as a script sees it.
        func moveElsewhere(_ name: String) throws -> String {
            let files = FileManager.default
            let (path, place) = ("\(machine)/var/lib/\(name)", "\(machine)/srv/the \(name)")
            try files.createDirectory(atPath: machine + "/srv", withIntermediateDirectories: true)
            try files.moveItem(atPath: path, toPath: place)
            try files.createSymbolicLink(atPath: path, withDestinationPath: place)
            return URL(filePath: place).resolvingSymlinksInPath().path
        }

        func remove(_ name: String) throws {
            try FileManager.default.removeItem(atPath: "\(machine)/var/lib/\(name)")
        }

        /// What a purge that keeps everything says in the end.
        func advice(_ names: String...) -> String {
            "To delete all of it: rm -r" + names.map { " \(machine)/var/lib/\($0)" }.joined() + "\n"
        }
    }

    /// They say who may join a vault that is gone.
    @Test("a purge that was told so deletes root's invitations, too")
    func invitations() throws {
        let fixture = try Fixture(status: 0)
        let outcome = try fixture.run("coffer.postrm", "purge")
        #expect(outcome.code == 0, "\(outcome)")
        #expect(try fixture.left() == ["other"])
        #expect(try Fixture(status: 0).left() == Fixture.whole)
    }

    @Test("a purge that cannot ask goes through, and keeps everything")
    func unasked() throws {
        let fixture = try Fixture(status: 0, debconf: 30)
        let outcome = try fixture.run("coffer.postrm", "purge")
        #expect(outcome.code == 0 && outcome.errors.contains("Kept the vaults"), "\(outcome)")
        #expect(try fixture.left() == Fixture.whole)
    }

    /// debconf keeps an answer until the package is purged. A purge that fails is followed by others.
    @Test("a yes to one purge is forgotten before anything is deleted, and debconf that cannot forget it is told a no")
    func forgotten() throws {
        let fixture = try Fixture(status: 0)
        try fixture.scripts.install(
            debconf: """
                answer=$(cat "\(fixture.scripts.folder.path)/answer")
                db_fset() { :; }
                db_input() { :; }
                db_go() { :; }
                db_get() { RET=$answer; }
                db_reset() { echo false >"\(fixture.scripts.folder.path)/answer"; RET=; }
                db_stop() { :; }
                """)
        let answer = URL(filePath: fixture.scripts.folder.path + "/answer")
        try Data("true\n".utf8).write(to: answer)
        // What deletes is killed, as the whole purge can be.
        for name in ["find", "rm"] {
            try Script.write("#!/bin/sh\nkill -KILL $PPID\n", to: "\(fixture.scripts.folder.path)/programs/\(name)")
        }
        #expect(try fixture.run("coffer.postrm", "purge").code != 0)
        #expect(try fixture.left() == Fixture.whole)
        #expect(try String(contentsOf: answer, encoding: .utf8) == "false\n")
        for name in ["find", "rm"] {
            try FileManager.default.removeItem(atPath: "\(fixture.scripts.folder.path)/programs/\(name)")
        }
        let unasked = try fixture.run("coffer.postrm", "purge")
        #expect(unasked.code == 0 && unasked.errors.contains("Kept the vaults"), "\(unasked)")
        #expect(try fixture.left() == Fixture.whole)

        let stubborn = try Fixture(status: 0)
        try stubborn.scripts.install(
            debconf: """
                db_fset() { :; }
                db_input() { :; }
                db_go() { :; }
                db_get() { RET=true; }
                db_reset() { return 10; }
                db_set() { echo db_set "$@" >>"\(stubborn.scripts.calls)"; }
                db_stop() { :; }
                """)
        #expect(try stubborn.run("coffer.postrm", "purge").code == 0)
        #expect(try stubborn.called() == ["db_set coffer/delete-vaults false"])
    }

    /// Otherwise somebody who deletes by hand leaves a folder behind.
    @Test("a purge that keeps everything names each folder that is there, and no other")
    func kept() throws {
        let fixture = try Fixture(status: 0, debconf: 30)
        let all = try fixture.run("coffer.postrm", "purge")
        #expect(all.errors.hasSuffix(fixture.advice("coffer", "coffer-auth", "coffer-invitations")), "\(all)")
        #expect(all.errors.contains("Kept invitations in "), "\(all)")
        try fixture.remove("coffer-invitations")
        let some = try fixture.run("coffer.postrm", "purge")
        #expect(some.errors.hasSuffix(fixture.advice("coffer", "coffer-auth")), "\(some)")
        #expect(!some.errors.contains("invitations"), "\(some)")
        try fixture.remove("coffer")
        let registry = try fixture.run("coffer.postrm", "purge")
        #expect(registry.errors.hasSuffix(fixture.advice("coffer-auth")), "\(registry)")
        #expect(!registry.errors.contains("Kept the vaults"), "\(registry)")
        try fixture.remove("coffer-auth")
        let nothing = try fixture.run("coffer.postrm", "purge")
        #expect(nothing.code == 0 && nothing.errors.isEmpty, "\(nothing)")
    }

    /// A folder can be a mount point. Then it is busy, and a purge that failed for it would fail again each time.
    @Test("a purge empties a folder that cannot go itself, says so, and goes on")
    func busyFolder() throws {
        let fixture = try Fixture(status: 0)
        try fixture.scripts.install(["rmdir"], status: 1)
        let outcome = try fixture.run("coffer.postrm", "purge")
        #expect(outcome.code == 0, "\(outcome)")
        for name in Fixture.whole where name != "other" {
            #expect(try fixture.left("/var/lib/\(name)").isEmpty)
            #expect(outcome.errors.contains("/var/lib/\(name). The folder itself stays"), "\(outcome)")
        }
        #expect(try fixture.left("/var/lib/other") == ["file"])
    }

    @Test("a purge that was told so deletes what a link of root's leads to, and says what it has emptied")
    func linkedFolder() throws {
        let fixture = try Fixture(status: 0)
        let place = try fixture.moveElsewhere("coffer")
        let outcome = try fixture.run("coffer.postrm", "purge")
        #expect(outcome.code == 0 && outcome.errors.contains("Emptied \(place), because "), "\(outcome)")
        #expect(try fixture.left() == ["other"])
        #expect(try fixture.left("/srv/the coffer").isEmpty)
    }

    /// Otherwise somebody who follows the advice keeps the vaults, and loses their registry. Root runs the command as it
    /// is, so a blank must not make two names of one.
    @Test("a purge that keeps everything names the folder behind a link, too")
    func keptLink() throws {
        let fixture = try Fixture(status: 0, debconf: 30)
        let place = try fixture.moveElsewhere("coffer")
        let outcome = try fixture.run("coffer.postrm", "purge")
        #expect(outcome.code == 0, "\(outcome)")
        let advice = fixture.advice("coffer", "coffer-auth", "coffer-invitations")
        #expect(outcome.errors.hasSuffix(advice.replacing("rm -r ", with: "rm -r '\(place)' ")), "\(outcome)")
        #expect(try fixture.left("/srv/the coffer") == ["file"])
    }

    @Test("a purge that cannot delete everything says what is left, and goes on")
    func undeleted() throws {
        let fixture = try Fixture(status: 0)
        try Script.write(
            """
            #!/bin/sh
            case "$*" in
            *-delete) exit 1 ;;
            *) exec /usr/bin/find "$@" ;;
            esac
            """, to: "\(fixture.scripts.folder.path)/programs/find")
        let outcome = try fixture.run("coffer.postrm", "purge")
        #expect(outcome.code == 0 && outcome.errors.contains("/var/lib/coffer could be deleted"), "\(outcome)")
        #expect(!outcome.errors.contains("Emptied"), "\(outcome)")
        #expect(try fixture.left() == Fixture.whole)
    }

    /// Linux-PAM takes a module that is missing for one that has refused.
    @Test(
        "the module stays while a line of an administrator's keeps people out without it",
        arguments: [
            ("auth required pam_coffer.so", true), ("-auth\trequisite /usr/lib/security/pam_coffer.so", true),
            ("auth [success=ok default=die] pam_coffer.so", true), ("AUTH REQUIRED pam_coffer.so debug", true),
            ("auth optional pam_coffer.so", false), ("auth sufficient pam_coffer.so", false),
            ("-auth [success=ok default=ignore] pam_coffer.so", false), ("# auth required pam_coffer.so", false),
            ("auth required pam_unix.so", false),
        ])
    func demandedModule(_ line: String, _ isKept: Bool) throws {
        let fixture = try Fixture(status: 0)
        try fixture.scripts.install(["pam-auth-update"])
        try fixture.scripts.keepService("common-auth", "auth optional pam_coffer.so\n")
        try fixture.scripts.keepService("door", "auth required pam_unix.so\n\(line)\n")
        let outcome = try fixture.run("libpam-coffer.prerm", "remove")
        #expect(outcome.code == (isKept ? 1 : 0), "\(outcome)")
        #expect(outcome.errors.contains("/etc/pam.d/door\n") == isKept, "\(outcome)")
        #expect(!outcome.errors.contains("common-auth"), "\(outcome)")
        #expect(try fixture.called() == (isKept ? [] : ["pam-auth-update --package --remove coffer"]))
        // An update puts another module in its place.
        #expect(try fixture.run("libpam-coffer.prerm", "upgrade", "1.1").code == 0)
    }

    /// They are enabled still, and a service's vault would be sealed until the next boot.
    @Test("an installation after a removal starts what root has enabled for service vaults; an update does not")
    func enabledInstances() throws {
        let units = ["coffer-admit@web.service", "coffer-courier@web.service", "coffer-unlock@web.service"]
        for status in [0, 3] {
            let fixture = try Fixture(status: 0)
            try fixture.scripts.install(["systemctl"], status: status)
            for unit in units + ["other.service"] { try fixture.scripts.enable(unit) }
            #expect(try fixture.run("coffer.postinst", "configure", "1.0").code == 0)
            let started = try fixture.called().filter { $0.hasPrefix("deb-systemd-invoke start ") }
            #expect(started.sorted() == (status == 0 ? [] : units.map { "deb-systemd-invoke start \($0)" }))
        }
    }

    @Test("a purge leaves no link to a unit that is gone, and others' links")
    func danglingLinks() throws {
        let fixture = try Fixture(status: 0, debconf: 30)
        for unit in ["coffer-unlock@web.service", "coffer-admit@a.service", "other.service"] {
            try fixture.scripts.enable(unit)
        }
        let links = "/etc/systemd/system/multi-user.target.wants"
        #expect(try fixture.run("coffer.postrm", "remove").code == 0)
        #expect(try fixture.left(links).count == 3)
        #expect(try fixture.run("coffer.postrm", "purge").code == 0)
        #expect(try fixture.left(links) == ["other.service"])
    }

    @Test("the question before a purge names each folder that would be deleted")
    func question() throws {
        let text = try SourceTree.text("packaging/debian/coffer.templates")
        let words = text.split { " ,.\n".contains($0) }.map(String.init)
        for name in Fixture.whole where name != "other" { #expect(words.contains("/var/lib/" + name)) }
    }

    @Test("a socket that does not stop keeps neither the services running nor the package installed")
    func removal() throws {
        let fixture = try Fixture(status: 1)
        #expect(try fixture.run("coffer.prerm", "remove").code == 0)
        #expect(
            try fixture.called() == [
                "deb-systemd-invoke stop cofferd.socket coffer-authenticator.socket",
                "deb-systemd-invoke stop cofferd.service coffer-authenticator.service",
            ])
    }

    /// A container has systemd, and no udev that answers.
    @Test("an update goes through where udev does not answer and a service does not start again")
    func update() throws {
        let fixture = try Fixture(status: 1)
        #expect(try fixture.run("coffer.postinst", "configure", "1.0").code == 0)
        #expect(
            try fixture.called() == [
                "systemctl --quiet is-active cofferd.socket", "udevadm control --reload",
                "udevadm trigger --action=add --subsystem-match=tpmrm",
                "deb-systemd-invoke try-restart cofferd.service coffer-authenticator.service", "db_stop",
            ])
        // A broker that does not run has opened nothing, and the update goes through.
        let before = try fixture.run("coffer.preinst", "upgrade", "1.0")
        #expect(before.code == 0 && before.text.isEmpty, "\(before)")
    }
}
