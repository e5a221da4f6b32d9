import Foundation
import TestSupport
import Testing

/// Machines that share over a bare git repository, each with a clone of its own (docs/how-to/git.md).
@Suite struct GitSharingTests {
    private static let password = "sandbox"

    private final class Machine {
        let box: Sandbox
        let clone: String

        init(_ name: String, _ scratch: TemporaryFolder) throws {
            box = try Sandbox()
            clone = "\(scratch.path)/\(name)"
            try Tool.output("git", ["clone", "--quiet", "\(scratch.path)/bare.git", clone])
        }

        @discardableResult
        func succeed(
            _ arguments: String..., input: String = "", sourceLocation: SourceLocation = #_sourceLocation
        ) throws -> Outcome {
            let outcome = try box.coffer(arguments, input: Array(input.utf8), password: GitSharingTests.password)
            try #require(outcome.code == 0, "\(arguments): \(outcome)", sourceLocation: sourceLocation)
            return outcome
        }
    }

    private func join(_ machine: Machine, _ name: String, by member: Machine) throws {
        let asked = try machine.succeed("sync", "join", machine.clone, "--git", "--name", name, "--no-wait")
        let code = try #require(
            (asked.text + asked.errors).split(whereSeparator: \.isWhitespace).first { $0.hasPrefix("JOIN-") })
        try member.succeed("sync", "add", input: "\(code)\n")
        try machine.succeed("sync", "join", machine.clone, "--git", "--name", name)
    }

    @Test func threeMachinesShareOverABareRepository() throws {
        let scratch = try TemporaryFolder()
        let bare = scratch.path + "/bare.git"
        try Tool.output("git", ["init", "--quiet", "--bare", bare])
        let (desk, laptop, spare) = (
            try Machine("desk", scratch), try Machine("laptop", scratch), try Machine("spare", scratch)
        )
        try desk.succeed("set", "github", "me", input: "from the desk")
        try desk.succeed("sync", "init", desk.clone, "--git", "--name", "desk")
        try join(laptop, "laptop", by: desk)
        try laptop.succeed("sync", "now")
        #expect(try laptop.succeed("get", "github", "me").text == "from the desk")
        // In the other direction.
        try laptop.succeed("set", "github", "me", input: "from the laptop")
        for machine in [laptop, desk] { try machine.succeed("sync", "now") }
        #expect(try desk.succeed("get", "github", "me").text == "from the laptop")
        // Both change something while neither has fetched what the other has pushed.
        try desk.succeed("set", "one", "me", input: "1")
        try laptop.succeed("set", "two", "me", input: "2")
        for machine in [desk, laptop, desk] { try machine.succeed("sync", "now") }
        #expect(try desk.succeed("get", "two", "me").text == "2")
        #expect(try laptop.succeed("get", "one", "me").text == "1")
        // The repository is away: nothing is lost, and the command says so.
        try FileManager.default.moveItem(atPath: bare, toPath: bare + "-away")
        try desk.succeed("set", "three", "me", input: "3")
        let away = try desk.box.coffer("sync", "now", password: Self.password)
        #expect(away.code == 1 && away.errors.contains("was not pushed"), "\(away)")
        try FileManager.default.moveItem(atPath: bare + "-away", toPath: bare)
        for machine in [desk, laptop] { try machine.succeed("sync", "now") }
        #expect(try laptop.succeed("get", "three", "me").text == "3")
        #expect(try desk.succeed("sync", "status").text.contains("(git, origin/"))
        // A machine is lost.
        try join(spare, "spare", by: laptop)
        try desk.succeed("sync", "now")
        try desk.succeed("sync", "remove", "spare")
        try desk.succeed("set", "github", "me", input: "after the removal")
        for machine in [desk, laptop] { try machine.succeed("sync", "now") }
        #expect(try laptop.succeed("get", "github", "me").text == "after the removal")
        #expect(try spare.box.coffer("sync", "now", password: Self.password).code == 6)
        // Another one leaves, and the one that stays learns of it.
        try laptop.succeed("sync", "leave")
        try desk.succeed("sync", "now")
        #expect(try !desk.succeed("sync", "status").text.contains("laptop"))
        // Who keeps the repository reads nothing, in no commit. The work trees have no file of Coffer's.
        let all = scratch.path + "/all"
        try Tool.output(
            "git", ["--git-dir", bare, "log", "--all", "--patch", "--text", "--no-color", "--output=\(all)"])
        let history = try Data(contentsOf: URL(fileURLWithPath: all))
        #expect(history.count > 10_000)
        for text in ["from the", "after the removal", "github", "laptop", "spare"] {
            #expect(history.range(of: Data(text.utf8)) == nil, "the repository has \(text)")
        }
        for machine in [desk, laptop, spare] {
            #expect(try FileManager.default.contentsOfDirectory(atPath: machine.clone) == [".git"])
            let doctor = try machine.box.coffer("doctor")
            #expect((doctor.text + doctor.errors).contains("the whole vault was checked"), "\(doctor)")
        }
    }
}
