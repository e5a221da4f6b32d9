import Coffer
import CofferSettings

extension HybridStore {
    /// The whole record, as one save has left it; nil if there is none. The secrets take one prompt at most, and so does each file.
    /// - Parameter reason: why the program asks, in its own words. The prompt shows it.
    /// - Throws: `KeychainError`, `.damaged` if a part is missing; or `SettingsError`.
    public func load(reason: String? = nil) async throws -> Record? {
        try check()
        for _ in 0..<HybridLimits.rounds {
            guard let (manifest, item) = try await manifest() else {
                try await finishDeletion()
                return nil
            }
            do {
                if let record = try await load(manifest, item, reason) { return record }
            } catch let error as KeychainError where error.code == .notFound || error.code == .damaged {
                // A save that came meanwhile has removed what this manifest names.
                guard try await self.manifest()?.0.revision == manifest.revision else { continue }
                throw KeychainError(
                    .damaged, "a part of the record is missing or damaged (\(error.message))", advice: error.advice)
            }
        }
        throw KeychainError(
            .changedMeanwhile, "the record was changed again and again while it was read", advice: "try again")
    }

    /// - Returns: nil if another program has saved meanwhile.
    private func load(
        _ manifest: HybridManifest, _ item: ItemAttributes, _ reason: String?
    ) async throws -> Record? {
        var record = Record()
        let context = try await keychain.authenticate(
            for: [manifestAccount] + manifest.secrets.map(account), reason: reason)
        let now = try context.item(for: manifestAccount).attributes
        guard now.id == item.id, now.version == item.version else { return nil }
        for field in Record.fields {
            if manifest.empty.contains(field.name) {
                try field.decode(nil, &record)
            } else if case .secret = field.store, manifest.secrets.contains(field.name) {
                try field.decode(try context.bytes(for: account(field.name)), &record)
            } else if case .file = field.store, let path = manifest.files[field.name] {
                try field.decode(try await files.read(path, reason: reason), &record)
            }
        }
        return try await addSettings(to: record, manifest)
    }

    private func addSettings(to record: Record, _ manifest: HybridManifest) async throws -> Record? {
        guard hasSettings else { return try await removeFormerSettings(of: record, manifest) }
        if let whole = try await settings(for: record, manifest.revision) { return whole }
        guard try await self.manifest()?.0.revision == manifest.revision else { return nil }
        // A save was interrupted before it wrote its settings, or another one has overtaken it.
        var saved = record
        try manifest.addSettings(to: &saved)
        // If they cannot be written now, the next load tries it again.
        do throws(SettingsError) { try await writeSettings(saved, revision: manifest.revision) } catch { return saved }
        return try await settings(for: record, manifest.revision)
    }

    /// For a record without settings: removes those of an earlier version, if a save was interrupted before it did.
    /// - Returns: nil if another program has saved meanwhile.
    private func removeFormerSettings(of record: Record, _ manifest: HybridManifest) async throws -> Record? {
        // `try?` here and below: the record is whole without settings. The next save or deletion removes them, too.
        guard let stamp = try? settings.value(for: stampKey), stamp != manifest.revision else { return record }
        guard try await self.manifest()?.0.revision == manifest.revision else { return nil }
        try? await writeSettings(record, revision: manifest.revision)
        return record
    }

    /// - Returns: nil if the settings are of another revision.
    private func settings(for record: Record, _ revision: String) async throws(SettingsError) -> Record? {
        try await settings.update { (draft) throws(SettingsError) -> Record? in
            guard try draft.value(for: stampKey) == revision else { return nil }
            var record = record
            for field in Record.fields {
                if case .setting(let form) = field.store { try form.get(settingPrefix, draft, &record) }
            }
            return record
        }
    }

    /// Removes the settings of a record whose deletion was interrupted.
    private func finishDeletion() async throws(SettingsError) {
        do throws(SettingsError) { if try areSettingsLeft { try await removeSettings() } } catch {
            // A record without settings can be used even if settings cannot be read.
            guard !hasSettings else { throw error }
        }
    }
}
