import Foundation

/// A new folder of mode 0700, removed with its content when its last reference ends.
public final class TemporaryFolder: Sendable {
    public let path: String

    /// - Parameter inMemory: use a file system that never waits for a disk, if there is one.
    public init(inMemory: Bool = false) throws {
        let name = "coffer-test-\(UUID().uuidString.prefix(13))"
        let memory = "/dev/shm"
        let parent =
            inMemory && FileManager.default.isWritableFile(atPath: memory)
            ? URL(fileURLWithPath: memory) : FileManager.default.temporaryDirectory
        path = parent.appendingPathComponent(name).path
        try FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
    }

    deinit {
        // If the folder cannot be removed, a test that has ended can do nothing about it.
        try? FileManager.default.removeItem(atPath: path)
    }
}

/// Makes programs that can be run at once.
///
/// Another program makes the file. If this process had it open for writing, a child that another thread starts at that moment would inherit the
/// descriptor. The program would then be "busy" (execve(2), ETXTBSY) until that child closes it.
public enum Script {
    /// Writes a script with mode 755.
    public static func write(_ script: String, to path: String) throws {
        let folder = try TemporaryFolder()
        let source = folder.path + "/program"
        try script.write(toFile: source, atomically: false, encoding: .utf8)
        try copy(source, to: path)
    }

    /// Copies a program, with mode 755.
    public static func copy(_ program: String, to path: String) throws {
        try Tool.output("install", ["-m", "755", program, path])
    }
}
