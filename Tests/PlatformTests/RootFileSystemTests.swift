import Foundation
import Platform
import Testing

struct RootFileSystemTests {
    /// The part of a machine's sysfs that Coffer reads.
    private struct Machine {
        let folder: TemporaryFolder

        init() throws { folder = try TemporaryFolder() }

        /// - Parameter name: the kernel's name of it.
        func device(_ name: String, number: String, kind: String? = nil, label: String? = nil, on below: [String] = [])
            throws
        {
            let path = folder.path + "/class/block/" + name
            try FileManager.default.createDirectory(atPath: path + "/slaves", withIntermediateDirectories: true)
            try FileManager.default.createDirectory(
                atPath: folder.path + "/dev/block", withIntermediateDirectories: true)
            try FileManager.default.createSymbolicLink(
                atPath: "\(folder.path)/dev/block/\(number)", withDestinationPath: path)
            for other in below {
                try FileManager.default.createSymbolicLink(
                    atPath: "\(path)/slaves/\(other)", withDestinationPath: "\(folder.path)/class/block/\(other)")
            }
            guard let kind else { return }
            try FileManager.default.createDirectory(atPath: path + "/dm", withIntermediateDirectories: true)
            try "\(kind)-0123-\(name)\n".write(toFile: path + "/dm/uuid", atomically: true, encoding: .utf8)
            try "\(label ?? name)\n".write(toFile: path + "/dm/name", atomically: true, encoding: .utf8)
        }

        func isProtected(_ number: String, _ kind: String, _ source: String) throws -> Bool? {
            let mounts = """
                21 1 0:20 / /proc rw - proc proc rw
                22 1 \(number) / / rw,relatime shared:1 - \(kind) \(source) rw
                23 22 8:9 / /home rw - ext4 /dev/sdz9 rw

                """
            try mounts.write(toFile: folder.path + "/mounts", atomically: true, encoding: .utf8)
            return RootFileSystem(mounts: folder.path + "/mounts", devices: folder.path).isProtected
        }
    }

    @Test func encryptionAndVerityAreSeenThroughWhatLiesOnThem() throws {
        let machine = try Machine()
        try machine.device("sda2", number: "8:2")
        try machine.device("sda3", number: "8:3")
        try machine.device("dm-0", number: "254:0", kind: "CRYPT-LUKS2", label: "luks-root", on: ["sda2"])
        try machine.device("dm-1", number: "254:1", kind: "LVM", label: "vg-root", on: ["dm-0"])
        try machine.device("dm-2", number: "254:2", kind: "LVM", label: "vg-half", on: ["dm-0", "sda3"])
        try machine.device("dm-3", number: "254:3", kind: "CRYPT-VERITY", label: "usr", on: ["sda3"])
        #expect(try machine.isProtected("254:0", "ext4", "/dev/mapper/luks-root") == true)
        #expect(try machine.isProtected("254:1", "ext4", "/dev/mapper/vg-root") == true)
        #expect(try machine.isProtected("254:3", "squashfs", "/dev/mapper/usr") == true)
        #expect(try machine.isProtected("0:31", "btrfs", "/dev/mapper/vg-root") == true)
        // One lower device that anybody can write is enough.
        #expect(try machine.isProtected("254:2", "ext4", "/dev/mapper/vg-half") == false)
        #expect(try machine.isProtected("8:2", "ext4", "/dev/sda2") == false)
        #expect(try machine.isProtected("0:31", "btrfs", "/dev/sda2") == false)
    }

    @Test func whatIsOnNoDeviceIsNotKnown() throws {
        let machine = try Machine()
        #expect(try machine.isProtected("0:31", "overlay", "overlay") == nil)
        #expect(try machine.isProtected("8:77", "ext4", "/dev/sdq1") == nil)
        #expect(RootFileSystem(mounts: machine.folder.path + "/none", devices: machine.folder.path).isProtected == nil)
    }
}
