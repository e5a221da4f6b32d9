public import Coffer
import FoundationEssentials
import Platform

extension ProtectedFiles {
    /// What a sweep does at most, and how often one happens by itself.
    private enum SweepLimits {
        /// The most keys that one sweep deletes.
        static let deletions = 256
        /// A younger key may belong to a file that a program on another machine is about to write.
        static let age = Duration.seconds(24 * 3600)
        static let interval = Duration.seconds(3600)
    }

    /// Removes what crashed programs left behind: unfinished files, and keys that no file has. It deletes no key younger than
    /// a day, and none at all while a file is being written. It happens by itself, at most once an hour, when a file is
    /// written.
    ///
    /// ```swift
    /// let removed = try await files.sweep()
    /// ```
    /// - Returns: the number of keys that were deleted, at most 256.
    @discardableResult
    public func sweep() async throws(KeychainError) -> Int { try await sweep(olderThan: SweepLimits.age) }

    func sweep(olderThan age: Duration) async throws(KeychainError) -> Int {
        guard let root = try FileRoot.existing(place()) else { return 0 }
        return try await sweep(root, try FolderState(in: root), olderThan: age)
    }

    /// Sweeps if the last time is long ago.
    func sweepIfDue(_ root: borrowing FileRoot, _ state: borrowing FolderState) async {
        guard state.isSweepDue(after: SweepLimits.interval) else { return }
        // What stays is found by the next sweep, and the write that this comes before does not depend on it.
        _ = try? await sweep(root, state, olderThan: SweepLimits.age)
    }

    private func sweep(
        _ root: borrowing FileRoot, _ state: borrowing FolderState, olderThan age: Duration
    ) async throws(KeychainError) -> Int {
        // Now nobody is between storing a key and naming its file. This also ends with those who write for hours.
        guard let alone = try state.tryLock(.writers) else { return 0 }
        defer { alone.keep() }
        try state.noteSweep()
        let identity = try await state.identity()
        let oldest = Date.now.addingTimeInterval(-(age / .seconds(1)))
        var orphans: [FileID] = []
        for record in try await keys.records(inDirectory: identity) where record.created <= oldest {
            guard orphans.count < SweepLimits.deletions else { break }
            if try isOrphan(record, root) { orphans.append(record.id) }
        }
        try await keys.delete(orphans, protection: .later)
        return orphans.count
    }

    /// Whether it is certain that no file has this key.
    private func isOrphan(_ record: FileKeyRecord, _ root: borrowing FileRoot) throws(KeychainError) -> Bool {
        // A path that was not checked when the key was stored is none of this library's.
        guard let path = try? RelativePath(record.path) else { return false }
        do throws(SystemError) {
            switch try FileRoot.beginning(of: path.last, in: try root.parent(of: path)) {
            case nil: return true
            case .file(let id): return id != record.id
            // It may be this key's file, damaged: a backup of it would need the key.
            case .foreign, .otherVersion: return false
            }
        } catch {
            return error.isAbsent
        }
    }
}

extension FolderState {
    private static var sweepName: String { "swept" }

    func isSweepDue(after interval: Duration) -> Bool {
        // If the note cannot be looked at, a sweep is due.
        guard let entry = try? folder.entry(Self.sweepName) else { return true }
        let age = Date.now.timeIntervalSince1970 - Double(entry.modified.seconds)
        // A clock that was set back must not end sweeps for good.
        return age < 0 || age > Double(interval.components.seconds)
    }

    /// Notes that a sweep happens now, and removes part files, whose writers are gone.
    func noteSweep() throws(KeychainError) {
        try filing { () throws(SystemError) in
            for name in try folder.names() where name.hasSuffix(".part") || name == Self.sweepName {
                try folder.remove(name)
            }
            _ = try folder.makeFile(Self.sweepName)
        }
    }
}
