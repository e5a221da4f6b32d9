import Authorization
import BrokerProtocol
import Vault

/// What it takes to seal all items anew: each once, by the way that asks least of the machine.
struct RenewalPlan: Sendable {
    /// As many items as one prompt can name.
    static let mostItems = 32

    /// The next items that need a person, with their signatures; as many as one prompt can name.
    var items: [Challenge.Subject] = []
    var authorizations: [Challenge.Authorization] = []
    /// Those that have an application password, with the salt that it is stretched with for reading.
    var passwords: [(item: ItemSummary, salt: [UInt8])] = []

    /// - Throws: `FingersChanged` for an item that nobody can read any more.
    init(for missing: [ItemSummary], in vault: OpenVault) throws(Fault) {
        for item in missing {
            let way = try Self.way(to: item, in: vault)
            if let salt = way.passwordSalt { passwords.append((item, salt)) }
            guard !way.agreements.isEmpty, items.count < Self.mostItems else { continue }
            items.append(
                Challenge.Subject(
                    item: item.id, version: item.version, service: item.metadata.service,
                    account: item.metadata.account))
            for agreement in way.agreements {
                guard let kind = agreement.role.authorization else { throw Faults.notFound }
                authorizations.append(
                    Challenge.Authorization(role: agreement.role, kind: kind, point: agreement.point, item: item.id))
            }
        }
    }

    /// The way that is gone: with the application password, which has to be given anyway; otherwise one without a finger, if there is one.
    static func way(to item: ItemSummary, in vault: OpenVault) throws(Fault) -> ReadPlan.Alternative {
        let plan: ReadPlan
        do throws(VaultError) { plan = try vault.readPlan(for: item) } catch {
            guard error.code == .fingersChanged else { throw Fault(error) }
            throw unreadable(item)
        }
        let current = vault.record.biometrySet.map(Hex.encode)
        guard item.metadata.biometrySet == nil || item.metadata.biometrySet == current else { throw unreadable(item) }
        let ways = plan.alternatives
        let way =
            if item.access.constraints.contains(.applicationPassword) {
                ways.first { $0.needsApplicationPassword }
            } else {
                ways.first { !$0.agreements.contains { $0.role.authorization?.isBiometric ?? false } } ?? ways.first
            }
        guard let way else { throw Faults.notFound }
        return way
    }

    private static func unreadable(_ item: ItemSummary) -> Fault {
        Fault(
            .fingersChanged,
            "The enrolled fingers changed since “\(item.metadata.service)” / “\(item.metadata.account)” was set, so it cannot be sealed anew: set it again with coffer set, or remove it with coffer rm."
        )
    }
}
