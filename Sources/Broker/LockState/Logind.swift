import Platform
import SystemBus

/// One connection to a bus on which logind is. What it hears is logind's: of every other sender nothing is believed.
struct Logind: ~Copyable {
    private static let daemon = "org.freedesktop.DBus"

    private let bus: Bus
    /// logind's unique name: the bus daemon gives it to one connection and never to another.
    private let owner: String

    /// Connects and subscribes; what happens from then on is heard by ``next(or:until:)``.
    /// - Throws: `BusError` where there is no bus, or no logind on it.
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

    /// Waits for what logind says next.
    /// - Returns: nil when `wake` was rung, or at the deadline; empty for what does not matter.
    /// - Throws: `BusError` when the bus or logind has gone.
    func next(or wake: Wake, until deadline: ContinuousClock.Instant? = nil) throws(BusError) -> [LogindEvent]? {
        guard let message = try bus.next(or: wake, until: deadline) else { return nil }
        guard message.isSignal else { return [] }
        let sender = message.sender
        if sender == Self.daemon, message.member == "NameOwnerChanged" {
            guard try message.text() == Login1.name else { return [] }
            throw BusError("hear logind", reason: "it has ended, or another one has begun")
        }
        // A signal that is addressed to this connection comes whatever the subscriptions say: the daemon's word on the sender decides.
        guard sender == owner else { return [] }
        return try LogindEvent.read(message)
    }

    /// Keeps the machine from sleeping until the descriptor is closed, for as long as logind allows (5 s by default).
    func inhibitSleep() throws(BusError) -> Descriptor {
        let answer = try bus.call(
            owner, Login1.path, Login1.manager, "Inhibit",
            ["sleep", "Coffer", "Locking the vaults", "delay"])
        return try answer.descriptor()
    }

    /// Whether the machine is about to sleep already.
    func isPreparingForSleep() throws(BusError) -> Bool { try Login1.isSet("PreparingForSleep", bus, at: owner) }

    /// The sessions there are: path and uid.
    func sessions() throws(BusError) -> [(path: String, uid: UInt32)] { try Login1.sessions(bus, at: owner) }

    func describe(session path: String) throws(BusError) -> SessionDescription {
        try SessionDescription.read(Login1.describe(session: path, bus, at: owner))
    }
}
