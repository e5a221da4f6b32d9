import SystemBus

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
