import Authorization
import BrokerProtocol
import Cryptography
import Foundation
import Item
import Platform
import TestSupport
import Testing
import Varlink

@testable import Circle
@testable import Vault

/// A machine whose broker was taken over (attacker 13) gives out what no honest broker makes.
@Suite(.timeLimit(.minutes(30)))
struct PointAttackTests {
    /// The vault of a machine in the hands of somebody who has its broker.
    private struct Thief {
        let vault: OpenVault
        let keys: ClassKeys
        let sealer: SoftwareSealer
        let record: RegistryRecord

        /// The broker must have stopped.
        init(_ peer: CirclePeer) throws {
            let directory = peer.broker.configuration.vaultDirectory
            let authenticator = peer.broker.authenticator
            record = try #require(try authenticator.registry.record(for: .user(OwnProcess.effectiveUser)))
            sealer = SoftwareSealer(directory: directory)
            vault = try OpenVault(directory: directory, record: record, sealer: sealer)
            let root = try sealer.open(.unlockRoot, vault.objects, record: record) {
                (request) throws(SigningRefusal) in
                do { return try authenticator.key.signature(for: request.message()) } catch { throw SigningRefusal() }
            }
            keys = try vault.classKeys(unlockRoot: root)
        }

        func view() throws -> CircleView {
            try vault.read { (snapshot) throws(VaultError) in try vault.view(snapshot, keys).1 }
        }

        /// The slots that the thief's own value of an item has for another machine.
        func slots(of account: String, for device: WriterID) throws -> [Slot] {
            let found = try vault.read { (snapshot) throws(VaultError) -> CarriedValue? in
                let view = try vault.view(snapshot, keys).1
                let item = view.state.items.first { $0.name.account == account }
                guard let shown = item?.shown(.field(.secret)) else { return nil }
                return try view.value(of: shown)?.value
            }
            return try #require(found).slots.compactMap { slot in
                guard case .device(device, _, let content) = slot else { return nil }
                return try Slot(decoding: content)
            }
        }

        /// Sets an item, and gives it out with other points in the slots for another machine.
        func give(
            _ account: String, _ access: AccessControl, with points: [[UInt8]], for other: WriterID,
            into folder: inout SharedFolder
        ) throws {
            try vault.set(
                ItemDraft(
                    service: "s", account: account, value: try SecretBytes(copying: Array("junk".utf8)),
                    access: access))
            _ = try vault.takeIn(heads: [], segments: [], keys)
            let view = try view()
            let carried = try view.pending.map(\.change.carried).map { one in
                guard let value = one.value else { return one }
                return try CarriedChange(
                    one.change,
                    value.with(
                        value.slots.map { slot in
                            guard case .device(other, let name, let content) = slot else { return slot }
                            let own = try Slot(decoding: content)
                            let changed = Slot(
                                shape: own.shape, ephemeral: own.ephemeral, points: points, salt: [],
                                wrappedKey: own.wrappedKey)
                            return .device(other, name: name, content: changed.encoded)
                        }))
            }
            #expect(carried.count { $0.value != nil } == 1)
            let prepared = try vault.prepared(view, [.changes(carried)], given: [], from: view)
            let signing = prepared.signing
            let signature = try sealer.sign(
                prepared.digest, with: signing.key, point: signing.point, password: signing.password, record: record)
            try vault.commit(prepared, signature: signature)
            let names = Set(folder.segments.compactMap { StorePath($0) })
            let heads = folder.heads.compactMap { Base64.decode($0) }
            for (path, content) in try vault.files(lacking: names, heads: heads, room: .max).files {
                folder.files[path.text] = Base64.encode(content)
            }
        }
    }

    private func set(_ peer: CirclePeer, _ account: String) async throws {
        _ = try await peer.client.call(
            Keychain.Set(service: "s", account: account, value: someValue, access: .init(whole: .presence)))
    }

    private func wanted(_ account: String, _ challenge: String? = nil) -> Keychain.Lease {
        Keychain.Lease(
            items: [.init(service: "s", account: account)], seconds: 600, command: "make", challenge: challenge)
    }

    /// Whether a lease covers this read.
    private func isLeased(_ peer: CirclePeer, _ account: String) async throws -> Bool {
        let refusal = try await fault { try await peer.client.call(Keychain.Get(service: "s", account: account)) }
        #expect(refusal.name == .authenticationRequired, "\(refusal)")
        return refusal.details.leased ?? false
    }

    /// T4: `weather` comes with the point of `bank`. Its lease would be one for `bank`, for which nobody was asked.
    @Test func aLeaseForOneItemOpensNoOther() async throws {
        let (desk, laptop) = (try await CirclePeer("desk"), try await CirclePeer("laptop"))
        try await desk.found()
        try await desk.add(laptop)
        var folder = SharedFolder()
        for account in ["bank", "news"] { try await set(desk, account) }
        for _ in 0..<3 { for peer in [desk, laptop] { try await peer.sync(&folder) } }
        let own = try #require(try await laptop.state().machines.first(where: \.own)).device
        let device = try #require(WriterID(bytes: Hex.decode(own) ?? []))
        await desk.stop()
        let thief = try Thief(desk)
        let slots = try thief.slots(of: "bank", for: device)
        #expect(!slots.isEmpty)
        // The points of the record are those that the laptop is asked with.
        let id = try await challenge { try await laptop.client.call(Keychain.Get(service: "s", account: "bank")) }
        let line = try laptop.broker.authenticator.connect()
        let facts = try await line.call(
            TestAuthenticator.describe(id, uid: OwnProcess.effectiveUser, TestAuthenticator.thisProcess()))
        await line.close()
        #expect(facts.authorizations.compactMap(\.point) == slots.flatMap(\.points).map { Base64.encode($0) })
        try thief.give("weather", .presence, with: slots.flatMap(\.points), for: device, into: &folder)
        let taken = try await laptop.take(folder)
        // A lease for what came is a lease for nothing else.
        let names = try await laptop.client.call(Keychain.List()).items.map(\.account).sorted()
        for account in ["news", "weather"] where names.contains(account) {
            _ = try await laptop.broker.call(laptop.client, wanted(account)) { wanted(account, $0) }
            #expect(try await isLeased(laptop, account))
        }
        #expect(try await !isLeased(laptop, "bank"))
        #expect(names == ["bank", "news"])
        let left = Sync.Unshared(service: "s", account: "weather")
        #expect(taken.obstacles == [Sync.Obstacle(reason: "unreadable", items: 1, named: [left])])
        #expect(try await fault { try await laptop.client.call(wanted("weather")) }.name == .notFound)
        await laptop.stop()
    }
}
