import Circle
import Cryptography
import Item

/// What every setting keeps to (docs/vault-format.md, "settings"): any program of the user reads and changes it while
/// nobody is there, so it must never ask, and no secret may become one.
enum SettingRule {
    /// - Throws: `.invalidArgument` for a setting that is not exactly after-first-unlock, or that requires something.
    static func check(_ access: AccessControl, of kind: ItemKind) throws(VaultError) {
        guard kind != .setting || access == .setting else {
            throw VaultError(
                .invalidArgument, "a setting is readable after the first unlock, and requires nothing else",
                advice: "leave its access control out, or store a secret of another kind")
        }
    }

    /// - Throws: `.invalidArgument` for a setting with another field than `secret`.
    static func check(fieldsOf metadata: Metadata) throws(VaultError) {
        guard metadata.kind != .setting || metadata.fields.map(\.name) == [.secret] else {
            throw VaultError(
                .invalidArgument, "a setting has the field secret alone", advice: "make a setting of its own")
        }
    }

    static let keepsKind = VaultError(.invalidArgument, "an item keeps its kind")

    static let noRoom = VaultError(
        .limitExceeded,
        "there are too many settings: a service has \(ItemLimits.settings.ofService) at most, of "
            + "\(ItemLimits.settings.bytesOfService >> 10) KiB together, and a vault \(ItemLimits.settings.all)",
        advice: "remove settings that you do not need")

    /// Whether all machines gave the item one kind. One that has several is shown as nothing.
    static func hasOneKind(_ item: SharedItem) -> Bool {
        item.revisions(of: .name).allSatisfy {
            if case .name(let name)? = $0.content { name.itemClass == item.name.itemClass } else { true }
        }
    }

    /// Whether a value of another machine can be a setting's. Its access control must be a setting's from the start: so
    /// what was stored as a secret that asks, or that a lock closes, never becomes readable as a setting.
    static func permits(_ revision: PartChange, _ field: FieldName, of kind: ItemKind) -> Bool {
        guard kind == .setting, case .value(let content)? = revision.content else { return true }
        return field == .secret && content.access == .setting
    }
}

extension ItemKind {
    /// Whether a person can have it back after it was deleted. A file is deleted by its key, and a setting by programs.
    var goesIntoBin: Bool { self != .file && self != .setting }
}

/// What the settings of one service take.
struct SettingUse: Sendable {
    var count: Int
    /// Of the sealed values.
    var bytes: Int64
}

extension Change {
    /// Counts what a setting takes, if there is room for it. So one application cannot fill the vault of all.
    ///
    /// - Parameter values: the bytes of the sealed values that are stored; 0 if none is.
    /// - Returns: false if its service, or the vault, has too many. An item of another kind always has room.
    func takeSettingRoom(for metadata: Metadata, values: Int, over old: StoredItem?) throws(VaultError) -> Bool {
        guard metadata.kind == .setting else { return true }
        let service = Array(metadata.service.utf8)
        let present = try use(of: metadata.service)
        var use = present
        let before = old?.summary.metadata.service.isSameText(as: metadata.service) == true ? old : nil
        if before == nil { use.count += 1 }
        if values > 0 || before == nil {
            use.bytes += Int64(values)
            if let before { use.bytes -= try bytes(of: before) }
        }
        let limits = ItemLimits.settings
        // What takes no more room than before always has it.
        if use.count > present.count || use.bytes > present.bytes {
            guard use.count <= limits.ofService, use.bytes <= Int64(limits.bytesOfService) else { return false }
            if old == nil {
                let term = try cryptography { () throws(CryptographyError) in try keys.settingsTerm() }
                guard try items(of: term).count < limits.all else { return false }
            }
        }
        settingUse[service] = use
        return true
    }

    func giveSettingRoom(of item: StoredItem) throws(VaultError) {
        let metadata = item.summary.metadata
        guard metadata.kind == .setting, settingUse[Array(metadata.service.utf8)] != nil else { return }
        settingUse[Array(metadata.service.utf8)]?.count -= 1
        settingUse[Array(metadata.service.utf8)]?.bytes -= try bytes(of: item)
    }

    private func use(of service: String) throws(VaultError) -> SettingUse {
        if let known = settingUse[Array(service.utf8)] { return known }
        var use = SettingUse(count: 0, bytes: 0)
        for item in try items(service: service, kind: .setting) {
            use.count += 1
            do throws(VaultError) { use.bytes += try bytes(of: item) } catch {
                // Nobody knows what a damaged one takes, and it keeps no other from being set.
                guard error.damagedItem != nil else { throw error }
            }
        }
        settingUse[Array(service.utf8)] = use
        return use
    }

    private func bytes(of item: StoredItem) throws(VaultError) -> Int64 {
        var bytes: Int64 = 0
        for field in try fields(of: item).fields.joined() { bytes += try rows.sealedValueBytes(field.valueKey) }
        return bytes
    }
}
