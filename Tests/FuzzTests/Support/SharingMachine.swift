import Authorization
import Circle
import Cryptography
import Foundation
import Item
import TestSupport

@testable import Vault

/// A vault on a machine that shares items, with its person, who always agrees.
final class SharingMachine {
    let sample: SampleVault
    private(set) var vault: OpenVault
    private(set) var classKeys: ClassKeys
    private let profile: DeviceProfile

    init(_ sample: SampleVault, _ name: String) throws {
        self.sample = sample
        profile = DeviceProfile(MachineName(near: name), .software)
        vault = try OpenVault(directory: sample.folder.path, record: sample.record, sealer: sample.sealer)
        classKeys = vault.alwaysKeys
        try unlock()
    }

    private func unlock() throws {
        let root = try sample.sealer.open(
            .unlockRoot, vault.objects, record: sample.record, sign: SampleVault.signing(sample.authenticator))
        classKeys = try vault.classKeys(unlockRoot: root)
    }

    /// Writes a file in the vault's place, and opens it.
    func open(_ file: [UInt8]) throws {
        // It goes with the case before.
        do { try vault.close() } catch {}
        for side in ["-wal", "-shm", "-journal"] {
            // There may be none.
            try? FileManager.default.removeItem(atPath: sample.path + side)
        }
        try Data(file).write(to: URL(fileURLWithPath: sample.path))
        vault = try OpenVault(directory: sample.folder.path, record: sample.record, sealer: sample.sealer)
        try unlock()
    }

    func close() throws { try vault.close() }

    // MARK: The circle

    private func newKeys() throws -> (MemberKeys, CircleSigningKeys) {
        let secrets = try vault.newCircleSecrets(classKeys)
        let pair = try sample.sealer.makeSigningKeys(
            streamPassword: secrets.streamPassword, membershipPassword: secrets.membershipPassword,
            record: sample.record)
        let keys = try vault.memberKeys(
            membershipPoint: pair.membershipPoint, streamPoint: pair.streamPoint, secrets, classKeys)
        return (keys, CircleSigningKeys(stream: pair.stream, membership: pair.membership))
    }

    private func sign(
        _ statement: Statement, _ key: SealedObject, _ point: [UInt8], _ password: SecretBytes
    ) throws -> SignedStatement {
        let use = try sample.sealer.begin(
            .sign(key, point: point, digest: SHA256.digest(statement.bytes), password: password), [:],
            record: sample.record)
        let consent = try SampleVault.signing(sample.authenticator)(use.request)
        let signature = try use.finish(signature: consent, pin: nil)
        return SignedStatement(
            statement,
            signature: SignedStatement.lower(signature.withBytes { span in (0..<span.count).map { span[$0] } }))
    }

    /// A head with this device's signature.
    func signed(_ prepared: PreparedRecords) throws -> SignedHead {
        SignedHead(prepared.head, signature: SignedStatement.lower(try signature(prepared)))
    }

    private func signature(_ prepared: PreparedRecords) throws -> [UInt8] {
        let signing = prepared.signing
        return try sample.sealer.sign(
            prepared.digest, with: signing.key, point: signing.point, password: signing.password,
            record: sample.record)
    }

    private func commit(_ prepared: PreparedRecords) throws {
        try vault.commit(prepared, signature: signature(prepared))
    }

    func found() throws {
        let (keys, signingKeys) = try newKeys()
        let secrets = try vault.circleSecrets(keys.random, classKeys)
        let statement = try sign(
            Statement(founder: keys), signingKeys.membership, keys.membership, secrets.membershipPassword)
        try commit(vault.found(statement, signingKeys, profile))
    }

    func join(_ other: SharingMachine) throws {
        let (keys, signingKeys) = try newKeys()
        let request = try vault.request(keys, signingKeys, profile, classKeys)
        guard let statement = try other.vault.addition(of: request, other.classKeys) else {
            throw BrokenPromise("nobody is added")
        }
        let own = try other.vault.signatory(other.classKeys)
        let signed = try other.sign(statement, own.key, own.keys.membership, own.password)
        try other.commit(other.vault.add(signed, of: request, other.classKeys))
        try vault.enter(other.vault.answer(request, other.classKeys), profile, classKeys)
    }

    /// Gives out what was changed here, and takes in what another machine has.
    func exchange(_ other: SharingMachine) throws {
        for (one, another) in [(self, other), (other, self)] {
            let heads = try another.files().heads
            if let prepared = try one.vault.giveOut(heads: heads, one.classKeys) { try one.commit(prepared) }
            let (given, segments) = try one.files()
            _ = try another.vault.takeIn(heads: given, segments: segments, another.classKeys)
        }
    }

    private func files() throws -> (heads: [[UInt8]], segments: [[UInt8]]) {
        let files = try vault.files(lacking: [], heads: [], room: .max).files
        func content(_ isWanted: (StorePath) -> Bool) -> [[UInt8]] {
            files.compactMap { isWanted($0.path) ? $0.content : nil }
        }
        return (
            content { if case .head = $0 { true } else { false } },
            content { if case .segment = $0 { true } else { false } }
        )
    }

    /// What the vault makes of its circle.
    func view() throws -> CircleView {
        try vault.read { (snapshot) throws(VaultError) in try vault.view(snapshot, classKeys).1 }
    }

    /// All bodies that count and open here.
    func bodies() throws -> [RecordBody] {
        try vault.read { (snapshot) throws(VaultError) in
            let view = try vault.view(snapshot, classKeys).1
            let files = SegmentFiles([:], in: snapshot)
            var bodies: [RecordBody] = []
            for device in view.streams.keys.sorted() {
                for counted in view.streams[device]?.counted ?? [] {
                    let half = counted.record.header.generation.flatMap { view.halves[$0]?.metadata }
                    let body = try RecordSealing.open(files.record(counted.record), half: half)
                    if let body { bodies.append(body) }
                }
            }
            return bodies
        }
    }

    /// Records with these bodies, validly sealed and signed, as a broker that was taken over makes them. They are not
    /// stored here.
    func given(_ bodies: [RecordBody], _ view: CircleView) throws -> (head: [UInt8], segments: [[UInt8]]) {
        let prepared = try vault.read { (snapshot) throws(VaultError) in
            try vault.prepared(view, bodies, given: [], from: view)
        }
        return (try signed(prepared).bytes, prepared.segments.map(\.bytes))
    }

    // MARK: Items

    func set(_ service: String, _ value: String, _ access: AccessControl, _ field: FieldName = .secret) throws {
        var draft = ItemDraft(
            service: service, account: "", value: try SecretBytes(copying: Array(value.utf8)), access: access)
        draft.field = field
        _ = try vault.set(draft)
    }

    /// The values of an item, with its person's consent if that is asked for.
    func values(_ item: ItemSummary, consent: Bool) throws -> [(FieldName, [UInt8])] {
        var agreements: Agreements = [:]
        for one in consent ? try vault.readPlan(for: item).alternatives.first?.agreements ?? [] : [] {
            agreements[one.point] = try sample.sealer.agree(
                one.role, point: one.point, vault.objects, record: sample.record,
                sign: SampleVault.signing(sample.authenticator))
        }
        return try vault.values(of: item, classKeys: classKeys, agreements: agreements).map { value in
            (value.name, value.value.withBytes { span in (0..<span.count).map { span[$0] } })
        }
    }
}
