import Authorization
import Circle
import Cryptography
import Foundation
import Item
import TestSupport
import Testing

@testable import Vault

/// A store in memory: what a folder keeps, and what somebody who has the folder does with it.
final class CircleStore {
    var files: [StorePath: [UInt8]] = [:]

    var heads: [[UInt8]] { files.compactMap { if case .head = $0.key { $0.value } else { nil } } }
    var names: [StorePath] {
        files.keys.filter { if case .segment = $0 { true } else { false } }.sorted { $0.text < $1.text }
    }
}

/// A vault on a machine of its own, with its person and its courier.
final class CircleMachine {
    let fixture: VaultFixture
    private(set) var vault: OpenVault
    let name: MachineName
    var classKeys: ClassKeys

    init(_ name: String, clock: UInt64 = 1_800_000_000_000, room: Room = Room()) throws {
        fixture = try VaultFixture()
        fixture.room.withLock { $0 = room }
        fixture.clock.withLock { $0 = clock }
        vault = try fixture.open()
        classKeys = try fixture.unlock(vault)
        self.name = MachineName(near: name)
    }

    /// A machine whose vault an earlier Coffer has made.
    init(_ name: String, of earlier: EarlierVault) throws {
        fixture = try earlier.fixture()
        vault = try fixture.open()
        classKeys = try fixture.unlock(vault)
        self.name = MachineName(near: name)
    }

    /// The same machine with another vault of its fixture.
    private init(_ other: CircleMachine, _ fixture: VaultFixture) throws {
        self.fixture = fixture
        vault = try fixture.open()
        classKeys = try fixture.unlock(vault)
        name = other.name
    }

    func reopen() throws {
        try vault.close()
        try openAgain()
    }

    /// Opens a vault that is closed.
    func openAgain() throws {
        vault = try fixture.open()
        classKeys = try fixture.unlock(vault)
    }

    /// The vault's file as it is now.
    func copy() throws -> Data {
        try reopen()
        try vault.close()
        // A vault that does not open again fails the test at its next use.
        defer { do { try reopen() } catch {} }
        return try Data(contentsOf: URL(fileURLWithPath: fixture.path))
    }

    /// Puts a file in the vault's place, which must be closed.
    func put(_ copy: Data) throws { try copy.write(to: URL(fileURLWithPath: fixture.path)) }

    /// A renewal of all keys that has not come to its end: the successor, and what the circle is to be told.
    struct Renewal {
        let successor: SuccessorVault
        let keys: NewVaultKeys
        var succession: CircleSuccession
    }

    /// Makes a successor with its keys for the circle, which the person has agreed to.
    func beginRenewal() throws -> Renewal {
        let (successor, keys) = try fixture.successorAndKeys(of: vault)
        let new = try successor.classKeys(unlockRoot: keys.unlockRoot)
        let secrets = try successor.newCircleSecrets(new)
        let record = successor.vault.record
        let pair = try fixture.sealer.makeSigningKeys(
            streamPassword: secrets.streamPassword, membershipPassword: secrets.membershipPassword, record: record)
        let own = try vault.signatory(classKeys)
        var succession = CircleSuccession(
            circle: own.circle, signer: own.keys.device,
            keys: try successor.memberKeys(
                membershipPoint: pair.membershipPoint, streamPoint: pair.streamPoint, secrets, new),
            signingKeys: CircleSigningKeys(stream: pair.stream, membership: pair.membership))
        let use = try fixture.sealer.begin(
            .sign(
                pair.membership, point: pair.membershipPoint, digest: SHA256.digest(succession.proofBytes),
                password: secrets.membershipPassword), [:], record: record)
        try succession.take(
            proof: revealed(use.finish(signature: fixture.sign(use.request), pin: nil)))
        let statement = try vault.statement(succession, classKeys)
        try succession.take(signature: signed(statement).signature, of: statement, by: own.keys)
        try successor.note(succession)
        return Renewal(successor: successor, keys: keys, succession: succession)
    }

    /// Fills it, with the person's consent to each item.
    func fill(_ renewal: Renewal) throws {
        let told = try vault.circleSuccessor(renewal.succession, classKeys)
        try renewal.successor.takeUp(
            vault.missing(in: renewal.successor).map { item in
                try vault.renewing(
                    item, classKeys: classKeys, agreements: fixture.agreements(vault, item), for: told)
            })
    }

    /// The last words of the device.
    func farewell(_ renewal: Renewal) throws -> CircleFarewell {
        _ = try vault.takeIn(heads: [], segments: [], classKeys)
        let prepared = try vault.farewell(#require(renewal.succession.signed), classKeys)
        let signing = prepared.signing
        return try CircleFarewell(
            prepared,
            signature: fixture.sealer.sign(
                prepared.digest, with: signing.key, point: signing.point, password: signing.password,
                record: fixture.record))
    }

    /// The registry names the successor.
    func adopt(_ renewal: Renewal) throws -> CircleMachine {
        try renewal.successor.close()
        try vault.close()
        let record = renewal.successor.vault.record
        try VaultFile.adopt(directory: fixture.folder.path, record: record)
        return try CircleMachine(self, VaultFixture(of: fixture, record, renewal.keys))
    }

    /// All keys are renewed.
    func renewed() throws -> CircleMachine {
        let renewal = try beginRenewal()
        try fill(renewal)
        try renewal.successor.complete(
            from: vault, recording: AccessRecord(.rotate), circle: (farewell(renewal), classKeys))
        return try adopt(renewal)
    }

    /// Somebody puts an earlier file back.
    func restored(_ copy: Data) throws -> CircleMachine {
        try vault.close()
        try put(copy)
        return try CircleMachine(self, fixture)
    }

    func rowCount() throws -> Int {
        try vault.read { (snapshot) throws(VaultError) in try snapshot.circleRows().count }
    }

    /// Gives out records with these bodies, as a broker that was taken over does.
    func give(_ bodies: [RecordBody]) throws {
        let prepared = try vault.read { (snapshot) throws(VaultError) in
            let view = try vault.view(snapshot, classKeys).1
            return try vault.prepared(view, bodies, given: [], from: view)
        }
        try commit(prepared)
    }

    var profile: DeviceProfile { DeviceProfile(name, .software) }

    private func newKeys() throws -> (MemberKeys, CircleSigningKeys) {
        let secrets = try vault.newCircleSecrets(classKeys)
        let pair = try fixture.sealer.makeSigningKeys(
            streamPassword: secrets.streamPassword, membershipPassword: secrets.membershipPassword,
            record: fixture.record)
        let keys = try vault.memberKeys(
            membershipPoint: pair.membershipPoint, streamPoint: pair.streamPoint, secrets, classKeys)
        return (keys, CircleSigningKeys(stream: pair.stream, membership: pair.membership))
    }

    /// The person agrees to a statement.
    private func sign(
        _ statement: Statement, _ key: SealedObject, _ point: [UInt8], _ password: SecretBytes
    ) throws -> SignedStatement {
        let use = try fixture.sealer.begin(
            .sign(key, point: point, digest: SHA256.digest(statement.bytes), password: password), [:],
            record: fixture.record)
        let signature = try use.finish(signature: fixture.sign(use.request), pin: nil)
        return SignedStatement(statement, signature: SignedStatement.lower(revealed(signature)))
    }

    /// The person agrees to remove a machine, another one or this one.
    func remove(_ other: CircleMachine) throws {
        let statement = try vault.removal(of: [other.view().device.id], classKeys)
        try commit(vault.remove(signed(statement), classKeys))
    }

    /// A statement with this machine's signature.
    func signed(_ statement: Statement) throws -> SignedStatement {
        let own = try vault.signatory(classKeys)
        return try sign(statement, own.key, own.keys.membership, own.password)
    }

    /// The person agrees to an addition.
    func agree(to statement: Statement, of request: JoinRequest) throws {
        let own = try vault.signatory(classKeys)
        try commit(
            vault.add(sign(statement, own.key, own.keys.membership, own.password), of: request, classKeys))
    }

    func commit(_ prepared: PreparedRecords) throws {
        let signing = prepared.signing
        let signature = try fixture.sealer.sign(
            prepared.digest, with: signing.key, point: signing.point, password: signing.password,
            record: fixture.record)
        try vault.commit(prepared, signature: signature)
    }

    func found() throws {
        let (keys, signingKeys) = try newKeys()
        let secrets = try vault.circleSecrets(keys.random, classKeys)
        let signed = try sign(
            Statement(founder: keys), signingKeys.membership, keys.membership, secrets.membershipPassword)
        try commit(vault.found(signed, signingKeys, profile))
    }

    func request() throws -> JoinRequest {
        let (keys, signingKeys) = try newKeys()
        return try vault.request(keys, signingKeys, profile, classKeys)
    }

    func add(_ request: JoinRequest) throws -> JoinAnswer {
        if let statement = try vault.addition(of: request, classKeys) {
            let own = try vault.signatory(classKeys)
            let signed = try sign(statement, own.key, own.keys.membership, own.password)
            try commit(vault.add(signed, of: request, classKeys))
        }
        return try vault.answer(request, classKeys)
    }

    /// Adds a machine with a role that the person did not choose, as another version may.
    func add(
        _ request: JoinRequest, as role: MemberRole, given: StatementName? = nil
    ) throws -> JoinAnswer {
        let own = try vault.signatory(classKeys)
        let view = try view()
        let statement = try Statement(
            circle: view.device.circle, signer: own.keys.device, past: view.newestStatements,
            .addition(request.keys, role, given: given))
        try commit(
            vault.add(sign(statement, own.key, own.keys.membership, own.password), of: request, classKeys))
        return try vault.answer(request, classKeys)
    }

    /// What the vault makes of its circle.
    func view() throws -> CircleView {
        try vault.read { (snapshot) throws(VaultError) in
            let (material, view) = try vault.view(snapshot, classKeys)
            var files: [FileDigest: [UInt8]] = [:]
            for segment in material.segments { files[segment.digest] = try snapshot.circle(segment) }
            // It has its files with it, so that a test can look at it after the transaction.
            let keys = try ReceivingKeys(classKeys, vault: vault.format.vault, material.device.keys.random)
            return try view.with(keys, SegmentFiles(files, in: nil))
        }
    }

    /// A record that the vault has.
    func record(_ known: KnownRecord) throws -> CircleRecord {
        try vault.read { (snapshot) throws(VaultError) in try SegmentFiles([:], in: snapshot).record(known) }
    }

    /// The only item of the circle, and who changes it.
    func writer(now: UInt64 = 1_900_000_000_000) throws -> (PartWriter, SharedItem, CircleView) {
        let view = try view()
        return (PartWriter(view.state, writer: view.device.id, now: now), view.state.items[0], view)
    }

    func join(_ other: CircleMachine) throws {
        try vault.enter(other.add(request()), profile, classKeys)
    }

    @discardableResult
    func sync(_ store: CircleStore) throws -> OpenVault.Taken {
        let taken = try takeIn(store)
        if let prepared = try vault.giveOut(heads: store.heads, classKeys) { try commit(prepared) }
        try put(store)
        for path in try vault.endedFiles(among: store.names, heads: store.heads, classKeys) { store.files[path] = nil }
        return taken
    }

    @discardableResult
    func takeIn(_ store: CircleStore) throws -> OpenVault.Taken {
        let wanted = try vault.wanted(store.names, heads: store.heads, classKeys)
        return try vault.takeIn(heads: store.heads, segments: wanted.compactMap { store.files[$0] }, classKeys)
    }

    func put(_ store: CircleStore) throws {
        let (files, _) = try vault.files(lacking: Set(store.names), heads: store.heads, room: .max)
        for (path, content) in files { store.files[path] = content }
    }

    func set(_ service: String, _ account: String = "", _ value: String, _ access: AccessControl = .whenUnlocked) throws
    {
        fixture.advance(milliseconds: 1000)
        try vault.set(
            ItemDraft(
                service: service, account: account, value: SecretBytes(copying: Array(value.utf8)), access: access))
    }

    func get(_ service: String, _ account: String = "", _ field: FieldName = .secret) throws -> String {
        let item = try vault.find(service: service, account: account)
        return String(decoding: revealed(try vault.value(of: item, field, classKeys: classKeys)), as: UTF8.self)
    }

    /// The value of an item that asks its person, who agrees.
    func guarded(_ service: String, _ account: String) throws -> String {
        let item = try vault.find(service: service, account: account)
        let value = try vault.value(
            of: item, classKeys: classKeys, agreements: fixture.agreements(vault, item))
        return String(decoding: revealed(value), as: UTF8.self)
    }

    /// All values of an item, with its person's consent.
    func opened(_ item: ItemSummary) throws -> [FieldValue] {
        try vault.values(of: item, classKeys: classKeys, agreements: fixture.agreements(vault, item))
    }

    /// What the constraint keys say to the points of a value, for any of its ways.
    func agreements(_ field: FieldRecord) throws -> Agreements {
        var agreements: Agreements = [:]
        for slot in field.slots {
            for (role, point) in zip(slot.shape.requirements.roles, slot.points) {
                agreements[point] = try fixture.sealer.agree(role, point: point, vault.objects, record: fixture.record)
                {
                    (request) throws(SigningRefusal) in try fixture.sign(request)
                }
            }
        }
        return agreements
    }

    /// The person releases everything that another machine lacks.
    func release() throws {
        for one in try vault.unreleased(classKeys) {
            let values = try vault.read { (snapshot) throws(VaultError) in
                try snapshot.values(of: snapshot.item(one.item.id))
            }
            var agreements: Agreements = [:]
            for value in values { agreements.merge(try self.agreements(value.field)) { first, _ in first } }
            try vault.release([one.item], to: one.machines, classKeys, agreements: agreements)
        }
    }

    var names: [String] {
        get throws {
            try vault.list().map {
                $0.metadata.service + ($0.metadata.account.isEmpty ? "" : "/\($0.metadata.account)")
            }.sorted()
        }
    }

    func digest() throws -> [UInt8] {
        try vault.read { (snapshot) throws(VaultError) in try vault.view(snapshot, classKeys).1.stateDigest() }
    }
}
