import Authorization
import Platform

/// A group's vault stays open as long as one member's own vault is open.
extension VaultStore {
    /// Locks the vaults of groups if no member has their own vault open. The keys are gone when this returns.
    func lockAbandonedGroups() async {
        let unlocked = self.unlocked()
        var users: [UInt32] = []
        for case .user(let uid) in unlocked.keys { users.append(uid) }
        for case (.group(let gid), let vaultActor) in unlocked where await !Self.isMember(anyOf: users, of: gid) {
            vaultActor.lock()
        }
    }

    /// A group's vault was opened. A member who was removed meanwhile is noticed at once. A later removal is noticed
    /// within a minute, even without a lock or a call.
    func groupOpened() async {
        await lockAbandonedGroups()
        watchGroups()
    }

    private func watchGroups() {
        let isSet = isGroupWatchSet.withLock { isSet in
            defer { isSet = true }
            return isSet
        }
        guard !isSet else { return }
        dependencies.clock.after(LockLimits.groupWatch) { [weak self] in
            guard let self else { return }
            Task { await self.lookAfterGroups() }
        }
    }

    private func lookAfterGroups() async {
        isGroupWatchSet.withLock { $0 = false }
        await lockAbandonedGroups()
        for case .group in unlocked().keys {
            watchGroups()
            return
        }
    }

    /// Asks the name service on a thread of its own, so that nobody else waits for it. Without candidates it is not
    /// asked, so that a lock does not wait.
    private static func isMember(anyOf uids: [UInt32], of gid: UInt32) async -> Bool {
        guard !uids.isEmpty else { return false }
        return await withCheckedContinuation { continuation in
            OwnThread.run {
                let isMember = uids.contains { uid in
                    // `try?`: an account that cannot be found keeps nothing open.
                    guard let account = try? Account.withUID(uid) else { return false }
                    return account.isMember(of: gid)
                }
                continuation.resume(returning: isMember)
            }
        }
    }
}
