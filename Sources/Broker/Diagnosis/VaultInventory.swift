import Authorization
import Platform
import Vault

/// All vaults' files, and the registry's records of them. Each file needs its record, and each record its file.
struct VaultInventory: Sendable {
    /// A vault of which a part is missing or cannot be used.
    struct Gap: Sendable, Equatable {
        /// nil if nobody knows whose it is.
        let owner: Owner?
        let message: String
        let advice: String
        /// The folder in which the part should be.
        var folder: String?
        /// Whether both parts are there and do not belong together. What depends on the record is not known then.
        var isTorn = false
    }

    /// Compares the file of this path with a record.
    typealias Comparison = (String, RegistryRecord) -> FileFit

    /// The records that can be used.
    private(set) var records: [RegistryRecord] = []
    /// Those of vaults that root has set aside.
    private(set) var setAside: [RegistryRecord] = []
    private(set) var gaps: [Gap] = []
    /// Whether an NV index may belong to a vault that no record names: because that vault is being made or renewed, was
    /// set aside without its present record, or has a file that does not tell.
    private(set) var isChanging = false
    private var hasRecords = false

    /// The NV indexes that the records name, also those of vaults that root has set aside.
    var pinned: Set<UInt32> { (records + setAside).reduce(into: []) { $0.formUnion($1.indexHandles) } }

    init(vaults directory: String, registry: Registry, comparing: Comparison = VaultFile.fit) {
        let files = vaultFiles(in: directory)
        isChanging = (files ?? []).contains { name in Self.unfinished.contains { name.hasSuffix($0) } }
        var owners: Set<Owner> = Set((files ?? []).compactMap { Self.owner(of: $0, ".vault") })
        let recorded = recordOwners(in: registry)
        hasRecords = !recorded.isEmpty
        owners.formUnion(recorded)
        for owner in owners.sorted(by: { $0.fileStem < $1.fileStem }) {
            look(at: owner, files, directory, registry, comparing)
        }
        lookAtSetAside(directory, registry, comparing)
    }

    private static let unfinished = [".vault.new", ".vault.next", ".vault.next.json"]

    private static func owner(of name: String, _ suffix: String) -> Owner? {
        guard name.hasSuffix(suffix) else { return nil }
        return Owner(text: name.dropLast(suffix.count).split(separator: "-", maxSplits: 1).joined(separator: ":"))
    }

    /// - Returns: nil if the folder cannot be read.
    private mutating func vaultFiles(in directory: String) -> [String]? {
        do throws(SystemError) { return try Folder.entries(directory) } catch {
            gaps.append(
                Gap(
                    owner: nil, message: "the vaults' folder \(directory) cannot be read: \(error.reason)",
                    advice: "\(RescueWords.mountFirst(directory)); otherwise have root restore it from a backup",
                    folder: directory))
            return nil
        }
    }

    /// The owners that have a record. A file of another name hides none of them.
    private mutating func recordOwners(in registry: Registry) -> Set<Owner> {
        let folder = "\(registry.directory)/vaults"
        var owners: Set<Owner> = []
        do throws(SystemError) {
            guard try FileStatus.of(folder) != nil else { return [] }
            for name in try Folder.entries(folder) where name.hasSuffix(".json") {
                if let owner = Self.owner(of: name, ".json") {
                    owners.insert(owner)
                } else {
                    gaps.append(
                        Gap(
                            owner: nil, message: "\(folder)/\(name) is no owner's record: Coffer writes no such name",
                            advice: "have root look what it is, and move it out of that folder",
                            folder: folder))
                }
            }
        } catch {
            let cause = error.underlying.map { " (\($0))" } ?? ""
            gaps.append(
                Gap(
                    owner: nil, message: "the registry's folder \(folder) cannot be read\(cause)",
                    advice:
                        "have root look at its disk, its owner and its mode; restore it from a backup only if it is gone"
                ))
        }
        return owners
    }

    /// - Parameter files: nil if the vaults' folder cannot be read, which has been told.
    private mutating func look(
        at owner: Owner, _ files: [String]?, _ directory: String, _ registry: Registry, _ comparing: Comparison
    ) {
        let (file, path) = (VaultFile.path(of: owner, in: directory), registry.path(of: owner))
        let record: RegistryRecord?
        do throws(RegistryError) { record = try registry.record(for: owner) } catch { return note(error, owner, path) }
        if let record { records.append(record) }
        guard let files else { return }
        let isThere = files.contains("\(owner.fileStem).vault")
        guard let record else {
            // A vault that was set aside just now has neither.
            if isThere {
                gaps.append(
                    Gap(
                        owner: owner,
                        message:
                            "the vault \(file) has no record in the registry: without it, the vault does not open again",
                        advice: (hasRecords ? "" : RescueWords.mountFirst(registry.directory) + "; otherwise ")
                            + "have root restore \(path) from a backup; remove nothing from the TPM before",
                        folder: registry.directory))
            }
            return
        }
        guard !isThere else { return compare(file, record, registry, comparing) }
        guard !files.contains("\(owner.fileStem).vault.new") else { return }
        // A vault that was made since the folder was read is there. `try?`: what cannot be examined is not there.
        if (try? FileStatus.of(file)) ?? nil != nil { return }
        gaps.append(
            Gap(
                owner: owner, message: "the registry has a record of the vault \(file), but the file is missing",
                advice: (files.contains { $0.hasSuffix(".vault") }
                    ? "" : RescueWords.mountFirst(directory) + "; otherwise, ")
                    + RescueWords.copyBack(file) + "; otherwise " + VaultOpener.restore(file)))
    }

    /// Whether a file and its record belong together. If one of them is from a backup, the TPM may have indexes that
    /// only the other one needs.
    private mutating func compare(
        _ file: String, _ record: RegistryRecord, _ registry: Registry, _ comparing: Comparison
    ) {
        var record = record
        // Twice, because a change may end between the looks at the two.
        for _ in 0..<2 {
            switch comparing(file, record) {
            case .fits: return
            case .unknown:
                isChanging = true
                return
            case .differs: break
            }
            // A renewal that has just ended brings its file here. `try?`: what cannot be examined is not there.
            let successor = (try? FileStatus.of(file + ".next")) ?? nil
            // `try?`: the next look tells of a record that cannot be read any longer.
            guard successor == nil, let present = (try? registry.record(for: record.owner)) ?? nil else {
                isChanging = true
                return
            }
            record = present
        }
        let path = registry.path(of: record.owner)
        gaps.append(
            Gap(
                owner: record.owner, message: RescueWords.torn(file, path), advice: RescueWords.mendTorn(record),
                isTorn: true))
    }

    /// Vaults that were set aside keep their indexes, because somebody may want them back.
    private mutating func lookAtSetAside(_ directory: String, _ registry: Registry, _ comparing: Comparison) {
        do throws(RegistryError) { setAside = try registry.setAsideRecords() } catch { note(error) }
        let folder = VaultFile.setAsideDirectory(in: directory)
        // `try?`: without the folder, no vault was set aside.
        let kept = (try? Folder.entries(folder)) ?? []
        // `try?`: as above.
        let names = (try? Folder.entries(registry.setAsideDirectory)) ?? []
        let known = records + setAside
        for name in kept where name.hasSuffix(".vault") {
            let hasRecord = names.contains("\(name.dropLast(".vault".count)).json")
            let fits = known.contains {
                name.hasPrefix("\($0.owner.fileStem).") && comparing("\(folder)/\(name)", $0) == .fits
            }
            // The record beside it may be from a backup, so that it names other indexes than the file needs.
            if !hasRecord || !fits { isChanging = true }
        }
    }

    private mutating func note(_ error: RegistryError, _ owner: Owner? = nil, _ path: String? = nil) {
        // A record that cannot be read may be whole, and the newest.
        let unread = "have root look at its disk, its owner and its mode; restore it from a backup only if it is gone"
        let restore = path.map(Registry.restore) ?? "have root restore it from a backup"
        let advice = error.advice.isEmpty ? (error.code == .unreadable ? unread : restore) : error.advice
        let cause = error.underlying.map { " (\($0))" } ?? ""
        gaps.append(Gap(owner: owner, message: error.reason + cause, advice: advice))
    }
}
