import Platform
import SystemBus

/// One connection to a bus on which logind runs. Only messages from logind itself are believed.
struct Logind: ~Copyable {
    private static let daemon = "org.freedesktop.DBus"

    private let bus: Bus
    /// logind's unique name. The bus daemon gives a unique name to one connection, and never to another.
    private let owner: String

    /// Connects and subscribes. ``next(or:until:)`` returns the events from then on.
    /// - Throws: `BusError` if there is no bus, or no logind on it.
    init(address: String, patience: Duration = Bus.patience) throws(BusError) {
        let bus = try Bus(address: address, patience: patience)
        try bus.subscribe(
            "type='signal',sender='\(Self.daemon)',member='NameOwnerChanged',arg0='\(Login1.name)'")
        let owner = try bus.owner(of: Login1.name)
        let logind = "type='signal',sender='\(Login1.name)'"
        try bus.subscribe("\(logind),interface='\(Login1.session)'")
        try bus.subscribe("\(logind),interface='\(Login1.manager)',path='\(Login1.path)'")
        try bus.subscribe(
            "\(logind),interface='\(Login1.properties)',member='PropertiesChanged',path_namespace='\(Login1.path)/session'"
        )
        self.bus = bus
        self.owner = owner
    }

    func uniqueName() throws(BusError) -> String { try bus.uniqueName() }

    /// Waits for logind's next event.
    /// - Returns: nil if `wake` was rung or the deadline has passed; empty for a message that does not matter.
    /// - Throws: `BusError` if the bus or logind has gone.
    func next(or wake: Wake, until deadline: ContinuousClock.Instant? = nil) throws(BusError) -> [LogindEvent]? {
        guard let message = try bus.next(or: wake, until: deadline) else { return nil }
        guard message.isSignal else { return [] }
        let sender = message.sender
        if sender == Self.daemon, message.member == "NameOwnerChanged" {
            guard try message.text() == Login1.name else { return [] }
            throw BusError("hear logind", reason: "it has ended, or another one has begun")
        }
        // A signal addressed to this connection arrives without a subscription, too. So the sender is checked, as
        // the daemon names it.
        guard sender == owner else { return [] }
        return try LogindEvent.read(message)
    }

    /// Keeps the machine from sleeping until the descriptor is closed, but no longer than logind allows (5 s by
    /// default).
    func inhibitSleep() throws(BusError) -> Descriptor {
        let answer = try bus.call(
            owner, Login1.path, Login1.manager, "Inhibit",
            ["sleep", "Coffer", "Locking the vaults", "delay"])
        return try answer.descriptor()
    }

    /// Whether the machine is already about to sleep.
    func isPreparingForSleep() throws(BusError) -> Bool { try Login1.isSet("PreparingForSleep", bus, at: owner) }

    /// The present sessions, with path and uid.
    func sessions() throws(BusError) -> [(path: String, uid: UInt32)] { try Login1.sessions(bus, at: owner) }

    func describe(session path: String) throws(BusError) -> SessionDescription {
        try SessionDescription.read(Login1.describe(session: path, bus, at: owner))
    }
}

/// Keeps the machine from sleeping until the keys are wiped. If logind refuses, this keeps the time of the next try.
/// logind asks polkit, which may have to start first or may be installed later.
struct SleepInhibition: ~Copyable {
    private var descriptor: Descriptor?
    private var pause = LockLimits.firstPause
    /// When to ask again; nil while the inhibitor is held or not wanted.
    private(set) var due: ContinuousClock.Instant?

    var isHeld: Bool { descriptor != nil }

    /// Asks logind for the inhibitor, unless it is already held.
    /// - Throws: `BusError` if logind gives none; ``due`` is then the time of the next try.
    mutating func take(_ logind: borrowing Logind) throws(BusError) {
        guard descriptor == nil else { return }
        do throws(BusError) {
            descriptor = try logind.inhibitSleep()
            due = nil
            pause = LockLimits.firstPause
        } catch {
            due = .now + pause
            pause = min(pause * 2, LockLimits.longestPause)
            throw error
        }
    }

    /// The machine may sleep from now on.
    mutating func release() {
        descriptor = nil
        due = nil
        pause = LockLimits.firstPause
    }
}
