import Foundation
import Platform
import TestSupport
import Testing

/// Servers that come without anybody at them (docs/decisions/0039-invitations.md): TPM simulators, brokers and authenticators
/// of their own, and real users.
@Suite(.enabled(if: getuid() == 0, "only root can become other users"), .serialized) struct InvitationFleetTests {
    private let fleet: Fleet
    private let files: TemporaryFolder

    init() throws { (fleet, files) = (try Fleet(), try TemporaryFolder()) }

    private func admin(_ options: String...) throws -> Sandbox {
        let admin = try options.isEmpty ? fleet.machine() : fleet.machine("--software")
        try fleet.root(admin, ["set", "db", "app", "--user", fleet.name], input: "first")
        try fleet.sync(admin, "init", fleet.folder, "--name", "admin")
        return admin
    }

    private func invite(_ admin: Sandbox, _ words: String..., name: String = "invitation") throws -> String {
        let file = "\(files.path)/\(name)"
        let made = try fleet.root(
            admin, ["sync", "invite", "--output", file] + words + ["--user", fleet.name], answer: nil)
        #expect(made.all.contains("Made invitation"), "\(made)")
        let mode = try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int
        #expect(mode == 0o600)
        return file
    }

    /// A server's root runs it from a script. Nobody answers anything.
    private func join(_ machine: Sandbox, _ name: String, _ file: String, _ more: String...) throws -> Outcome {
        try machine.coffer(
            ["sync", "join", fleet.folder, "--name", name, "--invitation", file] + more + ["--user", fleet.name],
            password: nil)
    }

    private func admit(_ admin: Sandbox) throws -> Outcome {
        try fleet.sync(admin, "admit", "--once", answer: nil)
    }

    private func read(_ machine: Sandbox) throws -> String { try fleet.own(machine, "get", "db", "app").text }

    /// What the admin's service does, until the test ends it.
    private func admitting(_ admin: Sandbox) throws -> Subprocess {
        var environment = ProcessInfo.processInfo.environment
        for (name, value) in admin.variables { environment[name] = value }
        for name in ["COFFER_ASKPASS", "DISPLAY", "WAYLAND_DISPLAY"] { environment[name] = nil }
        return try Subprocess("/usr/bin/env", ["coffer", "sync", "admit", "--user", fleet.name]) {
            $0.environment = environment
            $0.output = .file("\(files.path)/admitted")
            $0.errors = .file("\(files.path)/admitted-errors")
        }
    }

    @Test func serversComeWithoutAnybody() throws {
        let admin = try admin("--software")
        let file = try invite(admin, "--count", "2")
        let service = try admitting(admin)
        defer { service.signal(SIGKILL) }
        let servers = try (1...2).map { _ in try fleet.machine("--software") }
        for (index, server) in servers.enumerated() {
            let joined = try join(server, "web-\(index + 1)", file)
            #expect(joined.code == 0 && !joined.all.contains("JOIN-"), "\(joined)")
            #expect(try read(server) == "first")
            let status = try fleet.sync(server, "status", answer: nil).text
            #expect(status.contains("reader"), "\(status)")
        }
        // As many as were invited have come. One that came before is answered once more.
        let third = try fleet.machine("--software")
        let waiting = try join(third, "web-3", file, "--no-wait")
        #expect(waiting.code == 0, "\(waiting)")
        let refused = try admit(admin)
        #expect(refused.errors.contains("web-3 is invited, and as many machines as were invited"), "\(refused)")
        let list = try fleet.sync(admin, "invite", "--list", answer: nil).text
        #expect(list.contains("2 of 2 machines came") && list.contains("web-1") && list.contains("web-2"), "\(list)")
        #expect(list.contains("over") && !list.contains("web-3"), "\(list)")
        try fleet.sync(admin, "now", answer: nil)
        let status = try fleet.sync(admin, "status", answer: nil).text
        #expect(status.contains("web-1") && status.contains("web-2") && !status.contains("web-3"), "\(status)")
        let log = try fleet.root(admin, ["log", "--user", fleet.name], answer: nil).text
        #expect(log.contains("web-1 was added, by an invitation of root's"), "\(log)")
        // Another invitation, and it comes. The service ends once none is open.
        let more = try invite(admin, name: "more")
        #expect(try join(third, "web-3", more).code == 0)
        #expect(try read(third) == "first")
        for line in try fleet.sync(admin, "invite", "--list", answer: nil).text.split(separator: "\n") {
            guard let name = line.split(separator: " ").first, !line.hasPrefix(" ") else { continue }
            try fleet.sync(admin, "invite", "--end", String(name), answer: nil)
        }
        #expect(try service.finish() == 0)
        #expect(try fleet.sync(admin, "invite", "--list", answer: nil).errors.contains("no invitation"))
    }

    /// With a TPM of root's list alone, and not with the invitation alone.
    @Test func anAttestedInvitationTakesListedMachinesOnly() throws {
        let admin = try admin()
        let (listed, plain) = (try fleet.machine(), try fleet.machine("--software"))
        let line = try fleet.root(listed, ["sync", "identity"], answer: nil).text
        let path = "\(admin.directory)/machines"
        try Data(line.utf8).write(to: URL(fileURLWithPath: path))
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: path)
        let file = try invite(admin, "--attested", "--writer")
        let service = try admitting(admin)
        defer { service.signal(SIGKILL) }
        #expect(try join(plain, "plain", file, "--no-wait").code == 0)
        let joined = try join(listed, "listed", file)
        #expect(joined.code == 0 && joined.all.contains("has proved"), "\(joined)")
        #expect(try read(listed) == "first")
        let status = try fleet.sync(admin, "status", answer: nil).text
        #expect(status.contains("writer") && !status.contains("plain"), "\(status)")
        #expect(try admit(admin).errors.contains("plain") == false)
        #expect(try fleet.own(plain, "get", "db", "app").code != 0)
    }

    /// Attacker 10 puts files where machines knock, and moves what lies there.
    @Test func whatTheStoreMakesIsNoMachine() throws {
        let admin = try admin("--software")
        let file = try invite(admin, "--count", "5")
        let server = try fleet.machine("--software")
        #expect(try join(server, "web", file, "--no-wait").code == 0)
        let circle = try #require(
            FileManager.default.contentsOfDirectory(atPath: fleet.folder).first { $0.count == 64 })
        let knocks = "\(fleet.folder)/\(circle)/knocks"
        let knock = try #require(FileManager.default.contentsOfDirectory(atPath: knocks).first)
        let bytes = try Data(contentsOf: URL(fileURLWithPath: "\(knocks)/\(knock)"))
        for (index, content) in [bytes, Data(), Data([1, 2, 3]), bytes + bytes + bytes].enumerated() {
            let name = knock.prefix(32) + String(repeating: "\(index)", count: 32)
            try content.write(to: URL(fileURLWithPath: "\(knocks)/\(name)"))
        }
        let admitted = try admit(admin)
        #expect(admitted.all.contains("Added web as a reader"), "\(admitted)")
        // What is too large is named, and stops nobody.
        #expect(admitted.all.contains("is larger than Coffer makes it"), "\(admitted)")
        #expect(admitted.all.components(separatedBy: "was not let in").count == 2, "\(admitted)")
        #expect(!FileManager.default.fileExists(atPath: "\(knocks)/\(knock)"))
        let list = try fleet.sync(admin, "invite", "--list", answer: nil).text
        #expect(list.contains("1 of 5 machines came"), "\(list)")
        #expect(try join(server, "web", file).code == 0)
        #expect(try read(server) == "first")
    }

    /// Attacker 10 replaces one machine's request. The others come, and so does this one once the file is right again.
    @Test func aRequestThatTheStoreMakesStopsNobodyElse() throws {
        let admin = try admin("--software")
        let file = try invite(admin, "--count", "5")
        let (one, other) = (try fleet.machine("--software"), try fleet.machine("--software"))
        #expect(try join(one, "one", file, "--no-wait").code == 0)
        let requests = "\(fleet.folder)/join"
        let name = try #require(
            FileManager.default.contentsOfDirectory(atPath: requests).first { $0.hasSuffix("-request") })
        let path = URL(fileURLWithPath: "\(requests)/\(name)")
        let honest = try Data(contentsOf: path)
        #expect(try join(other, "other", file, "--no-wait").code == 0)
        for strange in [Data(count: 10_000), Data([1, 2, 3])] {
            try strange.write(to: path)
            let admitted = try admit(admin)
            #expect(admitted.all.contains("was not let in") && !admitted.all.contains("Added one"), "\(admitted)")
        }
        #expect(try fleet.sync(admin, "invite", "--list", answer: nil).text.contains("1 of 5 machines came"))
        #expect(try join(other, "other", file).code == 0)
        try honest.write(to: path)
        #expect(try admit(admin).all.contains("Added one"))
        #expect(try join(one, "one", file).code == 0)
    }

    /// Another admin, of another circle in the same folder, answers an invited machine.
    @Test func anInvitedMachineEntersNoOtherCircle() throws {
        let (admin, attacker) = (try admin("--software"), try fleet.machine("--software"))
        let file = try invite(admin)
        let server = try fleet.machine("--software")
        #expect(try join(server, "web", file, "--no-wait").code == 0)
        // Its code, as its own root sees it.
        let asked = try fleet.sync(server, "join", fleet.folder, "--name", "web", "--no-wait")
        let code = try #require(asked.all.split(whereSeparator: \.isWhitespace).first { $0.hasPrefix("JOIN-") })
        try fleet.sync(attacker, "init", fleet.folder, "--separate", "--name", "attacker")
        try fleet.sync(attacker, "add", input: "\(code)\n")
        let refused = try join(server, "web", file)
        #expect(refused.code == 6 && refused.errors.contains("not in the circle of the invitation"), "\(refused)")
        #expect(try fleet.own(server, "get", "db", "app").code != 0)
    }

    /// Attacker 11: a removed machine has its invitation still.
    @Test func aRemovedMachineDoesNotComeBackByItsInvitation() throws {
        let admin = try admin("--software")
        let file = try invite(admin, "--count", "5")
        let other = try invite(admin, "--count", "5", name: "other")
        let server = try fleet.machine("--software")
        #expect(try join(server, "web", file, "--no-wait").code == 0)
        #expect(try admit(admin).all.contains("Added web"))
        #expect(try join(server, "web", file).code == 0)
        try fleet.sync(admin, "now", answer: nil)
        let removed = try fleet.sync(admin, "remove", "web")
        #expect(removed.all.contains("Ended invitation") && removed.all.contains("is open"), "\(removed)")
        try fleet.root(admin, ["set", "db", "app", "--user", fleet.name], input: "second")
        try fleet.sync(admin, "now", answer: nil)
        try fleet.sync(server, "leave")
        #expect(try join(server, "web", file, "--no-wait").code == 0)
        #expect(try !admit(admin).all.contains("Added"))
        // The other invitation is for others, and stays.
        let spare = try fleet.machine("--software")
        #expect(try join(spare, "spare", other, "--no-wait").code == 0)
        #expect(try admit(admin).all.contains("Added spare"))
        #expect(try join(spare, "spare", other).code == 0)
        #expect(try read(spare) == "second")
    }

    /// Attacker 11: another admin host removes a machine. The one that has invited it hears of that before it lets anybody in.
    @Test func aMachineThatAnotherAdminRemovedDoesNotComeBack() throws {
        let (admin, second) = (try admin("--software"), try fleet.machine("--software"))
        let asked = try fleet.sync(second, "join", fleet.folder, "--name", "second", "--no-wait")
        let code = try #require(asked.all.split(whereSeparator: \.isWhitespace).first { $0.hasPrefix("JOIN-") })
        try fleet.sync(admin, "add", "--admin", input: "\(code)\n")
        try fleet.sync(second, "join", fleet.folder, "--name", "second")
        let file = try invite(admin, "--count", "5")
        let (leaving, server) = (try fleet.machine("--software"), try fleet.machine("--software"))
        for (machine, name) in [(leaving, "brief"), (server, "web")] {
            #expect(try join(machine, name, file, "--no-wait").code == 0)
            #expect(try admit(admin).all.contains("Added \(name)"))
            #expect(try join(machine, name, file).code == 0)
        }
        // A machine that leaves by itself ends no invitation.
        try fleet.sync(leaving, "leave")
        #expect(try join(leaving, "brief", file, "--no-wait").code == 0)
        #expect(try admit(admin).all.contains("Added brief"))
        try fleet.sync(second, "now", answer: nil)
        try fleet.sync(second, "remove", "web")
        try fleet.sync(server, "leave")
        #expect(try join(server, "web", file, "--no-wait").code == 0)
        // A locked vault knows no removals. It is opened first.
        try fleet.root(admin, ["lock", "--user", fleet.name], answer: nil)
        let admitted = try admit(admin)
        #expect(admitted.all.contains("Ended invitation") && !admitted.all.contains("Added"), "\(admitted)")
        #expect(try fleet.sync(admin, "invite", "--list", answer: nil).errors.contains("no invitation"))
        #expect(try !admit(admin).all.contains("Added"))
    }

    /// Attackers 3 and 14: neither the service's own account nor another user invites, and nobody else's folder counts.
    @Test func onlyRootInvites() throws {
        let admin = try admin("--software")
        let file = "\(files.path)/other"
        for uid in [fleet.uid, fleet.person] {
            let refused = try admin.coffer(
                ["sync", "invite", "--user", fleet.name], password: "yes", uid: uid)
            #expect(refused.code == 6, "\(refused)")
            let admits = try admin.coffer(
                ["sync", "admit", "--once", "--user", fleet.name], password: "yes", uid: uid)
            #expect(admits.code == 6, "\(admits)")
        }
        for words in [["invite"], ["admit", "--once"], ["join", fleet.folder, "--invitation", file]] {
            #expect(try admin.coffer(["sync"] + words, password: "yes").code == 64)
        }
        // A folder that others can write is none of root's.
        _ = try invite(admin)
        let folder = try #require(admin.variables["COFFER_INVITATIONS"])
        try FileManager.default.setAttributes([.posixPermissions: 0o777], ofItemAtPath: folder)
        let refused = try fleet.sync(admin, "admit", "--once", answer: nil, code: 1)
        #expect(refused.errors.contains("only you can write"), "\(refused)")
        // A reader invites nobody.
        try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: folder)
        let more = try invite(admin, name: "more")
        let server = try fleet.machine("--software")
        #expect(try join(server, "web", more, "--no-wait").code == 0)
        #expect(try admit(admin).all.contains("Added web"))
        #expect(try join(server, "web", more).code == 0)
        #expect(try fleet.sync(server, "invite", answer: nil, code: 6).errors.contains("may not add others"))
        let strange = try server.coffer(
            ["sync", "join", fleet.folder, "--invitation", "/etc/hostname", "--user", fleet.name], password: nil)
        #expect(strange.code == 64 && strange.errors.contains("no invitation"), "\(strange)")
    }
}
