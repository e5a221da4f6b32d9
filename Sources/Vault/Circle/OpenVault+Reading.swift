import Authorization
import Circle
import Item

/// A vault whose device only reads is like the others, and changes nothing of what they share.
extension OpenVault {
    /// Checks that a change of an item can be made here. Nobody would take it, and the next exchange would undo it. So it is
    /// refused, and not lost without a word.
    ///
    /// - Parameters:
    ///   - old: the item as it is; nil for a new one.
    ///   - access: what the item will have; nil if that stays as it is.
    /// - Throws: `.invalidArgument` for what is shared, or would be.
    func checkMayChange(
        _ old: @autoclosure () throws(VaultError) -> StoredItem?, becoming access: AccessControl? = nil,
        _ snapshot: Snapshot
    ) throws(VaultError) {
        guard try isReader(snapshot) else { return }
        if let access, TravelRule.obstacle(access) == nil { throw .readsOnly }
        guard let old = try old(), let bytes = try snapshot.circle(.shared) else { return }
        guard try !SharedItems(decoding: bytes).contains(old.summary.id) else { throw .readsOnly }
    }

    /// Whether this vault's device only reads. A device keeps its role for as long as it is one, so the statements that
    /// brought it in decide.
    private func isReader(_ snapshot: Snapshot) throws(VaultError) -> Bool {
        // Most vaults share nothing. To prove that takes as long as finding an item.
        guard try snapshot.rows.hasCircle(), let bytes = try snapshot.circle(.device) else { return false }
        let device = try CircleDevice(decoding: bytes).id
        if let known = knownRole.withLock({ $0 }), known.device == device { return known.isReader }
        guard let material = try material(snapshot) else { return false }
        let isReader = material.isBroughtAsReader
        knownRole.withLock { $0 = KnownRole(device: device, isReader: isReader) }
        return isReader
    }
}

/// What a device may do, once its statements were read.
struct KnownRole {
    let device: WriterID
    let isReader: Bool
}

extension CircleMaterial {
    /// Whether one of the statements that brought this device in, or one that it has succeeded, makes it a reader.
    fileprivate var isBroughtAsReader: Bool {
        let own = Set(ownDevices)
        return statements.contains { signed in
            guard case .addition(let keys, .reader, _) = signed.statement.content else { return false }
            return own.contains(keys.device)
        }
    }
}

extension VaultError {
    static let readsOnly = VaultError(
        .invalidArgument, "this machine only reads what is shared, so it changes nothing of that",
        advice: "set it on a machine that may write (coffer sync status); to keep something on this machine alone: "
            + "coffer set --this-device-only")
}
