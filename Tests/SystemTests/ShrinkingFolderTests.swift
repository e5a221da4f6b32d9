import Foundation
import TestSupport
import Testing

/// What others have replaced does not lie in the shared folder for ever (docs/sync.md, "How much lies in the folder").
@Suite struct ShrinkingFolderTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// Bytes of all files, and how many files there are.
    private func content() throws -> (bytes: Int, files: Int) {
        let files = try FileManager.default.subpathsOfDirectory(atPath: folder.path).compactMap { name -> Int? in
            let attributes = try FileManager.default.attributesOfItem(atPath: "\(folder.path)/\(name)")
            guard attributes[.type] as? FileAttributeType == .typeRegular else { return nil }
            return attributes[.size] as? Int
        }
        return (files.reduce(0, +), files.count)
    }

    @Test func whatWasReplacedGoesFromTheFolder() throws {
        let (desk, laptop) = (try Sandbox(), try Sandbox())
        try desk.succeed("set", "github", "me", input: "a password")
        try desk.succeed("sync", "init", folder.path, "--name", "desk")
        try laptop.join(folder.path, "laptop", by: desk)
        for number in 1...8 {
            try desk.succeed("set", "scan", "me", input: "\(number):" + String(repeating: "x", count: 200_000))
            try desk.succeed("sync", "now")
        }
        let before = try content()
        #expect(before.bytes > 1_600_000)
        // The desk says once more what is needed, and then takes away the rest.
        for _ in 0..<2 { try desk.succeed("sync", "now") }
        let after = try content()
        #expect(after.bytes < 500_000 && after.files < before.files)
        // A machine that has seen nothing of it meanwhile has the same, and so has a new one.
        for machine in [laptop, desk, laptop] { try machine.succeed("sync", "now") }
        #expect(try laptop.succeed("get", "scan", "me").text.hasPrefix("8:"))
        #expect(try laptop.succeed("get", "github", "me").text == "a password")
        let spare = try Sandbox()
        try spare.join(folder.path, "spare", by: laptop)
        #expect(try spare.succeed("get", "scan", "me").text.hasPrefix("8:"))
        for machine in [desk, laptop, spare, desk] { try machine.succeed("sync", "now") }
        #expect(try desk.succeed("sync", "wait", "--timeout", "60").code == 0)
        #expect(try !desk.coffer("doctor").all.contains("different secrets"))
        // What it said is in the log of nobody: it is no change.
        #expect(try content().bytes < 500_000)
    }
}
