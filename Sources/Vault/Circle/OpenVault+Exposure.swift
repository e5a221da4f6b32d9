import Authorization
import Circle
import Item

/// Tells what another machine could read, so that a person knows what to change once it is lost.
extension OpenVault {
    /// After how many opened values an answer ends.
    package static let openedForExposure = 4_000

    /// The items whose present values were given out to a machine, sorted by their ids.
    ///
    /// - Parameters:
    ///   - device: a member, or one that was removed.
    ///   - place: those behind this one.
    ///   - room: about how many bytes of text at most. One item always fits.
    ///   - mostOpened: ends the answer after so many opened values. The item that they belong to is in it.
    /// - Returns: also where to go on; nil at the end.
    /// - Throws: `.notFound` without a circle, and for a machine that was never in it; `.invalidArgument` if this machine
    ///   was removed itself; `.locked`; `.damaged`, `.storage`.
    package func exposure(
        to device: WriterID, after place: [UInt8] = [], upTo most: Int = 1_000, room: Int = 256 << 10,
        opening mostOpened: Int = OpenVault.openedForExposure, _ classKeys: ClassKeys
    ) throws(VaultError) -> (items: [ItemExposure], next: [UInt8]?) {
        try read { (snapshot) throws(VaultError) in
            let view = try view(snapshot, classKeys).1
            guard view.role != nil else { throw .noMember }
            guard view.keys[device] != nil else {
                throw VaultError(
                    .notFound, "that machine was never among those that share the secrets",
                    advice: "see which are: coffer sync status")
            }
            var search = try ExposureSearch(self, view, of: device, classKeys, in: snapshot)
            var (found, size): ([ItemExposure], Int) = ([], 0)
            var last: [UInt8]?
            for item in view.state.items where place.lexicographicallyPrecedes(item.id.bytes) {
                guard found.count < most, search.opened < mostOpened else { return (found, last) }
                if let exposure = try search.exposure(of: item, here: Self.here(item, snapshot)) {
                    size += exposure.size
                    guard found.isEmpty || size <= room else { return (found, last) }
                    found.append(exposure)
                }
                last = item.id.bytes
            }
            return (found, nil)
        }
    }

    private static func here(_ item: SharedItem, _ snapshot: Snapshot) throws(VaultError) -> StoredItem? {
        for id in item.ids.compactMap({ ItemID(bytes: $0.bytes) }) {
            if let here = try snapshot.itemIfPresent(id) { return here }
        }
        return nil
    }
}
