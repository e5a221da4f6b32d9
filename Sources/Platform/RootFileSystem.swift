import FoundationEssentials

/// The device that the root file system lies on, as the kernel describes it.
public struct RootFileSystem: Sendable {
    /// Whether all of it is under dm-crypt (LUKS) or dm-verity: nobody who has the disk alone can change programs on it unnoticed. nil where that cannot be told: its
    /// file system lies on no device, or the kernel does not show which.
    public let isProtected: Bool?

    /// Deeper stacks of devices are not followed.
    private static let deepest = 8

    /// - Parameters:
    ///   - mounts: this process's mounts, as proc(5) has them.
    ///   - devices: sysfs.
    public init(mounts: String = "/proc/self/mountinfo", devices: String = "/sys") {
        isProtected = Self.device(mounts, devices).flatMap { Self.isProtected($0, depth: 0) }
    }

    /// - Returns: the folder of the device under `/`.
    private static func device(_ mounts: String, _ devices: String) -> String? {
        // What cannot be read is not known.
        guard let bytes = try? DurableFile.read(mounts, limit: 4 << 20) else { return nil }
        for line in String(decoding: bytes, as: UTF8.self).split(separator: "\n").reversed() {
            let fields = line.split(separator: " ")
            guard fields.count > 6, fields[4] == "/", let dash = fields.lastIndex(of: "-"), fields.count > dash + 2
            else { continue }
            if !fields[2].hasPrefix("0:") { return "\(devices)/dev/block/\(fields[2])" }
            // Btrfs has a number of its own, and names its device.
            return named(String(fields[dash + 2]), devices)
        }
        return nil
    }

    private static func named(_ source: String, _ devices: String) -> String? {
        let classes = devices + "/class/block/"
        if source.hasPrefix("/dev/mapper/") {
            return content(classes)?.lazy.map { classes + $0 }
                .first { text($0 + "/dm/name") == source.dropFirst("/dev/mapper/".count) }
        }
        guard source.hasPrefix("/dev/"), !source.dropFirst(5).contains("/") else { return nil }
        return classes + source.dropFirst(5)
    }

    private static func isProtected(_ device: String, depth: Int) -> Bool? {
        guard depth < deepest, let files = content(device) else { return nil }
        if let kind = text(device + "/dm/uuid"), kind.hasPrefix("CRYPT-") { return true }
        guard files.contains("slaves"), let below = content(device + "/slaves"), !below.isEmpty else { return false }
        let answers = below.map { isProtected("\(device)/slaves/\($0)", depth: depth + 1) }
        return answers.contains(false) ? false : answers.contains(nil) ? nil : true
    }

    private static func content(_ folder: String) -> [String]? {
        // What cannot be listed is not known.
        try? FileManager.default.contentsOfDirectory(atPath: folder)
    }

    private static func text(_ path: String) -> Substring? {
        // Only a device of the device mapper has these files.
        guard let bytes = try? DurableFile.read(path, limit: 4096) else { return nil }
        return Substring(decoding: bytes, as: UTF8.self).prefix { $0 != "\n" }
    }
}
