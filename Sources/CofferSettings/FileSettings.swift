import FoundationEssentials
import Platform
import Synchronization

/// Settings in a file: `$XDG_CONFIG_HOME/coffer/settings/NAME.json`, usually in `~/.config`.
///
/// The file has mode 600 in a folder of mode 700, and is replaced as a whole. A process that is killed while it writes
/// leaves the former or the new file. Links, files of other users, and files that others can write are refused.
///
/// A group's settings are in `/var/lib/coffer-settings/GROUP/NAME.json` with mode 660. Root makes the folder:
/// `install -d -o root -g GROUP -m 2770 /var/lib/coffer-settings/GROUP`. Every member can change them.
///
/// ```swift
/// let settings = Settings(suite: "com.example.app")
/// ```
public struct FileSettings: SettingsBackend {
    private let suite: String
    private let location: SettingsLocation
    private let patience: Duration

    /// The user's own settings.
    ///
    /// - Parameters:
    ///   - suite: a name, such as `com.example.app`: letters, digits, dots, dashes and underscores, 128 bytes at most.
    ///     It is checked at the first use.
    ///   - folder: an absolute path instead of the usual folder. The folder is made if it is missing; its parent must exist.
    public init(suite: String, folder: String? = nil) {
        self.init(suite: suite, at: .user(folder: folder))
    }

    /// The settings that the members of a group share.
    ///
    /// - Parameters:
    ///   - group: the name of a POSIX group.
    ///   - folder: an absolute path instead of the usual folder. It must exist.
    public init(suite: String, group: String, folder: String? = nil) {
        self.init(suite: suite, at: .group(group, folder: folder))
    }

    init(suite: String, at location: SettingsLocation, patience: Duration = SettingsLimits.lock) {
        self.suite = suite
        self.location = location
        self.patience = patience
    }

    private var fileName: String { suite + ".json" }

    private func path() throws(SettingsError) -> String {
        try SuiteName.check(suite, "suite")
        return try location.folder() + "/" + fileName
    }

    /// Which file it is; nil if there can be none.
    var file: SettingsFile? {
        // `try?`: the first use throws the error.
        guard let path = try? path() else { return nil }
        return SettingsFile(path: FilePaths.resolvedBeginning(of: path), group: location.sharingGroup)
    }

    /// Implements ``SettingsBackend/read()``.
    public func read() throws(SettingsError) -> SettingsContent {
        let path = try path()
        let folderPath = try location.folder()
        // A group that does not exist is an error, also if it has no folder.
        let ownership = try location.ownership()
        do throws(SystemError) {
            guard try FileStatus.of(folderPath) != nil else { return Self.nothing }
        } catch { throw SettingsError(error) }
        let folder = try opened(folderPath, ownership)
        return try content(in: folder, path, ownership).content
    }

    /// Implements ``SettingsBackend/stamp()``.
    public func stamp() throws(SettingsError) -> SettingsStamp {
        let path = try path()
        do throws(SystemError) {
            guard let status = try FileStatus.of(path) else { return Self.nothing.stamp }
            return SettingsStamp(status)
        } catch { throw SettingsError(error) }
    }

    /// Implements ``SettingsBackend/change(_:)``.
    public func change(
        _ body: (inout [String: SettingsJSON]) throws(SettingsError) -> Void
    ) async throws(SettingsError) -> SettingsContent {
        let path = try path()
        let ownership = try location.ownership()
        let folder = try madeFolder(ownership)
        let lock = try await lock(in: folder, ownership)
        let (present, former) = try content(in: folder, path, ownership)
        var values = present.values
        try body(&values)
        guard values != present.values else {
            lock.keep()
            return present
        }
        let bytes = try SettingsFormat.bytes(of: values)
        let status: FileStatus
        do throws(SystemError) {
            status = try folder.replace(fileName, with: bytes, mode: ownership.fileMode, former: former)
        } catch { throw SettingsError(error) }
        lock.keep()
        return SettingsContent(values: values, stamp: SettingsStamp(status))
    }

    /// Renames a damaged file, so that new settings can be stored.
    /// - Returns: the new path; nil if the file is not damaged.
    public func setAsideDamaged() async throws(SettingsError) -> String? {
        let path = try path()
        let ownership = try location.ownership()
        let folder = try madeFolder(ownership)
        let lock = try await lock(in: folder, ownership)
        defer { lock.keep() }
        do throws(SettingsError) {
            _ = try content(in: folder, path, ownership)
            return nil
        } catch {
            guard error.code == .damaged else { throw error }
        }
        let aside = "\(fileName).damaged-\(UUID().uuidString.prefix(8))"
        do throws(SystemError) { try folder.rename(fileName, to: aside) } catch { throw SettingsError(error) }
        return try location.folder() + "/" + aside
    }

    private static var nothing: SettingsContent { SettingsContent(values: [:], stamp: SettingsStamp()) }

    private func content(
        in folder: borrowing OpenFolder, _ path: String, _ ownership: SettingsOwnership
    ) throws(SettingsError) -> (content: SettingsContent, status: FileStatus?) {
        let found = try folder.read(fileName, limit: SettingsLimits.file, failure: SettingsError.init) {
            (status) throws(SettingsError) in
            try ownership.check(file: status, path)
            guard status.size <= SettingsLimits.file else {
                throw SettingsError(
                    .damaged, "\(path) has \(status.size) bytes, and \(SettingsLimits.file) is the most",
                    advice: "repair it, or have the application put it aside and start with its defaults")
            }
        }
        guard let found else { return (Self.nothing, nil) }
        let values = try SettingsFormat.values(of: found.bytes, from: path)
        return (SettingsContent(values: values, stamp: SettingsStamp(found.status)), found.status)
    }

    private func opened(_ path: String, _ ownership: SettingsOwnership) throws(SettingsError) -> OpenFolder {
        let folder: OpenFolder
        do throws(SystemError) { folder = try OpenFolder(path) } catch { throw SettingsError(error) }
        let status: FileStatus
        do throws(SystemError) { status = try folder.status() } catch { throw SettingsError(error) }
        try ownership.check(folder: status, path)
        return folder
    }

    /// The folder; the user's own is made if it is missing.
    private func madeFolder(_ ownership: SettingsOwnership) throws(SettingsError) -> OpenFolder {
        let path = try location.folder()
        if case .user(let folder) = location {
            // ~/.config, coffer, settings: each is made private. A folder that was named has its parent already.
            let parts = path.split(separator: "/", omittingEmptySubsequences: true)
            do throws(SystemError) {
                for count in (folder == nil ? max(parts.count - 2, 1) : parts.count)...parts.count {
                    let part = "/" + parts[..<count].joined(separator: "/")
                    if try FileStatus.of(part) == nil { try Folder.make(part, mode: 0o700) }
                }
            } catch { throw SettingsError(error) }
        }
        return try opened(path, ownership)
    }

    /// Waits for the lock without blocking a thread.
    private func lock(
        in folder: borrowing OpenFolder, _ ownership: SettingsOwnership
    ) async throws(SettingsError) -> FileLock {
        let deadline = ContinuousClock.now + patience
        var pause = Duration.milliseconds(1)
        while true {
            do throws(SystemError) {
                let name = ".\(suite).lock"
                if let lock = try FileLock(unlessHeld: name, in: folder, mode: ownership.fileMode) { return lock }
            } catch { throw SettingsError(error) }
            guard ContinuousClock.now < deadline else {
                throw SettingsError(
                    .busy, "other processes have kept the settings locked for \(patience)", advice: "try again later")
            }
            // `try?`: nobody cancels this task. In the caller's own task, a cancelled caller would not sleep.
            _ = await Task.detached { [pause] in try? await Task.sleep(for: pause) }.value
            pause = min(pause * 2, .milliseconds(20))
        }
    }

    /// Implements ``SettingsBackend/notices()``.
    public func notices() -> AsyncStream<Void> {
        AsyncStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
            let watch = SettingsWatch {
                continuation.yield()
            } folder: { () throws(SettingsError) in
                let ownership = try location.ownership()
                _ = try madeFolder(ownership)
                return try location.folder()
            }
            continuation.onTermination = { _ in watch.stop() }
            watch.start()
        }
    }
}

extension SettingsStamp {
    /// No two contents have the same: each file is changed later than the one before it.
    fileprivate init(_ status: FileStatus) {
        self.init(
            status.device, status.inode, UInt64(bitPattern: status.size),
            UInt64(bitPattern: status.changed.seconds), UInt64(bitPattern: status.changed.nanoseconds))
    }
}
