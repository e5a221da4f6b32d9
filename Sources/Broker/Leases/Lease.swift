import Authorization
import BrokerProtocol
import Platform
import Vault

/// A lease that a person has granted: one process and its descendants read these items without a prompt, until it ends
/// (docs/leases.md). The authenticator has a record of its own, and signs by that one.
struct Lease: Sendable {
    let number: UInt64
    let uid: UInt32
    let owner: Owner
    let vault: VaultID
    let leader: ProcessIdentity
    /// The command that the leader said it would run.
    let command: String?
    /// The leader, for the access log.
    let program: AccessRecord.Program
    var items: [Item]
    /// Milliseconds since 1970-01-01 UTC.
    let granted: Int64
    let begun: ContinuousClock.Instant
    let ends: ContinuousClock.Instant

    /// An item, and the signatures that the person was asked for.
    struct Item: Sendable {
        let subject: Challenge.Subject
        let signatures: [Challenge.Authorization]
    }

    /// What a lease is asked for, besides its items.
    struct Terms: Sendable, Equatable {
        let seconds: Int
        let command: String?
    }

    /// Why a lease ended, for the access log.
    enum End: String, Sendable {
        case time = "its time is over"
        case process = "its process has ended"
        case locked = "the vault was locked"
        case forgotten = "it was ended by coffer forget"
        case changed = "its items have changed"
        case stopped = "the broker was stopped"
        case unrecorded = "it could not be written into the access log"
    }

    /// For people and programs.
    var state: Keychain.LeaseState {
        Keychain.LeaseState(
            id: Int64(clamping: number), pid: Int64(leader.pid), command: command,
            program: program.isResolved ? program.name : nil,
            items: items.map {
                .init(
                    service: $0.subject.service, account: $0.subject.account,
                    kind: $0.subject.kind == .genericPassword ? nil : $0.subject.kind,
                    field: $0.subject.fields == [.secret] ? nil : $0.subject.fields.first?.text)
            }, granted: granted, ends: granted + (ends - begun).components.seconds * 1000)
    }
}
