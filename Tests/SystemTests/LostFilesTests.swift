import Foundation
import TestSupport
import Testing

/// Files that the shared folder loses while the machine that wrote them is off (docs/sync.md, "The one who keeps the folder").
@Suite struct LostFilesTests {
    private static let password = "sandbox"
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @discardableResult
    private func succeed(
        _ machine: Sandbox, _ arguments: String..., input: String = "",
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> Outcome {
        let outcome = try machine.coffer(arguments, input: Array(input.utf8), password: Self.password)
        try #require(outcome.code == 0, "\(arguments): \(outcome)", sourceLocation: sourceLocation)
        return outcome
    }

    private func join(_ machine: Sandbox, _ name: String, by member: Sandbox) throws {
        let asked = try succeed(machine, "sync", "join", folder.path, "--name", name, "--no-wait")
        let code = try #require(asked.all.split(whereSeparator: \.isWhitespace).first { $0.hasPrefix("JOIN-") })
        try succeed(member, "sync", "add", input: "\(code)\n")
        try succeed(machine, "sync", "join", folder.path, "--name", name)
    }

    @Test func anotherMachinePutsThemBack() throws {
        let laptop = try Sandbox()
        let spare = try Sandbox()
        do {
            let desk = try Sandbox()
            try succeed(desk, "set", "github", "me", input: "from the desk")
            try succeed(desk, "sync", "init", folder.path, "--name", "desk")
            try join(laptop, "laptop", by: desk)
        }
        // The desk is gone, and so is all that the folder had of anybody.
        #expect(try succeed(laptop, "get", "github", "me").text == "from the desk")
        for name in try FileManager.default.contentsOfDirectory(atPath: folder.path) {
            try FileManager.default.removeItem(atPath: "\(folder.path)/\(name)")
        }
        let back = try succeed(laptop, "sync", "now")
        #expect(back.all.contains("that the folder had lost"), "\(back)")
        #expect(try !succeed(laptop, "sync", "now").all.contains("had lost"))
        // A machine that comes now has what only the desk had given out.
        try join(spare, "spare", by: laptop)
        #expect(try succeed(spare, "get", "github", "me").text == "from the desk")
    }
}
