import Authorization
import Circle
import Cryptography
import Item

/// The last records of a device that another one succeeds. They are stored with the successor, and never here.
package struct CircleFarewell: Sendable {
    let prepared: PreparedRecords
    /// The head's, by the former stream key.
    let head: SignedHead

    /// - Parameter signature: `r ‖ s`, 64 bytes.
    /// - Throws: `.sealer` if it is not the stream key's.
    package init(_ prepared: PreparedRecords, signature: [UInt8]) throws(VaultError) {
        head = SignedHead(prepared.head, signature: SignedStatement.lower(signature))
        guard head.isSigned(by: prepared.after.keys) else {
            throw VaultError(.sealer, "the sealer has signed something else than the end of the records")
        }
        self.prepared = prepared
    }
}

/// A vault whose keys are renewed stays in its circle: its successor is another device, and takes its place
/// (docs/rotation.md, “In a circle”).
extension OpenVault {
    /// The statement that another device succeeds this one.
    ///
    /// - Parameter succession: with its proof.
    /// - Throws: `.invalidArgument` if this vault is no member, or if it is another device by now; `.damaged`, `.storage`.
    package func statement(_ succession: CircleSuccession, _ classKeys: ClassKeys) throws(VaultError) -> Statement {
        try read { (snapshot) throws(VaultError) in
            let (_, view) = try view(snapshot, classKeys)
            guard view.role != nil else { throw .noMember }
            guard view.device.id == succession.signer, view.device.circle == succession.circle,
                let proof = succession.proof
            else { throw .otherDevice }
            do throws(CircleFormError) {
                return try Statement(
                    circle: succession.circle, signer: succession.signer, past: view.newestStatements,
                    .succession(succession.keys, proof: proof))
            } catch { throw .impossible(error) }
        }
    }

    /// What a successor needs to know for each guarded value.
    package func circleSuccessor(
        _ succession: CircleSuccession, _ classKeys: ClassKeys
    ) throws(VaultError) -> CircleSuccessor {
        try read { (snapshot) throws(VaultError) in
            let (_, view) = try view(snapshot, classKeys)
            var changes: [RevisionID: RevisionName] = [:]
            for item in view.state.items {
                for case .field(let field) in item.parts {
                    guard let shown = item.shown(.field(field)), case .value(let content)? = shown.content,
                        !content.access.requirements.isEmpty, let revision = RevisionID(bytes: content.revision)
                    else { continue }
                    changes[revision] = shown.name
                }
            }
            return CircleSuccessor(
                receivers: GuardReceivers(circle: succession.circle, [succession.keys]), changes: changes)
        }
    }

    /// The last records of this device: all that waits, and then who succeeds it. The head must be signed.
    ///
    /// - Throws: `.changed` if the members are others by now, so that another statement must be signed; `.locked`,
    ///   `.damaged`, `.storage`.
    package func farewell(
        _ signed: SignedStatement, _ classKeys: ClassKeys
    ) throws(VaultError) -> PreparedRecords {
        try read { (snapshot) throws(VaultError) in
            let (material, view) = try view(snapshot, classKeys)
            try Self.check(signed, material, classKeys, in: snapshot)
            let opening = view.naming(view.unnamed)
            let last = [RecordBody.statement(signed)]
            guard view.role?.mayWrite == true, let former = view.usable else {
                // Nobody takes anything else from a reader, so nothing waits for it.
                var prepared = try prepared(view, last, given: [], from: view)
                prepared.given = view.pending.map(\.number)
                prepared.givenSlots = view.pendingSlots.map(\.change)
                return prepared
            }
            guard let present = view.present else {
                // The members were changed, and nobody has made keys for them yet.
                let (present, key) = try newGeneration(
                    of: view.device.circle, by: view.device.id, for: view.membership)
                return try records(view, opening, last, in: present, key, made: former)
            }
            if let key = view.halves[present.name] { return try records(view, opening, last, in: present, key) }
            // Who succeeds this device is said in any case. What waits must not be lost for it.
            guard view.pending.isEmpty, view.pendingSlots.isEmpty else {
                throw .closedKeys(by: view.giver(of: present))
            }
            return try prepared(view, last, given: [], from: view)
        }
    }

    /// Checks that a succession counts by all that this vault knows.
    private static func check(
        _ signed: SignedStatement, _ material: CircleMaterial, _ classKeys: ClassKeys, in snapshot: Snapshot
    ) throws(VaultError) {
        var after = material
        after.statements.append(signed)
        let members = try CircleView(after, classKeys, in: snapshot).membership.members
        guard members.contains(where: { $0.keys == signed.statement.content.newKeys }) else {
            throw VaultError(.changed, "the members were changed meanwhile", advice: "try again")
        }
    }

    /// Whether these last records are still all that this device has to say.
    package func isWhole(_ farewell: CircleFarewell) throws(VaultError) -> Bool {
        try read { (snapshot) throws(VaultError) in
            guard let material = try material(snapshot) else { throw .noCircle }
            return material.device == farewell.prepared.before
                && material.pending.map(\.number) == farewell.prepared.given
                && Set(material.released.map(\.change)) == Set(farewell.prepared.givenSlots)
        }
    }

    /// What a successor takes over of the circle.
    ///
    /// - Throws: `.changed` if the succession does not count; `.damaged`, `.storage`.
    func circleRows(
        for succession: CircleSuccession, _ farewell: CircleFarewell, _ classKeys: ClassKeys
    ) throws(VaultError) -> (rows: [CircleRow: [UInt8]], device: CircleDevice) {
        try read { (snapshot) throws(VaultError) in
            guard var material = try material(snapshot), let signed = succession.signed,
                material.device.id == succession.signer, material.device.circle == succession.circle
            else { throw .otherDevice }
            for segment in farewell.prepared.segments { try material.add(segment) }
            material.heads.append(farewell.head)
            let view = try CircleView(material, classKeys, in: snapshot)
            guard view.membership.members.contains(where: { $0.keys == succession.keys }) else {
                throw VaultError(.changed, "the members were changed meanwhile", advice: "try again")
            }
            var rows: [CircleRow: [UInt8]] = [:]
            for (row, content, _) in try snapshot.circleRows() {
                switch row {
                case .statement, .segment, .head, .answered, .shared: rows[row] = content
                // What waited is given out, or is found again by comparison. The rest is the former device's own.
                case .device, .joining, .halves, .pending, .offered, .receivers, .released, .succession: break
                }
            }
            // The former device is another's now. Who it was, and with that its records, is known by statements alone.
            let void = Set(view.membership.refused + view.membership.waiting)
            for signed in view.signedStatements + [signed] where !void.contains(signed.statement.name) {
                rows[.statement(signed.statement.name)] = signed.bytes
            }
            for segment in farewell.prepared.segments { rows[try .segment(segment)] = segment.bytes }
            let (last, device) = (farewell.head.head, material.device)
            // As in every run: the head that was before leads to nothing that this one does not.
            if let end = device.end, end.run == last.end.run { rows[.head(device.id, end.run, end.chain)] = nil }
            rows[.head(device.id, last.end.run, last.end.chain)] = farewell.head.bytes
            for generation in view.openGenerations {
                guard let halves = view.halves[generation.name] else { continue }
                let own = try halves.sealed(to: succession.keys, in: succession.circle)
                // Whose word a row has does not show, so it has no generation that only somebody else has told.
                let bytes = view.attested.contains(generation.name) ? generation.bytes : []
                rows[.halves(generation.name)] = LengthPrefixed.encode(bytes) + own.sealed
            }
            let members = view.membership.members.map(\.keys).filter {
                !(view.streams[$0.device]?.isSuspended ?? false)
            }
            rows[.receivers] = GuardReceivers(circle: succession.circle, members).encoded
            return (
                rows,
                CircleDevice(
                    circle: succession.circle, keys: succession.keys, signingKeys: succession.signingKeys,
                    profile: device.profile)
            )
        }
    }
}

/// A successor of a vault that shares its items.
extension SuccessorVault {
    /// The keys that it will have in the circle; nil before they are made, and without a circle.
    package var circleSuccession: CircleSuccession? {
        get throws(VaultError) {
            try vault.read { (snapshot) throws(VaultError) in
                try snapshot.circle(.succession).map { (bytes) throws(VaultError) in
                    try CircleSuccession(decoding: bytes)
                }
            }
        }
    }

    package func note(_ succession: CircleSuccession) throws(VaultError) {
        try vault.write { (change) throws(VaultError) in try change.put(.succession, succession.encoded) }
    }

    /// - Throws: `.locked`.
    package func newCircleSecrets(_ classKeys: ClassKeys) throws(VaultError) -> OpenVault.CircleSecrets {
        try vault.newCircleSecrets(classKeys)
    }

    /// - Throws: `.locked`.
    package func memberKeys(
        membershipPoint: [UInt8], streamPoint: [UInt8], _ secrets: OpenVault.CircleSecrets, _ classKeys: ClassKeys
    ) throws(VaultError) -> MemberKeys {
        try vault.memberKeys(membershipPoint: membershipPoint, streamPoint: streamPoint, secrets, classKeys)
    }

    /// Takes the former device's place in the circle.
    ///
    /// - Parameter classKeys: of the former vault.
    func enterCircle(
        of former: OpenVault, _ farewell: CircleFarewell, _ classKeys: ClassKeys
    ) throws(VaultError) {
        guard let succession = try circleSuccession else { throw .otherDevice }
        let (taken, device) = try former.circleRows(for: succession, farewell, classKeys)
        var rows = taken
        // What is not carried over has gone by its time. The former device has said all that was deleted.
        let here = Set(try vault.everything().map(\.id))
        let gone = try former.everything().map(\.id).filter { !here.contains($0) }
        if let bytes = rows[.shared] { rows[.shared] = try SharedItems(decoding: bytes).without(gone).encoded }
        try vault.write { (change) throws(VaultError) in
            for (row, _, _) in try change.circleRows() where rows[row] == nil {
                switch row {
                case .succession, .released: break
                default: try change.put(row, [])
                }
            }
            for row in rows.keys.sorted(by: { $0.id.lexicographicallyPrecedes($1.id) }) {
                try change.put(row, rows[row] ?? [])
            }
            try change.put(device: device)
        }
    }
}

extension VaultError {
    fileprivate static let otherDevice = VaultError(
        .changed, "the vault has entered or left a circle meanwhile", advice: "try again")
}
