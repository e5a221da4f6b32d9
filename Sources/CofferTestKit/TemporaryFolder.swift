import Foundation

/// A new folder of mode 0700, removed with everything in it when the last user lets go.
public final class TemporaryFolder: Sendable {
    public let path: String

    /// - Parameter inMemory: on a file system that never waits for a disk, where there is one.
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
        // A test that has ended can do nothing about a folder that does not go.
        try? FileManager.default.removeItem(atPath: path)
    }
}
