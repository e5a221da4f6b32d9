import Foundation
import Platform
import TestSupport
import Testing

/// The vault of a service on several machines (docs/service-accounts.md, “On several machines”): TPM simulators, brokers and
/// authenticators of their own, and real users. Root decides who shares, and the service's account carries the files.
@Suite(.enabled(if: getuid() == 0, "only root can become other users"), .serialized) struct FleetTests {
    private let fleet: Fleet

    private var folder: String { fleet.folder }
    private var name: String { fleet.name }
    private var uid: UInt32 { fleet.uid }

    init() throws { fleet = try Fleet() }

    private func code(_ machine: Sandbox, _ name: String) throws -> String {
        let asked = try fleet.sync(machine, "join", folder, "--name", name, "--no-wait")
        #expect(asked.all.contains("--user \(self.name)"), "\(asked)")
        return String(try #require(asked.all.split(whereSeparator: \.isWhitespace).first { $0.hasPrefix("JOIN-") }))
    }

    private func join(_ machine: Sandbox, _ name: String, by admin: Sandbox, _ role: String...) throws {
        let code = try code(machine, name)
        let added = try fleet.root(admin, ["sync", "add"] + role + ["--user", self.name], input: "\(code)\n")
        #expect(added.all.contains("Added \(name)"), "\(added)")
        try fleet.sync(machine, "join", folder, "--name", name)
    }

    private func set(_ machine: Sandbox, _ account: String, _ value: String, _ more: String..., code: Int32 = 0) throws
    {
        try fleet.root(machine, ["set", "db", account, "--user", name] + more, input: value, code: code)
    }

    /// How many machines share, as one of them sees it.
    private func count(_ machine: Sandbox) throws -> Int {
        try fleet.sync(machine, "status", "--json").text.components(separatedBy: "\"device\" :").count - 1
    }

    @Test func serversReadWhatTheAdminSets() throws {
        let (admin, web, cache) = (try fleet.machine(), try fleet.machine(), try fleet.machine("--software"))
        try set(admin, "app", "first")
        let begun = try fleet.sync(admin, "init", folder, "--name", "admin")
        #expect(begun.all.contains("keep this running: coffer sync watch --user \(name)"), "\(begun)")
        try join(web, "web", by: admin)
        try join(cache, "cache", by: admin, "--reader")
        // What root has made in the folder belongs to the account, which goes on with it.
        for machine in [admin, web, cache, admin] {
            let carried = try fleet.own(machine, "sync", "now")
            #expect(carried.code == 0, "\(carried)")
        }
        for server in [web, cache] {
            #expect(try fleet.own(server, "get", "db", "app").text == "first")
            let status = try fleet.sync(server, "status").text
            #expect(status.contains("reader") && status.contains("admin") && !status.contains("Paper"), "\(status)")
        }
        #expect(try fleet.own(web, "sync", "status").text.contains("cache"))

        // A new value, and everybody has it.
        let couriers = try [web, cache].map { try ServiceCourier($0, uid: uid) }
        try set(admin, "app", "second")
        try fleet.sync(admin, "wait", "db", "app", "--timeout", "120")
        for server in [web, cache] { #expect(try fleet.own(server, "get", "db", "app").text == "second") }

        // A server changes nothing of that, and brings nobody in.
        let refused = try web.coffer(
            ["set", "db", "app", "--user", name], input: Array("forged".utf8), password: "yes")
        #expect(refused.code == 64 && refused.errors.contains("only reads"), "\(refused)")
        try set(web, "new", "x", code: 64)
        try set(web, "local", "mine", "--this-device-only")
        #expect(try fleet.own(web, "set", "db", "app", input: "forged").code == 64)
        let spare = try fleet.machine("--software")
        let code = try code(spare, "spare")
        for arguments in [["add"], ["remove", "cache"]] {
            let refused = try web.coffer(
                ["sync"] + arguments + ["--user", name], input: Array("\(code)\n".utf8), password: "yes")
            #expect(refused.code != 0, "\(arguments): \(refused)")
        }

        // A writer writes.
        #expect(try fleet.sync(admin, "add", "--writer", input: "\(code)\n").all.contains("Added spare"))
        try fleet.sync(spare, "join", folder, "--name", "spare")
        try set(spare, "job", "of spare")
        for machine in [spare, admin] { try fleet.sync(machine, "now") }
        #expect(try fleet.own(admin, "get", "db", "job").text == "of spare")
        #expect(try fleet.sync(admin, "status").text.contains("writer"))

        // Several are removed at once, and the one that stays goes on.
        let before = try removals(admin)
        let removed = try fleet.sync(admin, "remove", "web", "spare")
        #expect(removed.all.contains("coffer sync exposed --user \(name)"), "\(removed)")
        #expect(try removals(admin) == before + 1)
        try set(admin, "app", "third")
        try fleet.sync(admin, "wait", "--timeout", "120")
        #expect(try fleet.own(cache, "get", "db", "app").text == "third")
        let gone = try fleet.own(web, "sync", "now")
        #expect(gone.code == 6 && gone.errors.contains("was removed"), "\(gone)")
        #expect(try fleet.own(web, "get", "db", "app").text == "second")
        // Root sees what there is to do for this vault, and how.
        let doctor = try admin.coffer(["doctor", "--user", name])
        #expect(doctor.all.contains("2 machines share the secrets, through \(folder)"), "\(doctor)")
        #expect(doctor.all.contains("see what to change: coffer sync exposed --user \(name) web"), "\(doctor)")
        #expect(!doctor.all.contains("recovery code") && !doctor.all.contains("biometrics"), "\(doctor)")
        let put = try admin.coffer(["doctor", "--user", name], uid: uid)
        #expect(put.code == 1 && !put.all.contains("machines share"), "\(put)")
        // What it has is listed, and what was set since is not.
        let exposed = try fleet.sync(admin, "exposed", "web").text
        #expect(exposed.contains("db/job") && !exposed.contains("db/app"), "\(exposed)")
        #expect(couriers[0].end(by: nil) == 0 && couriers[1].end(by: SIGTERM) == 0)
        // Who leaves keeps its secrets.
        try fleet.sync(cache, "leave")
        #expect(try fleet.own(cache, "get", "db", "app").text == "third")
        try fleet.sync(admin, "now")
        #expect(try count(admin) == 1)
    }

    /// docs/how-to/fleet.md does what it says. Its commands run as they stand there, with a folder in place of the bucket.
    @Test func theHowTo() throws {
        let files = try TemporaryFolder()
        let invitation = files.path + "/invitation"
        var lines = try SourceTree.text("docs/how-to/fleet.md").split(separator: "\n").map(String.init)
            .filter { $0.hasPrefix("# coffer ") || $0.hasPrefix("$ coffer ") }
            .map { line in
                line.replacing(" s3://example-coffer/web --region eu-central-1", with: " \(folder)")
                    .replacing("--owner web", with: "--owner \(name)").replacing("--user web", with: "--user \(name)")
                    .replacing("--output invitation", with: "--output \(invitation)")
                    .replacing("--invitation invitation", with: "--invitation \(invitation)")
                    .replacing(" < access-key", with: "")
            }
        #expect(lines.count == 18)
        func step(_ machine: Sandbox, _ change: (String) -> String = { $0 }, input: String = "") throws -> Outcome {
            try #require(!lines.isEmpty)
            let words = change(lines[0]).split(separator: " ").map(String.init)
            let outcome = try machine.coffer(
                Array(words.dropFirst(2)), input: Array(input.utf8), password: "yes",
                uid: words[0] == "$" ? uid : nil)
            try #require(outcome.code == 0, "\(words): \(outcome)")
            return outcome
        }
        func done() { lines.removeFirst() }
        let admin = try Sandbox("--software", reachable: true)
        for _ in 0..<3 {
            _ = try step(admin)
            done()
        }
        let servers = try (0..<4).map { _ in try Sandbox("--software", reachable: true) }
        for server in servers { _ = try step(server) }
        done()
        // The second admin joins as the servers do.
        let join = lines[0]
        for (index, server) in servers.enumerated() {
            func named(_ line: String) -> String { line.replacing("web-1", with: "web-\(index + 1)") }
            lines[0] = join
            let asked = try step(server) { named($0) + " --no-wait" }
            let code = String(
                try #require(asked.all.split(whereSeparator: \.isWhitespace).first { $0.hasPrefix("JOIN-") }))
            lines[0] = lines[index == 3 ? 8 : 1]
            #expect(try step(admin, input: "\(code)\n").all.contains("Added web-\(index + 1)"))
            lines[0] = join
            _ = try step(server, named)
        }
        done()
        done()
        let couriers = try servers.map { try ServiceCourier($0, uid: uid) }
        #expect(try step(servers[0]).text.isEmpty == false)
        done()
        // One that comes by itself, let in by what the admin's service runs.
        _ = try step(admin)
        done()
        let invited = try Sandbox("--software", reachable: true)
        _ = try step(invited)
        done()
        _ = try step(invited) { $0.replacing(" --timeout 600", with: "") + " --no-wait" }
        #expect(try fleet.sync(admin, "admit", "--once", answer: nil).all.contains("Added web-4"))
        _ = try step(invited)
        done()
        let list = try step(admin).text
        #expect(list.contains("1 of 20 machines came"), "\(list)")
        done()
        _ = try step(admin) { $0.replacing("3fa2b6c81d40", with: list.prefix { $0 != " " }) }
        done()
        try fleet.sync(invited, "leave")
        try fleet.sync(admin, "now")
        done()
        // A new password reaches all before the old one ends.
        let before = try fleet.own(servers[0], "get", "db", "app").text
        for _ in 0..<2 {
            _ = try step(admin)
            done()
        }
        let after = try fleet.own(admin, "get", "db", "app").text
        #expect(before != after)
        for server in servers { #expect(try fleet.own(server, "get", "db", "app").text == after) }
        _ = try step(admin)
        done()
        #expect(try step(admin).text.contains("db/app"))
        done()
        // All that are left were heard of just now.
        let silent = try step(admin)
        #expect(silent.all.contains("None was removed"), "\(silent)")
        done()
        #expect(lines.isEmpty)
        #expect(try count(admin) == 2)
        for (index, courier) in couriers.enumerated() { #expect(courier.end(by: index == 3 ? SIGTERM : nil) == 0) }
    }

    /// How many records of removals the log has.
    private func removals(_ machine: Sandbox) throws -> Int {
        try fleet.root(machine, ["log", "--user", name]).text.split(separator: "\n").count { $0.contains("removed: ") }
    }

    /// Attackers 3, 4 and 14: nobody but root decides, and root only about services.
    @Test func nobodyButRootDecidesWhoShares() throws {
        let (admin, web) = (try fleet.machine("--software"), try fleet.machine("--software"))
        // Without a circle, and with one.
        for arguments in [["init", folder], ["join", folder, "--no-wait"]] {
            let refused = try admin.coffer(["sync"] + arguments, password: "yes", uid: uid)
            #expect(refused.code == 6, "\(arguments): \(refused)")
        }
        try fleet.sync(admin, "init", folder, "--name", "admin")
        try join(web, "web", by: admin)
        let spare = try fleet.machine("--software")
        let code = try code(spare, "spare")
        for arguments in [["add"], ["remove", "web"], ["leave"]] {
            let refused = try admin.coffer(
                ["sync"] + arguments, input: Array("\(code)\n".utf8), password: "yes", uid: uid)
            #expect(refused.code == 6, "\(arguments): \(refused)")
        }
        for arguments in [["add"], ["remove", "web"], ["status"], ["now"]] {
            for other in [uid, fleet.person] {
                let refused = try admin.coffer(
                    ["sync"] + arguments + ["--user", name], input: Array("\(code)\n".utf8), password: "yes",
                    uid: other)
                #expect(refused.code == 6, "\(arguments): \(refused)")
            }
        }
        // What root does not agree to is not done. Nor is what nobody can be shown.
        for (answer, status) in [("no", Int32(4)), ("YES", 4), ("sandbox", 4), (nil, 4)] {
            try fleet.sync(admin, "remove", "web", answer: answer, code: status)
            try fleet.sync(admin, "add", input: "\(code)\n", answer: answer, code: status)
        }
        // Another machine's code than the one whose request lies there.
        let other = try self.code(try fleet.machine("--software"), "other")
        #expect(code != other)
        #expect(try count(admin) == 2)
        // A person's vault is no service's.
        let made = try admin.coffer(["unlock"], password: "sandbox", uid: fleet.person)
        try #require(made.code == 0, "\(made)")
        for arguments in [["init", folder], ["status"], ["leave"]] {
            let refused = try admin.coffer(
                ["sync"] + arguments + ["--user", fleet.accounts.names[1]], password: "yes")
            #expect(refused.code == 6 && refused.errors.contains("person"), "\(refused)")
        }
    }

    /// Attacker 4: the account writes any place into its vault. Root's commands would read and write there, and git runs
    /// what the owner of a repository has set up.
    @Test func rootUsesNoPlaceThatOnlyTheVaultNames() throws {
        let admin = try fleet.machine("--software")
        try fleet.sync(admin, "init", folder, "--name", "admin")
        let circle = try #require(try FileManager.default.contentsOfDirectory(atPath: folder).first { $0.count == 64 })
        let roots = try TemporaryFolder()
        for (place, words) in [
            ("folder:\(roots.path)", "not a folder of the account"),
            ("git:origin:refs/heads/main folder:\(folder)", "root runs no git"),
            ("git:origin:refs/heads/main folder:\(roots.path)", "root runs no git"),
        ] {
            let set = try fleet.own(admin, "set", "org.coffer.sync", circle, input: place)
            #expect(set.code == 0, "\(set)")
            let refused = try fleet.sync(admin, "now", code: 6)
            #expect(refused.errors.contains(words), "\(refused)")
            // Root's own folder is given to nobody for that.
            #expect(!refused.errors.contains("give it"), "\(refused)")
            try fleet.sync(admin, "status")
            let doctor = try admin.coffer(["doctor", "--user", name])
            #expect(doctor.all.contains(words), "\(doctor)")
            #expect(try FileManager.default.contentsOfDirectory(atPath: roots.path).isEmpty)
        }
        // What root names itself is root's choice.
        let plain = try fleet.own(admin, "set", "org.coffer.sync", circle, input: "folder:\(folder)")
        #expect(plain.code == 0, "\(plain)")
        try fleet.sync(admin, "now", "--folder", roots.path)
        #expect(try FileManager.default.contentsOfDirectory(atPath: roots.path).contains(circle))
    }

    /// A renewal of keys is a statement, too: root is shown the machines that are told.
    @Test func aRenewalOfKeysAsksRoot() throws {
        let (admin, web) = (try fleet.machine("--software"), try fleet.machine("--software"))
        try set(admin, "app", "first")
        // Without a circle nobody is asked.
        try fleet.root(admin, ["rotate", "--all", "--user", name], answer: nil)
        try fleet.sync(admin, "init", folder, "--name", "admin")
        try join(web, "web", by: admin)
        try fleet.root(admin, ["rotate", "--all", "--user", name], answer: "no", code: 4)
        try fleet.root(admin, ["rotate", "--all", "--user", name])
        try set(admin, "app", "second")
        for machine in [admin, web] { try fleet.sync(machine, "now") }
        #expect(try fleet.own(web, "get", "db", "app").text == "second")
        #expect(try count(web) == 2)
    }
}
