import Platform
import SystemBus

/// One connection to a bus on which logind is. What it hears is logind's: of every other sender nothing is believed.
struct Logind: ~Copyable {
    static let name = "org.freedesktop.login1"
    static let path = "/org/freedesktop/login1"
    static let manager = "org.freedesktop.login1.Manager"
    static let session = "org.freedesktop.login1.Session"
    static let properties = "org.freedesktop.DBus.Properties"
    private static let daemon = "org.freedesktop.DBus"

    private let bus: Bus
    /// logind's unique name: the bus daemon gives it to one connection and never to another.
    private let owner: String

    /// Connects and subscribes; what happens from then on is heard by ``next(or:)``.
    /// - Throws: `BusError` where there is no bus, or no logind on it.
    init(address: String) throws(BusError) {
        let bus = try Bus(address: address)
        try bus.subscribe(
            "type='signal',sender='\(Self.daemon)',member='NameOwnerChanged',arg0='\(Self.name)'")
        let owner = try bus.owner(of: Self.name)
        let logind = "type='signal',sender='\(Self.name)'"
        try bus.subscribe("\(logind),interface='\(Self.session)'")
        try bus.subscribe("\(logind),interface='\(Self.manager)',path='\(Self.path)'")
        try bus.subscribe(
            "\(logind),interface='\(Self.properties)',member='PropertiesChanged',path_namespace='\(Self.path)/session'")
        self.bus = bus
        self.owner = owner
    }

    func uniqueName() throws(BusError) -> String { try bus.uniqueName() }

    /// Waits for what logind says next.
    /// - Returns: nil when `wake` was rung; empty for what does not matter.
    /// - Throws: `BusError` when the bus or logind has gone.
    func next(or wake: Wake) throws(BusError) -> [LogindEvent]? {
        guard let message = try bus.next(or: wake) else { return nil }
        guard message.isSignal else { return [] }
        let sender = message.sender
        if sender == Self.daemon, message.member == "NameOwnerChanged" {
            guard try message.text() == Self.name else { return [] }
            throw BusError("hear logind", reason: "it has ended, or another one has begun")
        }
        // A signal that is addressed to this connection comes whatever the subscriptions say: the daemon's word on the sender decides.
        guard sender == owner else { return [] }
        return try LogindEvent.read(message)
    }

    /// Keeps the machine from sleeping until the descriptor is closed, for as long as logind allows (5 s by default).
    func inhibitSleep() throws(BusError) -> Descriptor {
        let answer = try bus.call(
            owner, Self.path, Self.manager, "Inhibit",
            ["sleep", "Coffer", "Locking the keychains", "delay"])
        return try answer.descriptor()
    }

    /// Whether the machine is about to sleep already.
    func isPreparingForSleep() throws(BusError) -> Bool {
        let answer = try bus.call(owner, Self.path, Self.properties, "Get", [Self.manager, "PreparingForSleep"])
        guard try answer.enter("v", "b") else { return true }
        return try answer.bool()
    }

    /// The sessions there are: path and uid.
    func sessions() throws(BusError) -> [(path: String, uid: UInt32)] {
        let answer = try bus.call(owner, Self.path, Self.manager, "ListSessions")
        var found: [(path: String, uid: UInt32)] = []
        guard try answer.enter("a", "(susso)") else { return found }
        while try answer.enter("r", "susso") {
            _ = try answer.text()
            let uid = try answer.number()
            try answer.skip("ss")
            found.append((try answer.text("o"), uid))
            try answer.leave()
        }
        return found
    }

    func describe(session path: String) throws(BusError) -> SessionDescription {
        try SessionDescription.read(try bus.call(owner, path, Self.properties, "GetAll", [Self.session]))
    }
}
