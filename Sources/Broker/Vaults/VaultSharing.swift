import Authorization
import BrokerProtocol
import Circle
import Cryptography
import Varlink
import Vault

/// Shares a vault's items with other machines: plans what a person is asked for, and has heads signed. The vault makes and
/// judges the records.
struct VaultSharing: Sendable {
    /// A circle that begins with this vault.
    func founding(in vaultActor: isolated VaultActor, _ name: MachineName) async throws(Fault) -> CirclePlan {
        let profile = DeviceProfile(name, protection(vaultActor))
        guard try await !vaultActor.use({ try $0.vault.hasCircle }) else { throw Faults.hasCircle }
        try await checkRoom(in: vaultActor)
        let (keys, signingKeys, secrets) = try await newKeys(in: vaultActor)
        let statement = try form { () throws(CircleFormError) in try Statement(founder: keys) }
        return CirclePlan(
            deed: .found(statement, signingKeys, profile),
            signing: try signing(statement, signingKeys.membership, keys, secrets.membershipPassword))
    }

    /// - Parameter signature: of the statement, by the membership key.
    /// - Returns: the circle.
    func found(
        in vaultActor: isolated VaultActor, _ plan: CirclePlan, _ signature: SecretBytes
    ) async throws(Fault) -> StatementName {
        guard case .found(let statement, let keys, let profile) = plan.deed, let signed = plan.signed(signature) else {
            throw Faults.challengeRefused
        }
        try vaultActor.begin(.sharing, for: nil)
        defer { vaultActor.endOperation(of: nil) }
        try await commit(in: vaultActor, vaultActor.use { try $0.vault.found(signed, keys, profile) })
        vaultActor.noteCarrying()
        return statement.name
    }

    /// This vault's request to join another machine's circle. The one that waits stays, unless another is wanted.
    func request(
        in vaultActor: isolated VaultActor, _ name: MachineName, renewing renews: Bool
    ) async throws(Fault) -> JoinRequest {
        let (hasCircle, waiting) = try await vaultActor.use { (try $0.vault.hasCircle, try $0.vault.joinRequest) }
        guard !hasCircle else { throw Faults.hasCircle }
        try await checkRoom(in: vaultActor)
        if let waiting, !renews { return waiting }
        try vaultActor.begin(.sharing, for: nil)
        defer { vaultActor.endOperation(of: nil) }
        let profile = DeviceProfile(name, protection(vaultActor))
        let (keys, signingKeys, _) = try await newKeys(in: vaultActor)
        return try await vaultActor.use { try $0.vault.request(keys, signingKeys, profile, $0.keys) }
    }

    /// - Parameter role: nil for the usual one of its keys.
    /// - Returns: nil if the person has agreed to the request already, so that nobody is asked.
    func addition(
        in vaultActor: isolated VaultActor, of request: JoinRequest, as role: MemberRole?, _ evidence: JoinEvidence?
    ) async throws(Fault) -> CirclePlan? {
        let found = try await vaultActor.use { state in
            try state.vault.addition(of: request, as: role, state.keys).map {
                ($0, try state.vault.signatory(state.keys))
            }
        }
        guard let (statement, own) = found else { return nil }
        return CirclePlan(
            deed: .add(statement, signer: own.keys, request, evidence: evidence),
            signing: try signing(statement, own.key, own.keys, own.password))
    }

    /// - Parameter signature: of the statement, by the membership key.
    func add(
        in vaultActor: isolated VaultActor, _ plan: CirclePlan, _ signature: SecretBytes
    ) async throws(Fault) {
        guard case .add(_, _, let request, _) = plan.deed, let signed = plan.signed(signature) else {
            throw Faults.challengeRefused
        }
        try vaultActor.begin(.sharing, for: nil)
        defer { vaultActor.endOperation(of: nil) }
        try await commit(in: vaultActor, vaultActor.use { try $0.vault.add(signed, of: request, $0.keys) })
    }

    /// What making a code on paper means, for the person.
    ///
    /// - Parameter keys: the paper's. The code that they come from is not known here.
    func paper(in vaultActor: isolated VaultActor, _ keys: MemberKeys) async throws(Fault) -> CirclePlan {
        let (statement, own) = try await vaultActor.use { state in
            (try state.vault.addition(ofPaper: keys, state.keys), try state.vault.signatory(state.keys))
        }
        return CirclePlan(
            deed: .paper(statement, signer: own.keys, keys),
            signing: try signing(statement, own.key, own.keys, own.password))
    }

    /// - Parameter signature: of the statement, by the membership key.
    func addPaper(
        in vaultActor: isolated VaultActor, _ plan: CirclePlan, _ signature: SecretBytes
    ) async throws(Fault) {
        guard case .paper = plan.deed, let signed = plan.signed(signature) else { throw Faults.challengeRefused }
        try vaultActor.begin(.sharing, for: nil)
        defer { vaultActor.endOperation(of: nil) }
        try await commit(in: vaultActor, vaultActor.use { try $0.vault.addPaper(signed, $0.keys) })
    }

    func answer(in vaultActor: isolated VaultActor, to request: JoinRequest) async throws(Fault) -> JoinAnswer {
        try await vaultActor.use { try $0.vault.answer(request, $0.keys) }
    }

    /// What entering the circle of an answer means, for the person.
    func entrance(
        in vaultActor: isolated VaultActor, _ answer: JoinAnswer
    ) async throws(Fault) -> (plan: CirclePlan, membership: Membership) {
        try await checkRoom(in: vaultActor)
        let (request, membership) = try await vaultActor.use { try $0.vault.members(by: answer) }
        let names = Dictionary(answer.profiles.map { ($0.device, $0.profile.name) }) { first, _ in first }
        let machines = membership.members.filter {
            $0.keys != request.keys && $0.role != .paper
        }.prefix(SharingCallLimits.names).map {
            member in
            Self.name(names[member.keys.device], of: member.keys.device)
        }
        return (CirclePlan(deed: .join(answer, request, machines: machines)), membership)
    }

    func enter(in vaultActor: isolated VaultActor, _ answer: JoinAnswer, _ name: MachineName) async throws(Fault) {
        try vaultActor.begin(.sharing, for: nil)
        defer { vaultActor.endOperation(of: nil) }
        let profile = DeviceProfile(name, protection(vaultActor))
        try await vaultActor.use { try $0.vault.enter(answer, profile, $0.keys) }
        vaultActor.noteCarrying()
    }

    /// Who begins to share stores one item more, which says where the circle lies. A vault that is full is told before
    /// anybody is asked, and not once there is a circle that nobody can find again.
    private func checkRoom(in vaultActor: isolated VaultActor) async throws(Fault) {
        do throws(Fault) { try await vaultActor.use { try $0.vault.checkRoom() } } catch {
            guard error.name == .limitExceeded else { throw error }
            throw Fault(
                .limitExceeded,
                "your vault is full, and sharing stores one item more: the folder through which it shares",
                advice: "remove an item that you do not need: coffer rm")
        }
    }

    /// What removing machines means, for the person.
    func removal(
        in vaultActor: isolated VaultActor, of devices: [WriterID]
    ) async throws(Fault) -> CirclePlan {
        let (statement, own, state) = try await vaultActor.use { state in
            (
                try state.vault.removal(of: devices, state.keys), try state.vault.signatory(state.keys),
                try state.vault.circleState(state.keys)
            )
        }
        var names = Dictionary(state?.machines.map { ($0.device, $0.profile?.name) } ?? []) { first, _ in first }
        if let paper = state?.paper { names[paper.device] = Self.paperName }
        return CirclePlan(
            deed: .remove(statement, signer: own.keys, machines: devices.map { Self.name(names[$0] ?? nil, of: $0) }),
            signing: try signing(statement, own.key, own.keys, own.password))
    }

    /// - Parameter signature: of the statement, by the membership key.
    func remove(
        in vaultActor: isolated VaultActor, _ plan: CirclePlan, _ signature: SecretBytes
    ) async throws(Fault) {
        guard case .remove = plan.deed, let signed = plan.signed(signature) else { throw Faults.challengeRefused }
        try vaultActor.begin(.sharing, for: nil)
        defer { vaultActor.endOperation(of: nil) }
        try await commit(in: vaultActor, vaultActor.use { try $0.vault.remove(signed, $0.keys) })
    }

    func forget(in vaultActor: isolated VaultActor) async throws(Fault) {
        try vaultActor.begin(.sharing, for: nil)
        defer { vaultActor.endOperation(of: nil) }
        try await vaultActor.use { try $0.vault.forgetCircle($0.keys) }
        vaultActor.noteCarrying()
    }

    /// What stands for a paper where machines are named.
    static let paperName = MachineName(near: "paper")

    /// A machine that has not said its name yet is told apart by its id.
    static func name(_ name: MachineName?, of device: WriterID) -> MachineName {
        name ?? MachineName(near: String(Hex.encode(device.bytes).prefix(8)))
    }

    /// Gives out what was changed, if anything was.
    func giveOut(in vaultActor: isolated VaultActor, heads: [[UInt8]]) async throws(Fault) {
        try vaultActor.begin(.sharing, for: nil)
        defer { vaultActor.endOperation(of: nil) }
        // Records that begin new keys carry no changes. Those follow at once, and not at the next exchange.
        for _ in 0..<2 {
            guard let prepared = try await vaultActor.use({ try $0.vault.giveOut(heads: heads, $0.keys) }) else {
                return
            }
            try await commit(in: vaultActor, prepared)
            guard prepared.isWithoutChanges else { return }
        }
    }

    /// Has the head signed, and stores the records.
    private func commit(in vaultActor: isolated VaultActor, _ prepared: PreparedRecords) async throws(Fault) {
        let record = try await vaultActor.opened().record
        let signing = prepared.signing
        let digest = try vaultActor.step { () throws(VaultError) in try prepared.digest }
        let signature: [UInt8]
        do throws(SealerError) {
            signature = try await vaultActor.dependencies.sealer.sign(
                digest, with: signing.key, point: signing.point, password: signing.password, record: record)
        } catch { throw Fault(error) }
        try await vaultActor.use { try $0.vault.commit(prepared, signature: signature) }
    }

    private func newKeys(
        in vaultActor: isolated VaultActor
    ) async throws(Fault) -> (MemberKeys, CircleSigningKeys, OpenVault.CircleSecrets) {
        let state = try await vaultActor.opened()
        let secrets = try await vaultActor.use { try $0.vault.newCircleSecrets($0.keys) }
        let pair: SigningKeyPair
        do throws(SealerError) {
            pair = try await vaultActor.dependencies.sealer.makeSigningKeys(
                streamPassword: secrets.streamPassword, membershipPassword: secrets.membershipPassword,
                record: state.record)
        } catch { throw Fault(error) }
        let keys = try await vaultActor.use {
            try $0.vault.memberKeys(
                membershipPoint: pair.membershipPoint, streamPoint: pair.streamPoint, secrets, $0.keys)
        }
        return (keys, CircleSigningKeys(stream: pair.stream, membership: pair.membership), secrets)
    }

    private func signing(
        _ statement: Statement, _ key: SealedObject, _ keys: MemberKeys, _ password: SecretBytes
    ) throws(Fault) -> SignedUse {
        let digest: [UInt8]
        do throws(CryptographyError) { digest = try SHA256.digest(statement.bytes) } catch {
            throw Fault(.failed, "the statement cannot be digested")
        }
        return .sign(key, point: keys.membership, digest: digest, password: password)
    }

    private func protection(_ vaultActor: isolated VaultActor) -> KeyProtection {
        switch vaultActor.dependencies.sealer.kind {
        case .tpm: .tpm
        case .software: .software
        }
    }

    private func form<Value>(_ body: () throws(CircleFormError) -> Value) throws(Fault) -> Value {
        do throws(CircleFormError) { return try body() } catch { throw Fault(.failed, "the statement cannot be made") }
    }
}
