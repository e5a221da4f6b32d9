import Authorization
import Platform
import RootConfiguration

/// The leases of one user, in files of the authenticator. Each look at them drops those that have ended.
struct LeaseFile {
    private let file: StateFile<[LeaseRecord]>
    private let uid: UInt32
    let boot: String

    /// - Throws: ``ConversationError`` if the folder cannot be used.
    init(registryDirectory: String, uid: UInt32) throws(ConversationError) {
        self.uid = uid
        do throws(SystemError) {
            file = try StateFile(registryDirectory: registryDirectory, folder: "leases", uid: uid, nothing: [])
            boot = try BootTime.bootID()
        } catch {
            throw .refused(.misconfigured(error))
        }
    }

    /// The leases for this vault that this process is within. Mostly there are none.
    func leases(
        of process: ProcessIdentity, for owner: Owner, _ vault: VaultID, lastLock: Int64
    ) throws(ConversationError) -> [LeaseRecord] {
        let found = try update { records in
            drop(&records, endedBy: lastLock, of: owner)
            return records.filter { $0.holds(for: owner, vault, lastLock: lastLock) }
        }
        return found.filter { ProcessAncestry.isWithin(process, $0.process) }
    }

    /// Whether a lease is still there, and the process still within it.
    func has(_ lease: LeaseRecord, for process: ProcessIdentity) throws(ConversationError) -> Bool {
        guard try update({ $0.contains(lease) }) else { return false }
        return ProcessAncestry.isWithin(process, lease.process)
    }

    /// Drops the leases from before a lock, because none of them ever counts again.
    /// - Parameter lastLock: when the user's own vault or the owner's was last locked, whichever came later. A lock of the user's own vault ends
    ///   their leases from all vaults.
    private func drop(_ records: inout [LeaseRecord], endedBy lastLock: Int64, of owner: Owner) {
        records.removeAll { ($0.owner == owner.text || owner == .user(uid)) && $0.asked <= lastLock }
    }

    /// - Parameters:
    ///   - owner: the owner of the record's vault.
    ///   - lastLock: when that vault or the user's own was last locked, in milliseconds of the boot clock.
    /// - Throws: ``ConversationError`` if the user has too many leases already.
    func note(_ record: LeaseRecord, of owner: Owner, lastLock: Int64) throws(ConversationError) {
        let hasRoom = try update { records in
            drop(&records, endedBy: lastLock, of: owner)
            guard records.count < SignedLeaseLimits.perUser else { return false }
            records.append(record)
            return true
        }
        guard hasRoom else { throw Self.tooMany }
    }

    /// - Parameters: as for ``note(_:of:lastLock:)``.
    /// - Throws: ``ConversationError`` if the user has too many leases already.
    func checkRoom(of owner: Owner, lastLock: Int64) throws(ConversationError) {
        let hasRoom = try update { records in
            drop(&records, endedBy: lastLock, of: owner)
            return records.count < SignedLeaseLimits.perUser
        }
        guard hasRoom else { throw Self.tooMany }
    }

    private static let tooMany = ConversationError.refused(
        .limitExceeded(
            "this user has \(SignedLeaseLimits.perUser) leases already", advice: "end them with: coffer forget"))

    /// Ends all leases.
    /// - Returns: how many there were.
    func forget() throws(ConversationError) -> Int {
        try update { records in
            defer { records = [] }
            return records.count
        }
    }

    private func update<Value>(_ change: (inout [LeaseRecord]) -> Value) throws(ConversationError) -> Value {
        do throws(SystemError) {
            return try file.update { records in
                let now = BootTime.milliseconds
                records.removeAll {
                    !$0.isAlive(boot: boot, at: now) || !ProcessAncestry.isWithin($0.process, $0.process)
                }
                return change(&records)
            }
        } catch {
            throw .refused(.misconfigured(error))
        }
    }
}
