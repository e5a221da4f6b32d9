import Authorization
import BrokerProtocol
import JSON
import Synchronization
import Varlink

/// The replies of one `Monitor` call. The caller's right is settled anew before each of them.
final class MonitorReplies: ReplyStream {
    private let core: BrokerCore
    private let caller: Caller
    private let method: Keychain.Monitor
    private let admission: Admission
    private let subscription: EventSubscription
    private let hasBegun = Mutex(false)

    init(_ method: Keychain.Monitor, _ request: Request, _ subscription: EventSubscription) {
        core = request.core
        caller = request.caller
        admission = request.admission
        self.method = method
        self.subscription = subscription
    }

    deinit { subscription.end() }

    func next() async throws(Fault) -> (any JSONWritable)? {
        let isFirst = hasBegun.withLock { hasBegun in
            defer { hasBegun = true }
            return !hasBegun
        }
        // It tells the caller that nothing escapes it from now on.
        if isFirst { return Keychain.Monitor.Reply(events: []) }
        guard let events = try await subscription.next() else { return nil }
        try await confirmRight()
        return Keychain.Monitor.Reply(events: events)
    }

    /// A member may have left the group, or the vault may be found damaged.
    private func confirmRight() async throws(Fault) {
        let now = try await core.vaultAccess.admit(caller, method, admission.choice)
        // Another group may have the name by now.
        guard now.owner == admission.owner else { throw Faults.noGroupVault }
        let condition = try await core.vaultStore.vaultActor(of: now.owner).condition()
        guard now.standing != .member || condition != .none else { throw Faults.noGroupVault }
    }

    func end() { subscription.end() }
}
