import Authorization
import BrokerProtocol
import Foundation
import Testing
import Varlink
import Vault

@testable import Broker

/// What each vault may store.
struct OwnerRuleTests {
    private func record(_ owner: Owner, isService: Bool = false) throws -> RegistryRecord {
        RegistryRecord(
            vault: try VaultID.random(), owner: owner, ownerName: "x", created: 0, sealer: .software,
            authenticatorKey: [], storageKey: nil, objects: [:], isService: isService)
    }

    private func isTaken(_ access: AccessControl, in record: RegistryRecord) -> Bool {
        do throws(Fault) {
            try OwnerRule.check(access, in: record)
            return true
        } catch { return false }
    }

    @Test("every class and constraint: a group's has no one person's, a service's nobody to ask")
    func table() throws {
        let vaults = [
            try record(.user(1000)), try record(.group(1000)), try record(.user(1000), isService: true),
        ]
        let constraints: [ConstraintSet] = [
            [], .presence, .biometryAny, .biometryCurrentSet, .passcode, .applicationPassword,
            [.presence, .applicationPassword],
        ]
        var checked = 0
        for accessibility in [Accessibility.whenUnlocked, .afterFirstUnlock, .passcodeSet, .always] {
            for set in constraints {
                // Some combinations cannot be written down at all.
                guard
                    let access = try? AccessControl(
                        accessibility: accessibility,
                        thisDeviceOnly: accessibility == .always || accessibility == .passcodeSet, constraints: set,
                        operator: set == [.presence, .applicationPassword] ? .and : .none)
                else { continue }
                checked += 1
                let isOnePersons = accessibility == .passcodeSet || set.contains(.biometryCurrentSet)
                let needsNobody = accessibility != .passcodeSet && set.isSubset(of: .applicationPassword)
                #expect(isTaken(access, in: vaults[0]))
                #expect(isTaken(access, in: vaults[1]) == !isOnePersons, "\(accessibility) \(set)")
                #expect(isTaken(access, in: vaults[2]) == needsNobody, "\(accessibility) \(set)")
            }
        }
        #expect(checked >= 20)
    }
}
