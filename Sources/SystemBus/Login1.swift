/// The names of logind, its objects and interfaces (org.freedesktop.login1(5)), and the calls that several programs make to it.
public enum Login1 {
    public static let name = "org.freedesktop.login1"
    public static let path = "/org/freedesktop/login1"
    public static let manager = "org.freedesktop.login1.Manager"
    public static let session = "org.freedesktop.login1.Session"
    public static let properties = "org.freedesktop.DBus.Properties"

    /// The paths and uids of the present sessions.
    /// - Parameter destination: logind's name, or the unique name of one logind.
    /// - Throws: ``BusError`` if it does not answer, or answers in another form.
    public static func sessions(
        _ bus: borrowing Bus, at destination: String = name
    ) throws(BusError) -> [(path: String, uid: UInt32)] {
        let answer = try bus.call(destination, path, manager, "ListSessions")
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

    /// A Boolean property of the manager. A property of another type counts as true.
    /// - Throws: ``BusError``, as ``sessions(_:at:)`` does.
    public static func isSet(
        _ property: String, _ bus: borrowing Bus, at destination: String = name
    ) throws(BusError) -> Bool {
        let answer = try bus.call(destination, path, properties, "Get", [manager, property])
        guard try answer.enter("v", "b") else { return true }
        return try answer.bool()
    }

    /// All properties of a session.
    /// - Throws: ``BusError``, as ``sessions(_:at:)`` does.
    public static func describe(
        session: String, _ bus: borrowing Bus, at destination: String = name
    ) throws(BusError) -> BusMessage {
        try bus.call(destination, session, properties, "GetAll", [Self.session])
    }
}
