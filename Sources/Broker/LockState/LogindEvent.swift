import SystemBus

/// The events of logind that concern locks. A session is named by its object's path.
enum LogindEvent: Sendable, Equatable {
    case lock(session: String)
    case lockedHint(session: String, Bool)
    case unlock(session: String)
    case idleHint(session: String, Bool)
    case sessionNew(String)
    case sessionRemoved(String)
    case sleep(Bool)

    /// Reads a signal. The caller must have checked its sender.
    /// - Returns: empty for a signal that does not matter here.
    /// - Throws: `BusError` if the signal does not have logind's format.
    static func read(_ signal: borrowing BusMessage) throws(BusError) -> [LogindEvent] {
        let path = signal.path
        switch (signal.interface, signal.member) {
        case (Login1.session, "Lock"): return [.lock(session: path)]
        case (Login1.session, "Unlock"): return [.unlock(session: path)]
        case (Login1.manager, "PrepareForSleep"): return [.sleep(try signal.bool())]
        case (Login1.manager, "SessionNew"): return [.sessionNew(try sessionPath(signal))]
        case (Login1.manager, "SessionRemoved"): return [.sessionRemoved(try sessionPath(signal))]
        case (Login1.properties, "PropertiesChanged"): return try changes(signal, session: path)
        default: return []
        }
    }

    private static func sessionPath(_ signal: borrowing BusMessage) throws(BusError) -> String {
        _ = try signal.text()
        return try signal.text("o")
    }

    private static func changes(_ signal: borrowing BusMessage, session: String) throws(BusError) -> [LogindEvent] {
        guard try signal.text() == Login1.session else { return [] }
        let hints = try SessionDescription.read(signal)
        var events: [LogindEvent] = []
        if let isLocked = hints.isLocked { events.append(.lockedHint(session: session, isLocked)) }
        if let isIdle = hints.isIdle { events.append(.idleHint(session: session, isIdle)) }
        _ = try signal.enter("a", "s")
        while let name = try signal.nextText() {
            // The signal does not tell the new value, so the session may be locked.
            if name == "LockedHint" { events.append(.lockedHint(session: session, true)) }
        }
        try signal.leave()
        return events
    }
}

/// The properties of a session that concern locks; nil for those that logind did not tell.
struct SessionDescription: Sendable, Equatable {
    var uid: UInt32?
    var kind: String?
    /// logind's `Type`: x11, wayland, tty and so on.
    var type: String?
    var isLocked: Bool?
    var isIdle: Bool?

    /// Sessions of cron and of the service manager do not belong to a person at the machine.
    var isPersons: Bool { kind?.hasPrefix("user") ?? false }

    /// Whether the session has a screen that can be locked. An unknown type counts as one with a screen.
    var isGraphical: Bool { !["tty", "unspecified", "web"].contains(type) }

    /// Reads a dictionary of properties.
    static func read(_ message: borrowing BusMessage) throws(BusError) -> SessionDescription {
        var description = SessionDescription()
        guard try message.enter("a", "{sv}") else { return description }
        while try message.enter("e", "sv") {
            switch try message.text() {
            case "User": description.uid = try message.numberWithPath()
            case "Class":
                guard try message.enter("v", "s") else { break }
                description.kind = try message.text()
                try message.leave()
            case "Type":
                guard try message.enter("v", "s") else { break }
                description.type = try message.text()
                try message.leave()
            case "LockedHint": description.isLocked = try message.flag()
            case "IdleHint": description.isIdle = try message.flag()
            default: try message.skip("v")
            }
            try message.leave()
        }
        try message.leave()
        return description
    }
}
