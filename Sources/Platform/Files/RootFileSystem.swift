/// The device of the root file system, as the kernel describes it.
public struct RootFileSystem: Sendable {
    /// Whether all of it is under dm-crypt (LUKS) or dm-verity. Then nobody who only has the disk can change programs on it unnoticed. nil if that is
    /// unknown, because the file system has no device or the kernel does not show it.
    public let isProtected: Bool?

    /// Stacks of devices are followed to this depth.
    private static let deepest = 8

    /// - Parameters:
    ///   - mounts: the file with this process's mounts (proc(5)).
    ///   - devices: the folder of sysfs.
    public init(mounts: String = "/proc/self/mountinfo", devices: String = "/sys") {
        isProtected = Self.device(mounts, devices).flatMap { Self.isProtected($0, depth: 0) }
    }

    /// - Returns: the sysfs folder of the device under `/`.
    private static func device(_ mounts: String, _ devices: String) -> String? {
        // `try?`: if the file cannot be read, the device is unknown.
        guard let bytes = try? DurableFile.read(mounts, limit: KernelFileLimits.mounts) else { return nil }
        for line in String(decoding: bytes, as: UTF8.self).split(separator: "\n").reversed() {
            let fields = line.split(separator: " ")
            guard fields.count > 6, fields[4] == "/", let dash = fields.lastIndex(of: "-"), fields.count > dash + 2
            else { continue }
            if !fields[2].hasPrefix("0:") { return "\(devices)/dev/block/\(fields[2])" }
            // Btrfs has a device number of its own, and names its device.
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
        // `try?`: a folder that cannot be listed counts as unknown.
        try? Folder.entries(folder)
    }

    private static func text(_ path: String) -> Substring? {
        // Only devices of the device mapper have these files, so a failure means another kind of device.
        guard let bytes = try? DurableFile.read(path, limit: KernelFileLimits.device) else { return nil }
        return Substring(decoding: bytes, as: UTF8.self).prefix { $0 != "\n" }
    }
}
