import Coffer
import CofferSettings
import FoundationEssentials
import Platform

extension HybridStore {
    /// Stores a record in place of the former one. Nobody is asked, except to open or make the vault.
    /// - Throws: `KeychainError` or `SettingsError`. Then the former record is still there, whole. `.limitExceeded` if
    ///   a field that is a file has more than ``ProtectedFiles/defaultLimit`` bytes, if the secrets are too large to be
    ///   loaded together, or if the settings are: nothing has been written then.
    public func save(_ record: Record) async throws {
        try check()
        for field in Record.fields { _ = try field.access?.checked }
        let manifest = try HybridManifest(record, revision: UUID().uuidString, name: name)
        try await checkSize(of: record, manifest)
        try await checkSettings(of: record, revision: manifest.revision)
        try await removeOrphans()
        guard !manifest.files.isEmpty else { return try await save(record, manifest) }
        let root = try FileRoot.making(files.place())
        // Until the manifest names them, nobody may take the new files for orphans.
        let writers = try await FolderState(in: root).lock(.writers, isShared: true)
        defer { writers.keep() }
        try await save(record, manifest)
    }

    private func save(_ record: Record, _ manifest: HybridManifest) async throws {
        for field in Record.fields {
            guard let path = manifest.files[field.name], let bytes = try field.encode(record) else { continue }
            try await files.write(bytes, to: path, access: field.access)
        }
        try after(.filesWritten)
        let former = try await commit(record, manifest)
        try after(.committed)
        // `try?`: the record is saved. If the settings cannot be written now, the next load writes them.
        try? await writeSettings(record, revision: manifest.revision)
        try after(.settingsWritten)
        // `try?`: the next save removes what stays.
        try? await files.delete(former?.files.values.sorted() ?? [], protection: .later)
    }

    /// Secrets and manifest, in one transaction.
    /// - Returns: the former manifest.
    private func commit(_ record: Record, _ manifest: HybridManifest) async throws(KeychainError) -> HybridManifest? {
        let changes = try secretChanges(of: record)
        let bytes = try HybridJSON.encode(manifest)
        let present = secretFields
        for _ in 0..<HybridLimits.rounds {
            let former = try await self.manifest()
            let condition = former.map { ItemChange.Condition.isUnchanged(since: $0.1) } ?? .isAbsent
            let change = ItemChange(keychain.name(manifestAccount), .set(NewItem(value: bytes)), if: condition)
            // Of a field that the record no longer has, or has in another store.
            let gone = former?.0.secrets.filter { !present.contains($0) } ?? []
            do throws(KeychainError) {
                try await keychain.apply(
                    [change] + changes + gone.map { ItemChange(keychain.name(account($0)), .delete) })
                return former?.0
            } catch {
                guard error.code == .changedMeanwhile || error.code == .alreadyExists else { throw error }
            }
        }
        throw KeychainError(.changedMeanwhile, "the record was changed again and again", advice: "try again")
    }

    private func secretChanges(of record: Record) throws(KeychainError) -> [ItemChange] {
        var changes: [ItemChange] = []
        for field in Record.fields {
            guard case .secret = field.store else { continue }
            let item = keychain.name(account(field.name))
            if let bytes = try field.encode(record) {
                changes.append(ItemChange(item, .set(NewItem(value: bytes, access: field.access))))
            } else {
                changes.append(ItemChange(item, .delete))
            }
        }
        return changes
    }

    /// Finds out whether a load can read secrets and manifest by one call, before anything is changed.
    private func checkSize(of record: Record, _ manifest: HybridManifest) async throws(KeychainError) {
        let item = NewItem(value: try HybridJSON.encode(manifest))
        let changes = [ItemChange(keychain.name(manifestAccount), .set(item))] + (try secretChanges(of: record))
        guard try await keychain.canReadTogether(changes) else { throw .tooLargeTogether(manifest) }
    }

    private var secretFields: Set<String> {
        Set(Record.fields.compactMap { if case .secret = $0.store { $0.name } else { nil } })
    }

    /// Finds out whether the settings take the values, before anything is changed.
    private func checkSettings(of record: Record, revision: String) async throws(SettingsError) {
        guard hasSettings else { return }
        try await settings.update { (draft) throws(SettingsError) in
            var trial = draft
            try replace(by: record, revision: revision, &trial)
            try trial.checkSize()
        }
    }

    var hasSettings: Bool { Record.fields.contains { if case .setting = $0.store { true } else { false } } }

    /// Writes the settings of a record in place of all that were written before. A field that became a secret leaves
    /// no plain text.
    func writeSettings(_ record: Record, revision: String) async throws(SettingsError) {
        guard try mayHaveSettings else { return }
        try await settings.update { (draft) throws(SettingsError) in
            try replace(by: record, revision: revision, &draft)
        }
    }

    private func replace(
        by record: Record, revision: String, _ draft: inout SettingsDraft
    ) throws(SettingsError) {
        try removeWritten(&draft)
        guard hasSettings else { return }
        for field in Record.fields {
            if case .setting(let form) = field.store { try form.put(settingPrefix, record, &draft) }
        }
        try draft.set(revision, for: stampKey)
        let names = Record.fields.compactMap { if case .setting = $0.store { $0.name } else { nil } }
        try draft.set(names, for: writtenKey)
    }

    /// Whether there are settings of this version of the record, or of another one.
    var areSettingsLeft: Bool {
        get throws(SettingsError) { try settings.contains(stampKey) }
    }

    private var mayHaveSettings: Bool {
        get throws(SettingsError) { if hasSettings { true } else { try areSettingsLeft } }
    }

    /// Removes the fields that were written, and what was noted of them.
    private func removeWritten(_ draft: inout SettingsDraft) throws(SettingsError) {
        for name in try draft.value(for: writtenKey) { draft.remove(SettingKey<String?>(settingPrefix + name)) }
        draft.remove(writtenKey)
        draft.remove(stampKey)
    }

    /// Deletes the whole record. An absent one is fine. Nobody is asked, except to open the vault.
    /// - Returns: whether there was one.
    /// - Throws: `KeychainError` or `SettingsError`. If there is still a record then, it is whole. Call it again for what is left.
    @discardableResult
    public func delete() async throws -> Bool {
        try check()
        let former = try await deleteItems()
        try after(.committed)
        try await removeSettings()
        try after(.settingsWritten)
        try await files.delete(former?.files.values.sorted() ?? [])
        try await removeOrphans()
        return former != nil
    }

    /// Secrets and manifest, in one transaction.
    private func deleteItems() async throws(KeychainError) -> HybridManifest? {
        for _ in 0..<HybridLimits.rounds {
            guard let (manifest, item) = try await manifest() else { return nil }
            let fields = secretFields.union(manifest.secrets).sorted()
            do throws(KeychainError) {
                try await keychain.apply(
                    [ItemChange(keychain.name(manifestAccount), .delete, if: .isUnchanged(since: item))]
                        + fields.map { ItemChange(keychain.name(account($0)), .delete) })
                return manifest
            } catch {
                guard error.code == .changedMeanwhile || error.code == .notFound else { throw error }
            }
        }
        throw KeychainError(.changedMeanwhile, "the record was changed again and again", advice: "try again")
    }

    func removeSettings() async throws(SettingsError) {
        guard try mayHaveSettings else { return }
        try await settings.update { (draft) throws(SettingsError) in
            try removeWritten(&draft)
            for field in Record.fields {
                if case .setting(let form) = field.store { form.remove(settingPrefix, &draft) }
            }
        }
    }
}

extension HybridStore: ServiceData {
    /// Deletes the record.
    public func deleteEverything(of service: String) async throws { try await delete() }
}
