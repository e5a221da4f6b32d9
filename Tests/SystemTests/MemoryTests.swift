import Authorization
import BrokerProtocol
import Cryptography
import Foundation
import TPM
import TestSupport
import Testing
import Varlink

@testable import Vault

/// What root finds in the broker's memory after a lock (attacker 8's rule: no key of a locked class and no value in a
/// core file).
@Suite(.enabled(if: getuid() == 0, "only root can read the memory of a process that forbids it"), .serialized)
struct MemoryTests {
    private static let values = [
        "plain": "CANARY-plain-4eGoU8wLzQn1", "gated": "CANARY-gated-Yt7kPq2XvB9s", "old": "CANARY-old-Hn5dRc3JmW0a",
    ]

    /// Stores three items, reads them, and replaces one.
    private func used() throws -> Sandbox {
        let sandbox = try Sandbox()
        for (account, value) in Self.values {
            let gate = account == "gated" ? ["--require", "presence"] : []
            let stored = try sandbox.coffer(["set", "memory", account] + gate, input: Array(value.utf8))
            try #require(stored.code == 0, "\(stored)")
            let read = try sandbox.coffer("get", "memory", account, password: "sandbox")
            try #require(read.text == value, "\(read)")
        }
        try #require(try sandbox.coffer("set", "memory", "old", input: Array("new".utf8)).code == 0)
        return sandbox
    }

    private func image(of sandbox: Sandbox) throws -> MemoryImage {
        let brokers = try sandbox.processes(naming: "cofferd --config")
        return try MemoryImage(of: try #require(brokers.first))
    }

    /// As it is, in base64 at each of its three possible offsets, and in UTF-16.
    private static func spellings(of value: String) -> [[UInt8]] {
        let raw = Array(value.utf8)
        let base64 = (0..<3).map { skipped in
            // Characters that depend on neighbouring bytes are cut off at both ends.
            let text = Data([UInt8](repeating: 0, count: skipped) + raw).base64EncodedString()
            return Array(text.utf8.dropFirst(4).dropLast(4))
        }
        return [raw] + base64 + [Array(value.utf16).flatMap { [UInt8(truncatingIfNeeded: $0), UInt8($0 >> 8)] }]
    }

    @Test(.timeLimit(.minutes(30))) func afterALockTheBrokerHasNoValueAndNothingThatOpensOne() throws {
        let sandbox = try used()
        let before = try image(of: sandbox)
        try #require(try sandbox.coffer("lock").code == 0)
        let after = try image(of: sandbox)
        // The image is this broker's, and the search would find the values.
        #expect(!after.places(of: Array("cofferd.conf".utf8)).isEmpty)
        for (account, value) in Self.values {
            for spelling in Self.spellings(of: value) {
                let places = after.places(of: spelling)
                #expect(places.isEmpty, "the value of \(account) is in \(places)")
            }
        }
        try sandbox.script("stop-broker")
        let locks = try Locks(of: sandbox)
        #expect(try locks.firstKey(in: before) != nil, "an open vault's keys are in memory, and are found there")
        #expect(try locks.firstKey(in: after) == nil)
    }

    /// What a broker receives and sends on connections that stay open: values of one buffer and of several, and
    /// application passwords, right and wrong.
    @Test(.timeLimit(.minutes(5))) func afterALockConnectionsThatStayOpenHoldNothingThatCameInOnThem() async throws {
        let sandbox = try Sandbox()
        try #require(try sandbox.coffer("set", "memory", "first", input: Array("none".utf8)).code == 0)
        let path = try #require(sandbox.variables["COFFER_SOCKET"])
        func text(_ words: String) -> String { Data(words.utf8).base64EncodedString() }
        let canaries = [
            "short": "CANARY-short-Qe7xVn2LpT5z", "long": "CANARY-long-Jw9sBk4RtY6m",
            "guarded": "CANARY-guarded-Zc3fHg8DuN1q",
            "right": "CANARY-right-Xo5pMa7KvE2r", "wrong": "CANARY-wrong-Tl6yWi0SbC4h",
        ]
        func canary(_ name: String) throws -> String { try #require(canaries[name]) }
        var clients: [WireClient] = []
        func connection() throws -> WireClient {
            clients.append(try WireClient(path))
            return clients[clients.endIndex - 1]
        }
        _ = try await connection().call(
            Keychain.Set(service: "open", account: "short", value: text(try canary("short"))))
        let long = String(repeating: try canary("long") + "\n", count: 8000)
        _ = try await connection().call(Keychain.Set(service: "open", account: "long", value: text(long)))
        let guarded = try connection()
        _ = try await guarded.call(
            Keychain.Set(
                service: "open", account: "guarded", value: text(try canary("guarded")),
                access: .init(require: [.applicationPassword]), applicationPassword: text(try canary("right"))))
        func get(_ account: String, _ password: String?) -> Keychain.Get {
            Keychain.Get(service: "open", account: account, applicationPassword: password)
        }
        for (account, password) in [("short", nil), ("long", nil), ("guarded", "right")] {
            let password = try password.map { text(try canary($0)) }
            let read = try await connection().call(get(account, password)).value
            #expect(read == text(account == "long" ? long : try canary(account)))
        }
        let refused = try connection()
        await #expect(throws: Fault.self) {
            _ = try await refused.call(get("guarded", text(try canary("wrong"))))
        }
        let broker = try #require(try sandbox.processes(naming: "cofferd --config").first)
        _ = try await connection().call(Keychain.Lock())
        let image = try MemoryImage(of: broker)
        // The image is this broker's, and the connections are open.
        #expect(!image.places(of: Array("cofferd.conf".utf8)).isEmpty)
        for client in clients { _ = try await client.call(Keychain.Status()) }
        for (name, value) in canaries {
            for spelling in Self.spellings(of: value) {
                let places = image.places(of: spelling)
                #expect(places.isEmpty, "\(name) is in \(places)")
            }
        }
    }

    /// Everything in a vault that a key of a locked class opens.
    private struct Locks {
        let vault: OpenVault
        let items: [ItemValue]
        let locked: [Keybag.Entry]

        init(of sandbox: Sandbox) throws {
            let tcti = try TCTIConfiguration(parsing: try #require(sandbox.variables["COFFER_SANDBOX_TCTI"]))
            let registry = Registry(directory: sandbox.directory + "/registry", authenticatorUID: getuid())
            let record = try #require(try registry.record(for: .user(getuid())))
            vault = try OpenVault(
                directory: sandbox.directory + "/vaults", record: record, sealer: TPMSealer(TPMAccess.patient(tcti)))
            locked = vault.keybag.entries.filter { $0.keyClass.kind == .whenUnlocked }
            items = try vault.read { (snapshot) throws(VaultError) in
                var values: [ItemValue] = []
                for item in try snapshot.allItems() { values.append(try snapshot.value(of: item)) }
                return values
            }
            try #require(items.count == 3 && locked.count == 2)
        }

        /// What a run of 32 bytes opens, for people to read; nil if it opens nothing.
        func firstKey(in image: MemoryImage) throws -> String? {
            let values = try items.map { item in
                (item, try vault.read { (snapshot) throws(VaultError) in try snapshot.sealedValue(of: item) })
            }
            struct Found: Error { let what: String }
            do {
                try image.forEachPossibleKey { window in
                    let key = try SecretBytes(copying: window)
                    if let what = try opened(by: key, values) { throw Found(what: what) }
                }
                return nil
            } catch let found as Found { return found.what }
        }

        private func opened(by key: SecretBytes, _ values: [(ItemValue, [UInt8])]) throws -> String? {
            let publicKey = try X25519.PrivateKey(rawRepresentation: key).publicKey
            if locked.contains(where: { $0.publicKey == publicKey }) { return "a class key" }
            let fromRoot = try VaultKeys.keybag(unlockRoot: key, vault: vault.record.vault)
            for entry in locked {
                let bound = vault.format.bind("org.coffer.keybag", entry.keyClass.encoded, entry.publicKey)
                if Self.opens(entry.sealedPrivateKey, fromRoot, bound) { return "the unlock root" }
                if Self.opens(entry.sealedPrivateKey, key, bound) { return "the keybag key" }
            }
            for (item, sealed) in values {
                let context = item.context(in: vault.format.vault)
                if vaultErrorFree({ _ = try context.open(sealed, key: key) }) { return "an item key" }
                for slot in item.field.slots where slot.shape.keyClass.kind == .whenUnlocked {
                    guard slot.shape.requirements.isEmpty else { continue }
                    let classKey = try #require(vault.keybag.publicKey(of: slot.shape.keyClass))
                    let bound = try context.bind(slot, for: SlotRecipients(classKey: classKey, constraintKeys: []))
                    if Self.opens(slot.wrappedKey, key, bound) { return "a slot key" }
                    let parts = try SecretBytes.concatenating([SecretBytes(copying: [0, 0, 0, 32]), key])
                    let slotKey = try HKDF.derive(parts, salt: [], info: bound, count: AESGCM.keyCount)
                    if Self.opens(slot.wrappedKey, slotKey, bound) { return "a shared secret" }
                }
            }
            return nil
        }

        private func vaultErrorFree(_ body: () throws -> Void) -> Bool {
            do { try body() } catch { return false }
            return true
        }

        private static func opens(_ sealed: [UInt8], _ key: SecretBytes, _ bound: [UInt8]) -> Bool {
            // The answer is then that it does not open.
            (try? AESGCM.open(sealed, key: key, associatedData: bound)) != nil
        }
    }
}
