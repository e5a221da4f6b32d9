import Foundation
import TestSupport
import Testing

/// Files that the shared folder loses while the machine that wrote them is off (docs/sync.md, "The one who keeps the folder").
@Suite struct LostFilesTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test func anotherMachinePutsThemBack() throws {
        let laptop = try Sandbox()
        let spare = try Sandbox()
        do {
            let desk = try Sandbox()
            try desk.succeed("set", "github", "me", input: "from the desk")
            try desk.succeed("sync", "init", folder.path, "--name", "desk")
            try laptop.join(folder.path, "laptop", by: desk)
        }
        // The desk is gone, and so is all that the folder had of anybody.
        #expect(try laptop.succeed("get", "github", "me").text == "from the desk")
        for name in try FileManager.default.contentsOfDirectory(atPath: folder.path) {
            try FileManager.default.removeItem(atPath: "\(folder.path)/\(name)")
        }
        let back = try laptop.succeed("sync", "now")
        #expect(back.all.contains("that the folder had lost"), "\(back)")
        #expect(try !laptop.succeed("sync", "now").all.contains("had lost"))
        // A machine that comes now has what only the desk had given out.
        try spare.join(folder.path, "spare", by: laptop)
        #expect(try spare.succeed("get", "github", "me").text == "from the desk")
    }
}
