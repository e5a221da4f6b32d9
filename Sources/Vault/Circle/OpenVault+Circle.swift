import Authorization
import Circle
import Cryptography
import Item

/// Shares a vault's items with other machines (docs/sync-format.md). The vault makes and judges records. It carries none.
extension OpenVault {
    /// Whether the vault shares items.
    package var hasCircle: Bool {
        get throws(VaultError) { try read { (snapshot) throws(VaultError) in try snapshot.circle(.device) != nil } }
    }

    /// The request to join that the vault has made last and that was not answered yet.
    package var joinRequest: JoinRequest? {
        get throws(VaultError) {
            try read { (snapshot) throws(VaultError) in
                try snapshot.circle(.joining).map { (bytes) throws(VaultError) in
                    try CircleJoining(decoding: bytes).request
                }
            }
        }
    }

    /// The request that waits, and its keys in the TPM's order of proof (``Circle/MemberKeys/keysInTPM``).
    ///
    /// - Throws: `.notFound` without a request; `.damaged`, `.storage`.
    package func joinKeys() throws(VaultError) -> (request: JoinRequest, keys: [SealedObject]) {
        let row = try read { (snapshot) throws(VaultError) in try snapshot.circle(.joining) }
        guard let row else { throw .noRequest }
        let joining = try CircleJoining(decoding: row)
        let keys = try joining.request.keys.keysInTPM.map { (key) throws(VaultError) in
            switch key.role {
            case .membershipKey: return joining.signingKeys.membership
            case .streamKey: return joining.signingKeys.stream
            default:
                guard let object = objects[key.role] else {
                    throw VaultError(.damaged, "the vault lacks a key that its request to join names")
                }
                return object
            }
        }
        return (joining.request, keys)
    }

    /// What a new device's keys are made with.
    package struct CircleSecrets: Sendable {
        /// 32 bytes, which become part of the device's public keys.
        package let random: [UInt8]
        package let streamPassword: SecretBytes
        package let membershipPassword: SecretBytes
    }

    /// - Throws: `.locked`.
    package func newCircleSecrets(_ classKeys: ClassKeys) throws(VaultError) -> CircleSecrets {
        try circleSecrets(
            cryptography { () throws(CryptographyError) in try Random.bytes(32) }, classKeys)
    }

    func circleSecrets(_ random: [UInt8], _ classKeys: ClassKeys) throws(VaultError) -> CircleSecrets {
        let (keys, vault) = (keys, format.vault)
        return CircleSecrets(
            random: random,
            streamPassword: try cryptography { () throws(CryptographyError) in
                try CirclePasswords.stream(keys, vault: vault, random)
            },
            membershipPassword: try CirclePasswords.membership(classKeys, vault: vault, random))
    }

    /// The public keys of this vault as a device: those that sign, those that receive, and the random bytes.
    ///
    /// - Throws: `.locked`.
    package func memberKeys(
        membershipPoint: [UInt8], streamPoint: [UInt8], _ secrets: CircleSecrets, _ classKeys: ClassKeys
    ) throws(VaultError) -> MemberKeys {
        let receiving = try ReceivingKeys(classKeys, vault: format.vault, secrets.random).publicKeys()
        let guards = MemberKeys.guards.flatMap { requirement in
            requirement.role.flatMap { constraintPoints[$0] } ?? MemberKeys.noPoint
        }
        do throws(CircleFormError) {
            return try MemberKeys(bytes: membershipPoint + streamPoint + receiving + guards + secrets.random)
        } catch { throw .impossible(error) }
    }

    /// What this vault signs statements with.
    package struct Signatory: Sendable {
        package let circle: StatementName
        package let keys: MemberKeys
        package let key: SealedObject
        package let password: SecretBytes
    }

    /// - Throws: `.locked`; `.notFound` without a circle.
    package func signatory(_ classKeys: ClassKeys) throws(VaultError) -> Signatory {
        let device = try read { (snapshot) throws(VaultError) in try snapshot.circle(.device) }
        guard let device else { throw .noCircle }
        let own = try CircleDevice(decoding: device)
        return Signatory(
            circle: own.circle, keys: own.keys, key: own.signingKeys.membership,
            password: try circleSecrets(own.keys.random, classKeys).membershipPassword)
    }

    /// The run of this opening.
    func run() throws(VaultError) -> RunID {
        let bytes = try cryptography { () throws(CryptographyError) in try Random.bytes(RunID.count) }
        guard let fresh = RunID(bytes: bytes) else { throw .impossible(.length) }
        return circleRun.withLock { run in
            run = run ?? fresh
            return run ?? fresh
        }
    }

    /// The run to write in. If what the store had of this vault goes on behind this opening's run, another one begins: a
    /// run with two beginnings would look like two copies of the vault.
    func run(for view: CircleView) throws(VaultError) -> RunID {
        let present = try run()
        guard view.device.end?.run == present, view.ownEnd?.run != present else { return present }
        circleRun.withLock { run in if run == present { run = nil } }
        return try run()
    }

    /// All that the vault knows of its circle.
    ///
    /// - Throws: `.notFound` without a circle; `.damaged`, `.storage`.
    func view(_ snapshot: Snapshot, _ classKeys: ClassKeys) throws(VaultError) -> (CircleMaterial, CircleView) {
        guard let found = try viewIfPresent(snapshot, classKeys) else { throw .noCircle }
        return found
    }

    /// What the vault keeps of its circle, without a judgement. Each row is read and checked. What was read of the same rows
    /// before is not made again.
    ///
    /// - Returns: nil without a circle.
    func material(_ snapshot: Snapshot) throws(VaultError) -> CircleMaterial? {
        guard let known = kept.circle else { return try CircleMaterial(snapshot) }
        let isSame = try known.isMade(of: KeptCircle.digest(ofRows: snapshot.circleDigests()))
        return isSame ? known.material : try CircleMaterial(snapshot)
    }

    /// Each row is read and checked. What was made of the same rows before is not made again.
    ///
    /// - Returns: nil without a circle.
    func viewIfPresent(
        _ snapshot: Snapshot, _ classKeys: ClassKeys
    ) throws(VaultError) -> (CircleMaterial, CircleView)? {
        let digest = try KeptCircle.digest(ofRows: snapshot.circleDigests())
        if let known = kept.circle, known.isMade(of: digest), let view = try known.view(classKeys, in: snapshot) {
            return (known.material, view)
        }
        // The kept view is outdated. It goes first, because the new one takes as much memory.
        kept.dropCircle()
        guard let material = try CircleMaterial(snapshot) else { return nil }
        let view = try CircleView(material, classKeys, in: snapshot)
        kept.put(KeptCircle(digest, material, view))
        return (material, view)
    }

    /// Writes what was prepared, once its head is signed.
    ///
    /// - Parameter signature: of the stream key, `r ‖ s`.
    /// - Throws: `.changed` if the device has given out something else meanwhile; `.damaged`, `.storage`.
    package func commit(_ prepared: PreparedRecords, signature: [UInt8]) throws(VaultError) {
        try write { (change) throws(VaultError) in try commit(prepared, signature: signature, change) }
    }

    func commit(
        _ prepared: PreparedRecords, signature: [UInt8], _ change: Change
    ) throws(VaultError) {
        let found = try change.circle(.device).map { (bytes) throws(VaultError) in try CircleDevice(decoding: bytes) }
        guard found?.end == prepared.before?.end, found?.keys == prepared.before?.keys else {
            throw VaultError(.changed, "the vault was shared in another way meanwhile", advice: "try again")
        }
        let head = SignedHead(prepared.head, signature: SignedStatement.lower(signature))
        guard head.isSigned(by: prepared.after.keys) else {
            throw VaultError(.sealer, "the sealer has signed something else than the end of the records")
        }
        for (row, content) in prepared.besides { try change.put(row, content) }
        // A vault that begins a circle waits for no answer of another one.
        if found == nil, try change.circle(.joining) != nil { try change.put(.joining, []) }
        // A renewed vault that speaks has taken its place.
        if try change.circle(.succession) != nil { try change.put(.succession, []) }
        // Small rows come before long ones: to find a row's place, SQLite reads the whole of others.
        for number in prepared.given { try change.put(.pending(number), []) }
        for name in prepared.givenSlots { try change.put(.released(name), []) }
        for segment in prepared.segments { try change.put(.segment(segment), segment.bytes) }
        // The head of this run that was before leads to nothing that this one does not.
        if let end = found?.end, end.run == head.head.end.run {
            try change.put(.head(head.head.device, end.run, end.chain), [])
        }
        try change.put(.head(head.head.device, head.head.end.run, head.head.end.chain), head.bytes)
        try change.put(device: prepared.after)
    }
}

extension Change {
    /// Keeps what this vault has changed until it is given out. The device's row must be written afterwards.
    func put(pending: some Sequence<(number: UInt64, change: PendingChange)>) throws(VaultError) {
        for (number, pending) in pending { try put(.pending(number), pending.encoded) }
    }

    /// Writes the device's row, with the number of all rows. It comes last.
    func put(device: CircleDevice) throws(VaultError) {
        var device = device
        if try circle(.device) == nil { try put(.device, device.encoded) }
        device.rowCount = UInt32(clamping: try rows.count(of: "circle"))
        try put(.device, device.encoded)
        try room.checkFile(rows)
        guard try rows.circleBytes() <= room.circle else {
            throw VaultError(
                .limitExceeded,
                "the other machines have written more than this vault keeps: \(room.circle >> 20) MiB")
        }
    }
}

extension VaultError {
    /// The vault shares items with nobody.
    static let noCircle = VaultError(
        .notFound, "this vault shares its secrets with no other machine",
        advice: "begin with: coffer sync init FOLDER, or join another machine with: coffer sync join FOLDER")
}
