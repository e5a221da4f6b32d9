import Foundation
import TestSupport
import Testing

/// Units, accounts, folders and rules, as they are shipped: who owns what, and who may reach it.
@Suite struct UnitFileTests {
    private static let packaging = SourceTree.path("packaging/")
    /// Kinds of files with protections in them. Packages' own scripts are in MaintainerScriptTests.
    private static let folders = [
        "systemd", "systemd-user", "tmpfiles.d", "sysusers.d", "udev", "pam-configs", "dbus",
    ]

    /// A file's lines without comments, each behind its section. What only describes is left out.
    private static func directives(_ file: String) throws -> [String] {
        var section = ""
        var found: [String] = []
        for line in try String(contentsOfFile: packaging + file, encoding: .utf8).split(separator: "\n") {
            let text = line.split(whereSeparator: \.isWhitespace).joined(separator: " ")
            if text.isEmpty || text.hasPrefix("#") || text.hasPrefix("Description=")
                || text.hasPrefix("Documentation=")
            {
                continue
            }
            if file.hasPrefix("systemd"), text.hasPrefix("["), text.hasSuffix("]") {
                section = text + " "
            } else {
                found.append("\(file): \(section)\(text)")
            }
        }
        return found
    }

    @Test("every directive is in the table, in its order, and nothing else is there")
    func directives() throws {
        let table = try SourceTree.text("Tests/Packages/directives.txt")
            .split(separator: "\n").map(String.init).filter { !$0.hasPrefix("#") }
        var seen = 0
        for folder in Self.folders {
            for name in try FileManager.default.contentsOfDirectory(atPath: Self.packaging + folder).sorted() {
                let file = "\(folder)/\(name)"
                let expected = table.filter { $0.hasPrefix(file + ": ") }
                let found = try Self.directives(file)
                #expect(!expected.isEmpty, "Tests/Packages/directives.txt has no line for \(file)")
                #expect(
                    found == expected,
                    "missing: \(expected.filter { !found.contains($0) }); more: \(found.filter { !expected.contains($0) })"
                )
                seen += expected.count
            }
        }
        #expect(seen == table.count, "Tests/Packages/directives.txt has lines for files that are not there")
    }

    /// A socket's folder belongs to whoever serves the socket. Otherwise somebody else could put another socket in its place.
    @Test("only the served account can replace a socket, and only root may report logins")
    func sockets() throws {
        let folders = try Self.directives("tmpfiles.d/coffer.conf").map { $0.split(separator: " ") }
        func value(_ key: String, _ file: String) throws -> Substring? {
            try Self.directives(file).first { $0.contains("] \(key)=") }?.split(separator: "=", maxSplits: 1).last
        }
        for (socket, service, mode) in [
            ("cofferd.socket", "cofferd.service", "0666"),
            ("coffer-authenticator.socket", "coffer-authenticator.service", "0666"),
            ("coffer-authenticator-report.socket", "coffer-authenticator-report@.service", "0600"),
        ] {
            let path = try #require(try value("ListenStream", "systemd/\(socket)"))
            let parent = path.prefix(upTo: try #require(path.lastIndex(of: "/")))
            let folder = try #require(folders.first { $0.count > 2 && $0[2] == parent }, "no line for \(parent)")
            let user = try #require(try value("User", "systemd/\(service)"))
            #expect(folder[3] == "0755" && folder[4] == user, "\(folder) serves \(user)")
            #expect(try value("SocketMode", "systemd/\(socket)").map(String.init) == mode, "\(socket)")
            #expect(try value("DirectoryMode", "systemd/\(socket)") == "0755")
            #expect(try value("SocketUser", "systemd/\(socket)") ?? "root" == "root")
        }
    }

    private static func value(_ key: String, _ lines: [String]) -> Substring? {
        lines.first { $0.contains("] \(key)=") }?.split(separator: "=", maxSplits: 1).last
    }

    /// systemd starts the broker again only after the units that end with it have ended.
    @Test("a service vault's unit asks no broker that has crashed, and locks the vault otherwise")
    func aBrokerThatHasCrashedIsNotAsked() throws {
        let folder = try TemporaryFolder()
        let unit = try Self.directives("systemd/coffer-unlock@.service")
        let command = try #require(Self.value("ExecStop", unit))
            .replacingOccurrences(of: "@bindir@", with: folder.path).replacingOccurrences(of: "%i", with: "nightly")
        try Script.write("#!/bin/sh\necho \"$@\"\n", to: "\(folder.path)/coffer")
        let cases: [(status: Int, said: [Substring])] = [(0, ["lock --user nightly --quiet"]), (3, [])]
        for (status, said) in cases {
            let isActive = "#!/bin/sh\n[ \"$*\" = '--quiet is-active cofferd.service' ] || exit 64\nexit \(status)\n"
            try Script.write(isActive, to: "\(folder.path)/systemctl")
            let outcome = try Command(
                program: "/bin/sh", arguments: ["-c", command],
                environment: ["PATH": "\(folder.path):/usr/bin:/bin"]
            ).run()
            #expect(outcome.code == 0 && outcome.text.split(separator: "\n") == said, "\(outcome)")
        }
    }

    @Test("what ends with the broker holds it up for a few seconds at most, and needs no start of it that succeeds")
    func whatEndsWithTheBroker() throws {
        var count = 0
        for name in try FileManager.default.contentsOfDirectory(atPath: Self.packaging + "systemd") {
            let unit = try Self.directives("systemd/\(name)")
            guard unit.contains(where: { $0.hasSuffix("] PartOf=cofferd.service") }) else { continue }
            count += 1
            let limit = Self.value("TimeoutStopSec", unit).flatMap { Int($0) }
            #expect(limit.map { $0 <= 5 } == true, "\(name)")
            #expect(Self.value("Restart", unit) == "on-failure", "\(name)")
            #expect(!unit.contains { $0.contains("] Requires=") && $0.contains("cofferd.service") }, "\(name)")
        }
        #expect(count == 3)
        let unlock = try Self.directives("systemd/coffer-unlock@.service")
        #expect(Self.value("StartLimitIntervalSec", unlock) == "0")
        // Not 1, 4, 5, 8 and 9, which pass: the broker or its TPM is not there, or its configuration is being mended.
        #expect(Self.value("RestartPreventExitStatus", unlock) == "3 6 7")
    }

    /// systemd takes 1 MiB at most for the broker, with the name, and starts no broker if there is more.
    @Test(
        "the broker gets a copy of a whole firmware log, and none of another, so that it starts with any",
        arguments: [(nil, false), (0, true), (100_000, true), (1_023_999, true), (1_024_000, false), (2 << 20, false)]
            as [(Int?, Bool)])
    func firmwareLog(_ size: Int?, _ isCopied: Bool) throws {
        let folder = try TemporaryFolder()
        let (log, copies) = (folder.path + "/firmware", folder.path + "/copies")
        try FileManager.default.createDirectory(atPath: copies, withIntermediateDirectories: false)
        let bytes = Data((0..<(size ?? 0)).map { UInt8(truncatingIfNeeded: $0 &* 31) })
        if size == nil {
            // It is there, and cannot be read.
            try FileManager.default.createDirectory(atPath: log, withIntermediateDirectories: false)
        } else {
            try bytes.write(to: URL(filePath: log))
        }
        // What an earlier start has left.
        for name in ["log", "part"] { try Data("before".utf8).write(to: URL(filePath: "\(copies)/\(name)")) }
        let unit = try Self.directives("systemd/coffer-boot-log.service")
        let command = try #require(Self.value("ExecStart", unit))
            .replacing("/sys/kernel/security/tpm0/binary_bios_measurements", with: log)
            .replacing("/run/coffer-boot", with: copies).replacing("$$", with: "$").replacing("%%", with: "%")
        let outcome = try Command(
            program: "/bin/sh", arguments: ["-c", String(command)], environment: ["PATH": "/usr/bin:/bin"]
        ).run()
        #expect(outcome.code == 0 && outcome.text.contains("There is no copy") != isCopied, "\(outcome)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: copies) == (isCopied ? ["log"] : []))
        if isCopied { #expect(try Data(contentsOf: URL(filePath: copies + "/log")) == bytes) }
        let broker = try Self.directives("systemd/cofferd.service")
        #expect(Self.value("LoadCredential", broker) == "boot-log:/run/coffer-boot/log")
        #expect(Self.value("SetCredential", broker) == "boot-log:none")
    }

    /// By the programs of systemd that installation runs, in a folder that stands for a machine.
    @Test(
        "the account and the folders are made with their owners, also where a folder of others is in the way",
        .enabled(if: geteuid() == 0, "only root can give folders to accounts"))
    func accountsAndFolders() throws {
        let fixture = try TemporaryFolder()
        let script = """
            set -e
            mkdir -p "$1/etc" "$1/run/coffer-auth" "$1/var/lib/coffer" "$1/var/lib/coffer-auth"
            chown 65534:65534 "$1"/run/* "$1"/var/lib/*
            chmod 0777 "$1"/run/* "$1"/var/lib/*
            systemd-sysusers --root="$1" "$0/sysusers.d/coffer.conf"
            systemd-tmpfiles --root="$1" --create "$0/tmpfiles.d/coffer.conf"
            cd "$1"
            user=$(awk -F: '$1 == "coffer" { print $3 ":" $4 }' etc/passwd)
            awk -F: '$1 == "coffer" && $3 < 1000 && $3 > 0 { print "account", $7 }' etc/passwd
            awk -F: '$1 == "tss" { print "group", $4 }' etc/group
            for folder in run/coffer run/coffer-auth var/lib/coffer var/lib/coffer-auth; do
                owner=$(stat -c %u:%g "$folder")
                [ "$owner" != "$user" ] || owner=coffer
                echo "$folder $owner $(stat -c %a "$folder")"
            done
            """
        let outcome = try Command(
            program: "/bin/sh", arguments: ["-c", script, Self.packaging, fixture.path],
            environment: ProcessInfo.processInfo.environment
        ).run()
        #expect(
            outcome.code == 0
                && outcome.text.split(separator: "\n") == [
                    "account /usr/sbin/nologin", "group coffer", "run/coffer coffer 755", "run/coffer-auth 0:0 755",
                    "var/lib/coffer coffer 700", "var/lib/coffer-auth 0:0 755",
                ], "\(outcome)")
    }
}
