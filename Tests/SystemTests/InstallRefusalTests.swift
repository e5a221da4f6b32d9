import Foundation
import TestSupport
import Testing

/// What `scripts/install` refuses, and what it leaves alone. Scripts stand for the built programs.
@Suite struct InstallRefusalTests {
    private struct Fixture {
        let folder: TemporaryFolder
        var machine: String { folder.path + "/machine" }
        private var build: String { folder.path + "/build" }
        private var module: String { folder.path + "/module.so" }

        static let provider = "/usr/share/dbus-1/services/org.freedesktop.secrets.service"
        static let record = "/usr/lib/coffer/installed"

        init() throws {
            folder = try TemporaryFolder()
            for path in [build, machine] {
                try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
            }
            for name in ["cofferd", "coffer-authenticator", "coffer", "coffer-secret-service"] {
                try replace(name, by: "echo \(name)")
            }
            try write("module", module)
        }

        /// Puts another program in the place of a built one.
        func replace(_ name: String, by line: String) throws {
            try Script.write("#!/bin/sh\n\(line)\n", to: "\(build)/\(name)")
        }

        func remove(_ name: String) throws {
            try FileManager.default.removeItem(atPath: name == "module" ? module : "\(build)/\(name)")
        }

        func run(_ verb: String, _ variables: [String: String] = [:]) throws -> Outcome {
            let usual = [
                "PATH": "/usr/bin:/bin", "BUILD": build, "MODULE": module, "PREFIX": "/usr",
                "PAMDIR": "/usr/lib/security", "DESTDIR": machine,
            ]
            return try Command(
                program: SourceTree.path("scripts/install"), arguments: [verb],
                environment: usual.merging(variables) { $1 }
            ).run()
        }

        /// All that is on the machine.
        func laid() throws -> [String] { try FileManager.default.subpathsOfDirectory(atPath: machine) }

        /// Makes the folders above a path, too.
        func write(_ text: String, _ path: String) throws {
            let url = URL(filePath: path)
            try FileManager.default.createDirectory(
                at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(text.utf8).write(to: url)
        }

        func text(_ path: String) throws -> String { try String(contentsOfFile: path, encoding: .utf8) }
    }

    @Test(
        "a program that cannot run here ends the install before anything is laid down",
        arguments: ["cofferd", "coffer-authenticator", "coffer", "coffer-secret-service"])
    func unusable(_ name: String) throws {
        let fixture = try Fixture()
        try fixture.replace(name, by: "exit 127")
        let outcome = try fixture.run("install")
        #expect(outcome.code != 0, "\(outcome)")
        #expect(try fixture.laid() == [])
    }

    @Test(
        "without one of the built files nothing is laid down",
        arguments: ["cofferd", "coffer-authenticator", "coffer", "coffer-secret-service", "module"])
    func missing(_ name: String) throws {
        let fixture = try Fixture()
        try fixture.remove(name)
        let outcome = try fixture.run("install")
        #expect(outcome.code != 0 && outcome.errors.contains("is missing. Run first: make"), "\(outcome)")
        #expect(try fixture.laid() == [])
    }

    /// The units name the programs, and a path with such characters would come out as another one.
    @Test(
        "a prefix that a unit cannot name is refused",
        arguments: [
            ("PREFIX", "/opt/a&b"), ("PREFIX", "/opt/a|b"), ("PREFIX", "/opt/a b"), ("PREFIX", "opt"), ("PREFIX", ""),
            ("PAMDIR", "/lib/a b"), ("PAMDIR", "lib"), ("PAMDIR", ""),
            // The record of the install would be refused as damaged, for ever.
            ("PREFIX", "/opt/../usr"), ("PREFIX", "/opt/.."), ("PREFIX", "/opt/a..b"), ("PAMDIR", "/usr/lib/../lib"),
            // The next install would take the file for one that it must remove.
            ("PREFIX", "/usr//"), ("PREFIX", "//usr"), ("PREFIX", "/usr/./"), ("PREFIX", "/usr/."),
            ("PAMDIR", "/usr/lib//security"), ("PAMDIR", "/usr/./lib"), ("PAMDIR", "/usr/lib/security/."),
        ])
    func paths(_ variable: String, _ value: String) throws {
        let fixture = try Fixture()
        let outcome = try fixture.run("install", [variable: value])
        #expect(outcome.code == 1 && outcome.errors.contains("must be absolute paths"), "\(outcome)")
        #expect(try fixture.laid() == [])
    }

    /// One folder, spelt in two ways. `/lib` is a link to `/usr/lib` on most machines.
    @Test(
        "an install does not remove what it has just laid down, if the one before named its folder otherwise",
        arguments: ["/lib/security", "/usr/lib/security/"])
    func spelling(_ folder: String) throws {
        let fixture = try Fixture()
        let module = fixture.machine + "/usr/lib/security/pam_coffer.so"
        try FileManager.default.createDirectory(
            atPath: fixture.machine + "/usr/lib/security", withIntermediateDirectories: true)
        try FileManager.default.createSymbolicLink(
            atPath: fixture.machine + "/lib", withDestinationPath: "usr/lib")
        for variables in [["PAMDIR": folder], [:], ["PAMDIR": folder]] {
            let outcome = try fixture.run("install", variables)
            #expect(outcome.code == 0, "\(outcome)")
            #expect(try fixture.text(module) == "module")
        }
        #expect(try fixture.run("uninstall").code == 0)
        #expect(!FileManager.default.fileExists(atPath: module))
    }

    @Test("an uninstall names each folder that it keeps, and no other")
    func kept() throws {
        let fixture = try Fixture()
        let folders = ["/var/lib/coffer", "/var/lib/coffer-auth", "/var/lib/coffer-invitations"]
        for count in 0...folders.count {
            try #require(try fixture.run("install").code == 0)
            for folder in folders.prefix(count) { try fixture.write("x", "\(fixture.machine)\(folder)/file") }
            let outcome = try fixture.run("uninstall")
            let named = folders.prefix(count).joined(separator: " ")
            #expect(outcome.code == 0 && outcome.text.contains("Kept the vaults") == (count > 0), "\(outcome)")
            #expect(count == 0 || outcome.text.contains("belongs to them: \(named). "), "\(outcome)")
            for folder in folders.prefix(count) {
                #expect(try fixture.text("\(fixture.machine)\(folder)/file") == "x")
            }
        }
    }

    /// A package that was installed since has put its own files there.
    @Test("uninstall keeps a file that is not what install laid down, and names it")
    func replacedSince() throws {
        let fixture = try Fixture()
        try #require(try fixture.run("install").code == 0)
        let paths = ["/usr/bin/coffer", "/usr/lib/security/pam_coffer.so"]
        for path in paths {
            try FileManager.default.removeItem(atPath: fixture.machine + path)
            try fixture.write("of a package", fixture.machine + path)
        }
        // Whose module is not removed, may be demanded.
        try fixture.write("auth required pam_coffer.so\n", fixture.machine + "/etc/pam.d/door")
        let outcome = try fixture.run("uninstall")
        #expect(outcome.code == 0, "\(outcome)")
        for path in paths {
            #expect(outcome.text.contains("Kept \(path): "), "\(outcome)")
            #expect(try fixture.text(fixture.machine + path) == "of a package")
        }
        #expect(!outcome.text.contains("Take the line"), "\(outcome)")
        let left = try fixture.laid()
        #expect(!left.contains("usr/libexec") && !left.contains("usr/lib/coffer"), "\(left)")
    }

    /// Linux-PAM takes a module that is missing for one that has refused.
    @Test(
        "uninstall removes nothing while a PAM file keeps people out without the module",
        arguments: [
            ("auth required pam_coffer.so", true), ("-auth requisite /usr/lib/security/pam_coffer.so", true),
            ("auth [success=ok default=bad] pam_coffer.so", true), ("auth \\\n required pam_coffer.so", true),
            ("auth optional pam_coffer.so", false), ("auth [default=ignore] pam_coffer.so", false),
            ("# auth required pam_coffer.so", false),
        ])
    func demandedModule(_ line: String, _ isRefused: Bool) throws {
        let fixture = try Fixture()
        try #require(try fixture.run("install").code == 0)
        try fixture.write("\(line)\n", fixture.machine + "/etc/pam.d/door")
        let before = try fixture.laid()
        let outcome = try fixture.run("uninstall")
        #expect(outcome.code == (isRefused ? 1 : 0), "\(outcome)")
        #expect(outcome.errors.contains("/etc/pam.d/door\nWrite “optional”") == isRefused, "\(outcome)")
        #expect((try fixture.laid() == before) == isRefused)
    }

    /// What the record names is removed, by root.
    @Test(
        "a record that names something outside of the machine, or cannot be read, is not obeyed",
        arguments: ["install", "uninstall"],
        ["file - /../victim", "file - /usr/../../victim", "file - victim", "link - /kept", "file"])
    func record(_ verb: String, _ line: String) throws {
        let fixture = try Fixture()
        let record = fixture.machine + Fixture.record
        let victims = [fixture.folder.path + "/victim", fixture.machine + "victim", fixture.machine + "/kept"]
        for victim in victims { try fixture.write("precious", victim) }
        try fixture.write("file - /kept\n\(line)\n", record)
        let outcome = try fixture.run(verb)
        #expect(outcome.code == 1 && outcome.errors.contains("is damaged: \(line)"), "\(outcome)")
        for victim in victims { #expect(try fixture.text(victim) == "precious") }
        #expect(try fixture.text(record) == "file - /kept\n\(line)\n")
    }

    @Test("another program's Secret Service file is kept, and Coffer's own is renewed")
    func provider() throws {
        let fixture = try Fixture()
        let path = fixture.machine + Fixture.provider
        try fixture.write("of another\n", path)
        for _ in 0..<2 {
            let installed = try fixture.run("install")
            #expect(
                installed.code == 0 && installed.text.contains("Kept \(Fixture.provider) of another program"),
                "\(installed)")
            #expect(try fixture.text(path) == "of another\n")
        }
        #expect(try fixture.run("uninstall").code == 0)
        #expect(try fixture.text(path) == "of another\n")

        let own = try Fixture()
        try #require(try own.run("install").code == 0)
        let whole = try own.text(own.machine + Fixture.provider)
        try own.write("of an earlier version\n", own.machine + Fixture.provider)
        let renewed = try own.run("install")
        #expect(renewed.code == 0 && !renewed.text.contains("another program"), "\(renewed)")
        #expect(try own.text(own.machine + Fixture.provider) == whole)
    }

    /// A site that keeps its files in one place links to them.
    @Test(
        "an administrator's link in the place of a file of /etc is kept, with what it leads to",
        arguments: ["/etc/coffer/cofferd.conf", "/etc/pam.d/coffer"], [true, false])
    func links(_ path: String, _ isDangling: Bool) throws {
        let fixture = try Fixture()
        let (link, target) = (fixture.machine + path, fixture.folder.path + "/site")
        // What is there is as Coffer brings it. So only the link shows whose it is.
        let content = try SourceTree.text(path == "/etc/pam.d/coffer" ? "pam/coffer" : "packaging/cofferd.conf")
        if !isDangling { try fixture.write(content, target) }
        try fixture.write("", link)
        try FileManager.default.removeItem(atPath: link)
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: target)
        for verb in ["install", "install", "uninstall"] {
            let outcome = try fixture.run(verb)
            #expect(outcome.code == 0 && outcome.text.contains("Kept your \(path)"), "\(outcome)")
            #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link) == target)
            #expect(FileManager.default.fileExists(atPath: target) == !isDangling)
        }
        if !isDangling { #expect(try fixture.text(target) == content) }
    }
}
