import Authorization
import Platform
import RootConfiguration

/// A request that a lease allows without a question, and the way that it allows.
struct LeasedRead {
    let lease: LeaseRecord
    /// What is signed. All of it is in the lease.
    let signatures: [SignatureWays.Signature]
    private let book: LeaseFile
    private let process: ProcessIdentity

    /// - Returns: nil if no lease of the client covers one of the ways wholly. The person is asked then.
    static func find(
        for client: Client, _ request: PersonRequest, _ ways: SignatureWays, _ record: RegistryRecord?,
        lastLock: Int64, _ configuration: Configuration
    ) throws(ConversationError) -> LeasedRead? {
        guard configuration.leaseLimit > 0, LeaseRule.allows(request), let record else { return nil }
        let book = try LeaseFile(registryDirectory: configuration.registryDirectory, uid: client.account.uid)
        for lease in try book.leases(of: client.process, for: record.owner, record.vault, lastLock: lastLock) {
            guard let way = ways.ways.first(where: { way in way.allSatisfy { lease.signature($0) != nil } }) else {
                continue
            }
            return LeasedRead(lease: lease, signatures: way, book: book, process: client.process)
        }
        return nil
    }

    /// Checks one signature right before it is made: the lease may have ended since, and the broker may want another one than it described.
    func check(_ wanted: SignatureWays.Signature, parameterHash: String) throws(BrokerFailure) {
        guard lease.signature(wanted)?.parameterHash == parameterHash else {
            throw .unreachable("the broker asked for a signature that the lease does not include")
        }
        let isThere: Bool
        do throws(ConversationError) { isThere = try book.has(lease, for: process) } catch { isThere = false }
        guard isThere else { throw .unreachable("the lease has ended", advice: "run the command again") }
    }
}

/// A lease that a client asks for, and how it is granted.
struct LeaseGrant {
    let seconds: Int
    private let asked = BootTime.milliseconds
    private let book: LeaseFile
    private let configuration: Configuration

    /// Checks the time, and that there is room, before a person is asked.
    /// - Throws: ``ConversationError`` if root allows no such lease.
    init(
        _ request: LeaseRequest, _ checked: CheckedRequest, of client: Client, _ configuration: Configuration
    ) throws(ConversationError) {
        let limit = min(configuration.leaseLimit, SignedLeaseLimits.seconds)
        guard limit > 0 else {
            throw .refused(.denied("on this machine there are no leases", advice: "you are asked at each read"))
        }
        guard (1...Int64(limit)).contains(request.seconds) else {
            let most = SpokenTime.of(seconds: limit)
            throw .refused(.invalidArgument("a lease lasts at least 1 second and at most \(most)"))
        }
        guard ProcessAncestry.canLead(client.process) else {
            throw .refused(
                .denied(
                    "the first process of a PID namespace gets no lease",
                    advice: "start another first process, as docker run --init does"))
        }
        seconds = Int(request.seconds)
        self.configuration = configuration
        book = try LeaseFile(registryDirectory: configuration.registryDirectory, uid: client.account.uid)
        try book.checkRoom(of: checked.registered().owner, lastLock: checked.lastLock)
    }

    /// Signs for each item, and keeps what was signed as the lease.
    func sign(
        _ checked: CheckedRequest, for client: Client, by signer: Signer, _ broker: inout BrokerConnection
    ) throws(ConversationError) {
        var signed: [LeaseRecord.Signature] = []
        var signer = signer
        signer.witness = { (wanted, hash) throws(BrokerFailure) in
            guard let point = wanted.point else {
                throw .unreachable("the broker asked for a signature that no lease can include")
            }
            signed.append(.init(kind: wanted.kind.rawValue, point: point, parameterHash: hash))
        }
        try signer.sign(checked.signatures, through: &broker)
        let record = try checked.registered()
        try book.note(
            LeaseRecord(
                boot: book.boot, owner: record.owner.text, vault: record.vault.hex, leader: client.process.pid,
                leaderStart: client.process.startTime, signatures: signed, asked: asked,
                ends: BootTime.milliseconds + Int64(seconds) * 1000),
            of: record.owner, lastLock: checked.lastLock)
    }
}
