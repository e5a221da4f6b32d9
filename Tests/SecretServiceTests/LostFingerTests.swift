import Broker
import Coffer
import Foundation
import SystemBus
import TestSupport
import Testing
import Vault

@testable import SecretService

@Suite("items that nobody can read any longer, because other fingers are enrolled or the file was changed")
struct LostFingerTests {
    /// A broker with an item of former fingers, and one that requires presence.
    private func fixture() async throws -> (ThrowAwayBroker, ServiceFixture) {
        let broker = try await ThrowAwayBroker(sealer: { SoftwareSealer(directory: $0.vaultDirectory) })
        let client = try broker.client()
        try await broker.makeVault(client)
        let (former, present) = ([UInt8](repeating: 1, count: 32), [UInt8](repeating: 2, count: 32))
        try await broker.makeItem(client, service: "gated", account: "lost", requiringFingers: former)
        try await broker.makeItem(client, service: "other", account: "bound", requiringFingers: present)
        await client.close()
        return (broker, try await ServiceFixture(broker: broker.configuration.socket))
    }

    @Test("Such an item keeps no other one from being asked for")
    func others() async throws {
        let (broker, service) = try await fixture()
        try await service.keychain("gated").set("v", for: "one", access: .whenUnlocked.requiring(.userPresence))
        try service.check("lost_fingers", in: "edges.py")
        await service.end()
        await broker.stop()
    }

    @Test("A value that was changed in the vault's file keeps no other one from being read")
    func damaged() async throws {
        let broker = try await ThrowAwayBroker(sealer: { SoftwareSealer(directory: $0.vaultDirectory) })
        let client = try broker.client()
        try await broker.makeVault(client)
        await client.close()
        let service = try await ServiceFixture(broker: broker.configuration.socket)
        let keychain = service.keychain("plain")
        let damaged = ["3", "19", "35"]
        for account in (0..<40).map(String.init) {
            let value = damaged.contains(account) ? String(repeating: "x", count: 4000) : "v" + account
            try await keychain.set(value, for: account)
        }
        await broker.stop()
        let vaults = broker.configuration.vaultDirectory
        let file = try #require(
            try FileManager.default.contentsOfDirectory(atPath: vaults).first(where: { $0.hasSuffix(".vault") }))
        let change = """
            import sqlite3, sys
            vault = sqlite3.connect(sys.argv[1])
            changed = vault.execute("UPDATE value SET sealed = zeroblob(length(sealed)) WHERE length(sealed) > 3000")
            assert changed.rowcount == 3, changed.rowcount
            vault.commit()
            vault.close()
            """
        let changed = try service.run("/usr/bin/python3", ["-c", change, vaults + "/" + file])
        try #require(changed.status == 0, "\(changed)")
        let restarted = try await ThrowAwayBroker(
            folder: broker.folder, authenticator: broker.authenticator,
            sealer: { SoftwareSealer(directory: $0.vaultDirectory) })
        let opening = try restarted.client()
        try await restarted.makeVault(opening)
        await opening.close()

        let program = try BusProgram(service.address)
        let session = try program.openSession()
        let lost = try damaged.flatMap { try program.items(["service": "plain", "account": $0]) }
        let items = try program.items(["service": "plain"])
        #expect(lost.count == 3 && items.count == 40)
        let secrets = try program.secrets(of: items, session: session)
        #expect(Set(secrets.keys) == Set(items).subtracting(lost))
        #expect(secrets.values.allSatisfy { $0.value.hasPrefix("v") })
        let refusal = program.refusal(
            ServiceName.root, ServiceName.service, "GetSecrets", [.paths(lost), .path(session)])
        #expect(refusal == BusErrorName.failed)
        await service.end()
        await restarted.stop()
    }

    private func item(_ name: String, _ access: AccessControl) -> ItemAttributes {
        ItemAttributes(
            id: name, name: ItemName(service: "s", account: name), access: access,
            created: Date(timeIntervalSince1970: 1), modified: Date(timeIntervalSince1970: 1), version: 1,
            revision: "r")
    }

    @Test("What needs no finger, or not the fingers of before, is read without the items that do")
    func fingers() {
        let base = AccessControl.whenUnlocked
        let items = [
            item("presence", base.requiring(.userPresence)), item("any", base.requiring(.biometryAny)),
            item("set", base.requiring(.biometryCurrentSet)),
            item("both", base.requiring(.devicePasscode, .biometryAny)),
            item("either", base.requiringAny(of: .devicePasscode, .biometryCurrentSet)),
            item("own", base.requiringAny(of: .applicationPassword, .biometryAny)),
        ]
        func others(_ items: [ItemAttributes], _ code: KeychainError.Code) -> [String] {
            ReadParts.others(of: items, after: code).map(\.id)
        }
        for code in [KeychainError.Code.biometryNotEnrolled, .biometryNotAvailable] {
            #expect(others(items, code) == ["presence", "either"])
        }
        #expect(others(items, .biometryRefused) == ["presence", "any", "both", "either", "own"])
        #expect(others(items.filter { $0.id != "set" }, .biometryRefused) == ["presence", "either"])
        // A person who has given up, or who cannot be asked, is asked for none of them.
        for code in [KeychainError.Code.cancelled, .timedOut, .wrongPassword, .authenticatorUnreachable] {
            #expect(others(items, code).count == items.count && !ReadParts.mayBeAboutOne(code))
        }
    }

    @Test("An export leaves it out, names it and has the others")
    func export() async throws {
        let (broker, service) = try await fixture()
        let keychain = service.keychain("other")
        try await keychain.delete("bound")
        try await keychain.set("v", for: "open")
        let recipient = "age1zvkyg2lqzraa2lnjvqej32nkuu0ues2s82hzrye869xeexvn73equnujwj"
        let result = try service.run(
            ServiceFixture.program("coffer"), ["export", "--to", recipient, "--armor", "--no-prompt"])
        #expect(result.status == 0 && result.output.hasPrefix("-----BEGIN AGE ENCRYPTED FILE-----"), "\(result)")
        #expect(
            result.errors.contains("lost") && result.errors.contains("  (the enrolled fingers changed"), "\(result)")
        #expect(result.errors.contains("Exported 1 secret; left out 1"), "\(result)")
        await service.end()
        await broker.stop()
    }
}
