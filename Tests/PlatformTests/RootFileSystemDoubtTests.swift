import Foundation
import Platform
import Testing

/// Where it cannot be told what the root file system lies on, nobody says that it is protected.
struct RootFileSystemDoubtTests {
    private let folder = FileManager.default.temporaryDirectory.appending(path: "coffer-root-\(UUID().uuidString)").path

    /// - Parameter name: the kernel's name of the device.
    private func device(_ name: String, _ number: String, kind: String? = nil, on below: [String] = []) throws {
        let path = "\(folder)/class/block/\(name)"
        for made in [path + "/slaves", folder + "/dev/block"] {
            try FileManager.default.createDirectory(atPath: made, withIntermediateDirectories: true)
        }
        try FileManager.default.createSymbolicLink(
            atPath: "\(folder)/dev/block/\(number)", withDestinationPath: path)
        for other in below {
            try FileManager.default.createSymbolicLink(
                atPath: "\(path)/slaves/\(other)", withDestinationPath: "\(folder)/class/block/\(other)")
        }
        guard let kind else { return }
        try FileManager.default.createDirectory(atPath: path + "/dm", withIntermediateDirectories: true)
        try "\(kind)-0123\n".write(toFile: path + "/dm/uuid", atomically: true, encoding: .utf8)
    }

    /// - Parameter mounts: in the order in which they were made.
    private func isProtected(_ mounts: [(number: String, place: String)]) throws -> Bool? {
        let lines = mounts.map { "22 1 \($0.number) / \($0.place) rw,relatime shared:1 - ext4 /dev/sdz9 rw\n" }
        try lines.joined().write(toFile: folder + "/mounts", atomically: true, encoding: .utf8)
        return RootFileSystem(mounts: folder + "/mounts", devices: folder).isProtected
    }

    /// The file system that the machine began with stays in the list, below the one that covers it.
    @Test func theLastMountAtTheRootCounts() throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }  // Nothing is lost if it stays behind.
        try device("sda2", "8:2")
        try device("dm-0", "254:0", kind: "CRYPT-LUKS2", on: ["sda2"])
        #expect(try isProtected([("254:0", "/"), ("8:2", "/"), ("254:0", "/home")]) == false)
        #expect(try isProtected([("8:2", "/"), ("254:0", "/"), ("8:2", "/home")]) == true)
        #expect(try isProtected([("254:0", "/home")]) == nil)
    }

    @Test func oneUnknownDeviceBelowMakesItUnknown() throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }  // Nothing is lost if it stays behind.
        try device("sda2", "8:2")
        try device("dm-0", "254:0", kind: "CRYPT-LUKS2", on: ["sda2"])
        // The kernel does not show the device “gone”.
        try device("dm-1", "254:1", kind: "LVM", on: ["dm-0", "gone"])
        try device("dm-2", "254:2", kind: "LVM", on: ["dm-0", "gone", "sda2"])
        #expect(try isProtected([("254:1", "/")]) == nil)
        #expect(try isProtected([("254:2", "/")]) == false)
    }

    @Test func aStackIsFollowedForEightDevices() throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }  // Nothing is lost if it stays behind.
        for (count, answer) in [(8, true), (9, nil)] as [(Int, Bool?)] {
            for index in 0..<count {
                let isLowest = index == count - 1
                try device(
                    "s\(count)-\(index)", "254:\(100 * count + index)", kind: isLowest ? "CRYPT-LUKS2" : "LVM",
                    on: isLowest ? [] : ["s\(count)-\(index + 1)"])
            }
            #expect(try isProtected([("254:\(100 * count)", "/")]) == answer, "\(count)")
        }
    }
}
