import Authorization
import BrokerProtocol
import Circle
import Cryptography
import Item
import Varlink
import Vault

/// What sealing all items again needs. Each item is read once, by the way that asks least of the machine.
struct RenewalPlan: Sendable {
    /// The next items that need a person, with their signatures. One prompt can name all of them.
    var items: [Challenge.Subject] = []
    var authorizations: [Challenge.Authorization] = []
    /// The next items with an application password, each with the salt for reading it.
    var passwords: [(item: ItemSummary, salt: [UInt8])] = []
    /// All items with an application password, finished ones too, by their ids as text.
    let withPassword: [String: ItemID]

    /// - Parameter withPassword: all items that have an application password.
    /// - Throws: `FingersChanged` for an item that nobody can read any longer.
    init(for missing: [ItemSummary], withPassword: [ItemID], in vault: OpenVault) throws(Fault) {
        self.withPassword = Dictionary(uniqueKeysWithValues: withPassword.map { ($0.description, $0) })
        var room = RenewalLimits.names
        for item in missing {
            let way = try Self.way(to: item, in: vault)
            if let salt = way.passwordSalt {
                // The remaining passwords are asked for in the next call, even if an item also needs a person.
                guard passwords.count < RenewalLimits.passwords else { continue }
                passwords.append((item, salt))
            }
            guard !way.agreements.isEmpty, items.count < RenewalLimits.items,
                authorizations.count + way.agreements.count <= RenewalLimits.signatures
            else { continue }
            // Escaped, a byte takes six characters at most.
            let fields = item.metadata.fields.map(\.name)
            let names = fields.reduce(item.metadata.service.utf8.count + item.metadata.account.utf8.count) {
                $0 + $1.text.utf8.count + 4
            }
            let size = 6 * names + 32
            guard size <= room else { continue }
            room -= size
            items.append(
                Challenge.Subject(
                    item: item.id, version: item.version, service: item.metadata.service,
                    account: item.metadata.account, kind: item.metadata.kind, fields: fields))
            for agreement in way.agreements {
                guard let kind = agreement.role.authorization else { throw Faults.notFound }
                authorizations.append(
                    Challenge.Authorization(role: agreement.role, kind: kind, point: agreement.point, item: item.id))
            }
        }
    }

    /// Chooses the way to read an item. An application password must be given anyway, so that way is used. Otherwise
    /// a way without a fingerprint is preferred.
    static func way(to item: ItemSummary, in vault: OpenVault) throws(Fault) -> ReadPlan.Alternative {
        let plan: ReadPlan
        do throws(VaultError) { plan = try vault.readPlan(for: item, .all) } catch {
            guard error.code == .fingersChanged else { throw Fault(error) }
            throw unreadable(item)
        }
        let current = vault.record.biometrySet.map { Set([Hex.encode($0)]) } ?? []
        guard item.metadata.biometrySets.isSubset(of: current) else { throw unreadable(item) }
        let ways = plan.alternatives
        let way =
            if item.access.requirements.contains(.applicationPassword) {
                ways.first { $0.needsApplicationPassword }
            } else {
                ways.first { !$0.agreements.contains { $0.role.authorization?.isBiometric ?? false } } ?? ways.first
            }
        guard let way else { throw Faults.notFound }
        return way
    }

    private static func unreadable(_ item: ItemSummary) -> Fault {
        let name = VisibleText.name(service: item.metadata.service, account: item.metadata.account)
        return Fault(
            .fingersChanged,
            "the enrolled fingers changed since \(name) was set, so it cannot be sealed anew",
            advice: "set it again with coffer set, if you have the secret elsewhere"
        )
    }
}

/// A renewal of all keys that is under way: the successor, and the state of filling it (docs/rotation.md).
struct Renewal: Sendable {
    let successor: SuccessorVault
    var succession: Succession
    /// The challenge that fills it; nil if an earlier session left it behind.
    var challenge: Challenge.ID?
    /// What the constraint keys agreed on for an item, until all of its signatures are there.
    var agreements: [ItemID: Agreements] = [:]
    /// The connection over which the authenticator got the record. Until that connection ends, the registry may name
    /// the successor at any moment.
    var offer: UInt64?
    /// The successor's own keys, once a signature has opened it.
    var keys: ClassKeys?
    /// The password of the key with which the successor will sign statements, until that key has proven itself.
    var membershipPassword: SecretBytes?
    /// Who succeeds the vault's device, while it is being signed.
    var statement: Statement?
    /// Of a vault that shares its items: what the successor is to know of its guarded values.
    var circle: CircleSuccessor?
    /// The last words of the former vault to its circle.
    var farewell: CircleFarewell?
}

/// The outcome of an authenticator session for a renewal.
struct RenewalOutcome: Sendable, Equatable {
    /// nil if items are left.
    let items: Int?
    let isRevoked: Bool
}

/// An application password, stretched for reading an item and for storing it again.
struct RenewedPassword: Sendable {
    let reading: StretchedPassword
    let storing: StretchedPassword
}
