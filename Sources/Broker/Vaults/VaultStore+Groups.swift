import Authorization
import Platform

/// A group's vault is open for as long as a member's own is.
extension VaultStore {
    /// How long after a removal, at most, the keys of a group are still there that nobody may use any more.
    static let groupWatch = Duration.seconds(60)

    /// Locks the vaults of groups of which no member has his own vault open; their keys are gone when this returns.
    func lockAbandonedGroups() async {
        let unlocked = self.unlocked()
        var users: [UInt32] = []
        for case .user(let uid) in unlocked.keys { users.append(uid) }
        for case (.group(let gid), let vaultActor) in unlocked where await !Self.isMember(anyOf: users, of: gid) {
            vaultActor.lock()
        }
    }

    /// A group's vault was opened. Who was removed meanwhile is noticed at once, who is removed later without anybody's lock or call, within a minute.
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
        dependencies.clock.after(Self.groupWatch) { [weak self] in
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

    /// By the name service, where waiting for it keeps nobody else from going on. Without candidates it is not asked: a lock does not wait for it then.
    private static func isMember(anyOf uids: [UInt32], of gid: UInt32) async -> Bool {
        guard !uids.isEmpty else { return false }
        return await withCheckedContinuation { continuation in
            OwnThread.run {
                let isMember = uids.contains { uid in
                    // An account that cannot be found keeps nothing open.
                    guard let account = try? Account.withUID(uid) else { return false }
                    return account.isMember(of: gid)
                }
                continuation.resume(returning: isMember)
            }
        }
    }
}
