import Authorization
import BrokerProtocol
import Foundation
import Item
import Testing
import Varlink
import Vault

@testable import Broker

/// What each vault may store.
struct OwnerPreconditionTests {
    private func record(_ owner: Owner, isService: Bool = false) throws -> RegistryRecord {
        RegistryRecord(
            vault: try VaultID.random(), owner: owner, ownerName: "x", created: 0, sealer: .software,
            authenticatorKey: [], storageKey: nil, objects: [:], isService: isService)
    }

    private func bound(_ record: RegistryRecord) throws -> RegistryRecord {
        let index = try #require(IndexPin(handle: 0x0180_0000, policy: [UInt8](repeating: 1, count: 32)))
        let pin = try #require(BindingPin(index: index, salt: [UInt8](repeating: 2, count: BindingPin.saltCount)))
        return record.with(binding: pin, unlockRoot: [])
    }

    private func isTaken(_ access: AccessControl, in record: RegistryRecord) -> Bool {
        do throws(Fault) {
            try OwnerPrecondition.check(access, in: record)
            return true
        } catch { return false }
    }

    @Test(
        "every class and constraint: an unbound vault has no password to depend on, a group's has no one person's, a service's nobody to ask"
    )
    func table() throws {
        let vaults = [
            try record(.user(1000)), try record(.group(1000)), try record(.user(1000), isService: true),
            try bound(record(.user(1000))),
        ]
        let sets: [Set<AccessControl.Requirement>] = [
            [], [.userPresence], [.biometryAny], [.biometryCurrentSet], [.devicePasscode], [.applicationPassword],
            [.userPresence, .applicationPassword],
        ]
        var checked = 0
        for accessibility in AccessControl.Accessibility.allCases {
            for set in sets {
                let access = try AccessControl(accessibility, requirements: set)
                checked += 1
                let isOnePersons = accessibility == .passcodeSet || set.contains(.biometryCurrentSet)
                let needsNobody = accessibility != .passcodeSet && set.isSubset(of: [.applicationPassword])
                #expect(isTaken(access, in: vaults[0]) == (accessibility != .passcodeSet), "\(accessibility) \(set)")
                #expect(isTaken(access, in: vaults[3]), "\(accessibility) \(set)")
                #expect(isTaken(access, in: vaults[1]) == !isOnePersons, "\(accessibility) \(set)")
                #expect(isTaken(access, in: vaults[2]) == needsNobody, "\(accessibility) \(set)")
            }
        }
        #expect(checked == 28)
    }
}
