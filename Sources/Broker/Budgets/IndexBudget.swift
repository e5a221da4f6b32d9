import Authorization
import BrokerProtocol
import Synchronization
import TPM
import Varlink
import Vault

/// Shares the TPM's NV indexes among users. Each vault takes some, and one user must not take them all.
///
/// A vault counts to the user who made it. A member of many groups could otherwise fill the TPM with groups' vaults.
final class IndexBudget: Sendable {
    /// The most indexes of the vaults that one user has made.
    let perUser: Int
    /// New vaults that no record names yet, with the users who make them.
    private let pending = Mutex<[Owner: UInt32]>([:])

    init(perUser: Int = 16) { self.perUser = perUser }

    /// - Parameters:
    ///   - records: the records of all vaults, as far as they can be read.
    ///   - isTaken: whether the place is kept until ``giveBack(_:)``.
    func check(
        _ owner: Owner, by maker: UInt32, _ records: [RegistryRecord], _ room: NVRoom, isTaken: Bool
    ) throws(Fault) {
        try pending.withLock { pending throws(Fault) in
            let own = records.filter { $0.accountable == maker }
            let others = pending.filter { $0.key != owner && $0.value == maker }.count
            let used = own.reduce(0) { $0 + $1.indexHandles.count } + others * IndexLimits.vault
            guard used + IndexLimits.vault <= perUser else {
                let count = own.count + others
                throw Fault(
                    .limitExceeded,
                    "you have made \(count == 1 ? "1 vault" : "\(count) vaults"), which take \(used) of the TPM's NV indexes, and a user may take \(perUser)",
                    advice: "ask another member to make the group's vault, or root for a higher “indexes-per-user”")
            }
            // The first vault of a user is tried in any case. The TPM's own estimate may be too low.
            if used > 0, let left = room.left, left < IndexLimits.vault + IndexLimits.share {
                throw Fault(
                    .limitExceeded,
                    "the TPM has room for only \(left) more NV indexes, which are kept for users who have no vault yet",
                    advice: NVRoom.advice)
            }
            if isTaken { pending[owner] = maker }
        }
    }

    /// The vault has a record now, or its indexes are gone.
    func giveBack(_ owner: Owner) { pending.withLock { pending in pending[owner] = nil } }
}

extension VaultDependencies {
    /// Checks that a vault can be made here, before its owner is asked for anything.
    ///
    /// - Throws: `TPM` if the TPM does not answer; `LimitExceeded` if the user has made too many vaults.
    func requireRoom(for owner: Owner, by maker: UInt32?) async throws(Fault) {
        try await checkRoom(for: owner, by: maker, isTaken: false)
    }

    /// The same for a vault that is made now. Its place is kept until it has a record.
    func takeRoom(for owner: Owner, by maker: UInt32?) async throws(Fault) {
        try await checkRoom(for: owner, by: maker, isTaken: true)
    }

    private func checkRoom(for owner: Owner, by maker: UInt32?, isTaken: Bool) async throws(Fault) {
        let room: NVRoom?
        // Members of many groups without a vault would otherwise have each group's share.
        let sealer = maker.map { self.sealer.serving(.user($0)) } ?? self.sealer
        do throws(SealerError) {
            room = try await sealer.use { (sealer) throws(SealerError) in try sealer.inspection?.room() }
        } catch {
            guard error.code == .unavailable else { throw Fault(error) }
            throw Faults.noTPM(error)
        }
        // A sealer without a TPM has no indexes. Root's own decisions have no limit.
        guard let room, let maker else { return }
        let inventory = VaultInventory(vaults: directory, registry: registry)
        try indexes.check(owner, by: maker, inventory.records, room, isTaken: isTaken)
    }
}

extension Faults {
    /// For a person who has no vault yet. One who has a vault must not be told to choose another sealer, because it
    /// would not open their vault.
    static func noTPM(_ error: SealerError) -> Fault {
        var fault = Fault(error)
        fault.details.advice =
            "check that the TPM is switched on in the firmware, and that cofferd may use it; for a machine without a TPM "
            + "root can set “sealer = software” in cofferd.conf, which protects less: anyone who has the disk has the secrets"
        return fault
    }
}
