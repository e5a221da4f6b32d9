import Coffer
import FoundationEssentials
import HelperProtocol

/// What the present vault has under the names of an old vault's items, as far as it can be compared.
struct PresentItems {
    private let items: [ItemName: ItemAttributes]
    private let values: [VaultComparison.Place: [UInt8]]

    /// - Parameter isTrial: whether nobody is asked.
    init(of old: [OldVault.Item], _ session: CommandSession, isTrial: Bool) throws(KeychainError) {
        let vault = try VaultComparison(
            session, noPrompt: isTrial, mayAsk: !isTrial, reason: "Compare with what is restored")
        let now = Date()
        var fields: [VaultComparison.Place: FieldOfItem] = [:]
        var order: [VaultComparison.Place] = []
        for item in old where !item.thisDeviceOnly && !item.isExpired(at: now) {
            guard let name = Self.name(item), let present = vault.present[name] else { continue }
            for field in Self.names(item) where present.field(field) != nil {
                let place = VaultComparison.Place(item: name, field: field)
                let former = fields.updateValue(FieldOfItem(item: present, field: field), forKey: place)
                if former == nil { order.append(place) }
            }
        }
        items = vault.present
        let all = order.compactMap { fields[$0] }
        let open = all.filter { $0.item.access.requirements.isEmpty }
        let guarded = all.filter { !$0.item.access.requirements.isEmpty }
        var found: [VaultComparison.Place: [UInt8]] = [:]
        for group in [open, guarded] {
            do throws(KeychainError) { found.merge(try vault.values(of: group)) { $1 } } catch {
                // Without its values, the vault's items stay as they are. The others are restored.
                guard Self.unread.contains(error.code) else { throw error }
            }
        }
        values = found
    }

    /// Why values cannot be read here, though nobody gave up. A fingerprint reader may be broken or gone, and an item of
    /// the present vault may be damaged.
    private static let unread: Set<KeychainError.Code> = [
        .locked, .biometryRefused, .biometryNotEnrolled, .biometryNotAvailable, .authenticationMisconfigured,
        .damaged,
    ]

    /// What an old item is compared with.
    enum Standing {
        /// The values in the vault, in the order of the old item's fields.
        case values([[UInt8]])
        /// The vault's item has not all of its fields.
        case other
        /// With the reason, as a clause.
        case notCompared(String)
    }

    func standing(of old: OldVault.Item) -> Standing {
        guard let name = Self.name(old), let present = items[name] else { return .other }
        let fields = Self.names(old)
        guard fields.count == old.fields.count, fields.allSatisfy({ present.field($0) != nil }) else { return .other }
        guard !present.isExpired(at: Date()) else {
            return .notCompared("expired in your vault, so it was not compared")
        }
        let found = fields.compactMap { values[VaultComparison.Place(item: name, field: $0)] }
        guard found.count == fields.count else {
            let isOpen = present.access.requirements.isEmpty
            return .notCompared("\(isOpen ? "your vault is locked" : "guarded"), so it was not compared")
        }
        return .values(found)
    }

    private static func name(_ old: OldVault.Item) -> ItemName? {
        guard let kind = old.kind else { return ItemName(service: old.service, account: old.account) }
        return ItemKind(rawValue: kind).map {
            ItemName(service: old.service, account: old.account, itemClass: $0)
        }
    }

    /// The fields with a name that this version knows.
    private static func names(_ old: OldVault.Item) -> [FieldName] { old.fields.compactMap { FieldName($0.name) } }
}

extension OldVault.Item {
    func isExpired(at now: Date) -> Bool {
        expires.map { Double($0) <= now.timeIntervalSince1970 * 1000 } ?? false
    }
}
