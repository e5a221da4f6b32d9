import Cryptography

/// Writes former values.
extension Change {
    /// Puts former values in the place of those that an item has. Sealed values of versions that are left out are
    /// removed.
    ///
    /// - Parameter present: what the item has now.
    func put(former values: [FormerItem], of item: ItemID, replacing present: [FormerItem]) throws(VaultError) {
        let kept = Set(values.map(\.version))
        for gone in present where !kept.contains(gone.version) {
            try removeValue(gone.value.field, of: item)
        }
        guard values.map(\.value) != present.map(\.value) else { return }
        let bytes = FormerValue.encode(values.map(\.value))
        try rows.put(former: bytes, of: item)
        let (key, digest) = try cryptography { () throws(CryptographyError) -> ([UInt8], [UInt8]?) in
            (
                try TreeEntry.key(former: item),
                bytes.isEmpty ? nil : try TreeEntry.digest(former: item, records: bytes)
            )
        }
        try tree.set(key, digest)
        guard let oldest = values.map(\.value.replaced).min() else { return }
        next.oldestFormer = min(next.oldestFormer, oldest)
        hasPutFormer = true
    }

    func dropFormer(of item: ItemID) throws(VaultError) {
        try put(former: [], of: item, replacing: former(of: item))
    }

    /// Drops the former values of all items that `isKept` does not keep. Those of a damaged row stay.
    ///
    /// - Returns: whether any was dropped.
    @discardableResult
    func keepFormer(where isKept: ([FormerItem]) -> [FormerItem]) throws(VaultError) -> Bool {
        var oldest = Header.noFormer
        var hasDropped = false
        let all = try allFormer()
        for (item, present) in all.items {
            let values = isKept(present)
            try put(former: values, of: item, replacing: present)
            if values.count < present.count { hasDropped = true }
            oldest = min(oldest, values.map(\.value.replaced).min() ?? oldest)
        }
        // Nobody knows the times of a damaged row, so the header still tells the oldest that it can have.
        next.oldestFormer = all.damaged.isEmpty ? oldest : min(oldest, next.oldestFormer)
        return hasDropped
    }

    func put(_ setting: HistorySetting) { next.history = setting }

    /// Drops the values whose time has passed. Until then, nothing gives them out. It looks at them an hour later, so
    /// that one look serves several.
    func sweepFormer(at now: UInt64) throws(VaultError) {
        let setting = next.history
        // Without a former value, the end is the last moment there is.
        let (due, isNever) = setting.end(ofReplaced: next.oldestFormer).addingReportingOverflow(Self.sweepDelay)
        guard !isNever, due <= now else { return }
        try keepFormer { values in
            values.filter {
                setting.end(ofReplaced: $0.value.replaced) > now && !$0.summary.metadata.isExpired(at: now)
            }
        }
    }

    /// In milliseconds.
    private static let sweepDelay: UInt64 = 3_600_000

    /// If the vault is too full, drops the oldest former values of all items until there is some room again. So a
    /// former value never keeps anything from being stored.
    func makeRoom() throws(VaultError) {
        let measured = try hasPutFormer ? formerBytes() : 0
        guard try !room.fits(rows, former: measured) else { return }
        let all = try allFormer().items
        var order: [(ItemID, FormerItem)] = []
        for (item, values) in all { order += values.map { (item, $0) } }
        order.sort {
            ($0.1.value.replaced, $0.1.version) < ($1.1.value.replaced, $1.1.version)
        }
        var bytes = try rows.formerBytes()
        var dropped: [ItemID: Set<UInt64>] = [:]
        for (item, former) in order {
            // A little more than needed, so that the next change does not have to look again.
            if try room.withSpare.fits(rows, former: bytes) { break }
            try rows.removeValue(former.value.field.valueKey)
            bytes -= Int64(former.value.size)
            dropped[item, default: []].insert(former.version)
        }
        for (item, values) in all {
            guard let versions = dropped[item] else { continue }
            try put(former: values.filter { !versions.contains($0.version) }, of: item, replacing: values)
        }
    }

    /// Measuring reads all of them. A file smaller than their limit needs no measuring.
    private func formerBytes() throws(VaultError) -> Int64 {
        try rows.fileBytes() <= room.former ? 0 : rows.formerBytes()
    }
}

extension Room {
    /// Whether the file, and the records of former values, are not too large.
    fileprivate func fits(_ rows: Rows, former bytes: Int64) throws(VaultError) -> Bool {
        guard bytes <= former else { return false }
        return try rows.fileBytes() <= file
    }

    /// The same with a sixteenth left.
    fileprivate var withSpare: Room {
        Room(items: items, records: records, file: file - file / 16, former: former - former / 16)
    }
}
