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
    }

    /// The records that can be used.
    private(set) var records: [RegistryRecord] = []
    /// Those of vaults that root has set aside.
    private(set) var setAside: [RegistryRecord] = []
    private(set) var gaps: [Gap] = []
    /// Whether an NV index may belong to a vault that no record names, because that vault is being made or renewed.
    private(set) var isChanging = false

    /// The NV indexes that the records name, also those of vaults that root has set aside.
    var pinned: Set<UInt32> { (records + setAside).reduce(into: []) { $0.formUnion($1.indexHandles) } }

    init(vaults directory: String, registry: Registry) {
        let files = vaultFiles(in: directory)
        isChanging = files.contains { name in Self.unfinished.contains { name.hasSuffix($0) } }
        var owners: Set<Owner> = Set(files.compactMap { Self.owner(of: $0, ".vault") })
        do throws(RegistryError) { owners.formUnion(try registry.owners()) } catch { note(error) }
        for owner in owners.sorted(by: { $0.fileStem < $1.fileStem }) { look(at: owner, files, directory, registry) }
        lookAtSetAside(directory, registry)
    }

    private static let unfinished = [".vault.new", ".vault.next", ".vault.next.json"]

    private static func owner(of name: String, _ suffix: String) -> Owner? {
        guard name.hasSuffix(suffix) else { return nil }
        return Owner(text: name.dropLast(suffix.count).split(separator: "-", maxSplits: 1).joined(separator: ":"))
    }

    private mutating func vaultFiles(in directory: String) -> [String] {
        do throws(SystemError) { return try Folder.entries(directory) } catch {
            gaps.append(
                Gap(
                    owner: nil, message: "the vaults' folder \(directory) cannot be read: \(error.reason)",
                    advice: "have root restore it from a backup, or mount it"))
            return []
        }
    }

    private mutating func look(at owner: Owner, _ files: [String], _ directory: String, _ registry: Registry) {
        let (file, path) = (VaultFile.path(of: owner, in: directory), registry.path(of: owner))
        let record: RegistryRecord?
        do throws(RegistryError) { record = try registry.record(for: owner) } catch { return note(error, owner, path) }
        let isThere = files.contains("\(owner.fileStem).vault")
        guard let record else {
            // A vault that was set aside just now has neither.
            if isThere {
                gaps.append(
                    Gap(
                        owner: owner,
                        message: "the vault \(file) has no record in the registry, so nothing can open it",
                        advice: "have root restore \(path) from a backup; remove nothing from the TPM before"))
            }
            return
        }
        records.append(record)
        guard !isThere, !files.contains("\(owner.fileStem).vault.new") else { return }
        // A vault that was made since the folder was read is there. `try?`: what cannot be examined is not there.
        if (try? FileStatus.of(file)) ?? nil != nil { return }
        gaps.append(
            Gap(
                owner: owner, message: "the registry has a record of the vault \(file), but the file is missing",
                advice: "if the vault is still open, save what it has with: coffer export; then "
                    + VaultOpener.restore(file)))
    }

    /// Vaults that were set aside keep their indexes, because somebody may want them back.
    private mutating func lookAtSetAside(_ directory: String, _ registry: Registry) {
        do throws(RegistryError) { setAside = try registry.setAsideRecords() } catch { note(error) }
        // `try?`: without the folder, no vault was set aside.
        let kept = (try? Folder.entries(VaultFile.setAsideDirectory(in: directory))) ?? []
        // `try?`: as above.
        let names = (try? Folder.entries(registry.setAsideDirectory)) ?? []
        let isKnown = { (name: String) in names.contains("\(name.dropLast(".vault".count)).json") }
        if !kept.filter({ $0.hasSuffix(".vault") }).allSatisfy(isKnown) { isChanging = true }
    }

    private mutating func note(_ error: RegistryError, _ owner: Owner? = nil, _ path: String? = nil) {
        let advice =
            error.advice.isEmpty ? path.map(Registry.restore) ?? "have root restore it from a backup" : error.advice
        let cause = error.underlying.map { " (\($0))" } ?? ""
        gaps.append(Gap(owner: owner, message: error.reason + cause, advice: advice))
    }
}
