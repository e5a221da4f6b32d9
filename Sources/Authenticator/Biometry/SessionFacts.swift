import SystemBus

/// What a fingerprint check needs to know of a logind session. A property that logind does not give keeps the stricter default.
struct SessionFacts: Sendable, Equatable {
    var uid: UInt32?
    /// The class of people's sessions starts with "user". cron, greeters and the service manager have other classes.
    var isPersons = false
    var isRemote = true
    /// A session without a seat, such as a remote desktop's, has no screen of this machine.
    var hasSeat = false
    var isActive = false
    var isLocked = true

    /// Reads a D-Bus dictionary of properties.
    static func read(_ message: borrowing BusMessage) throws(BusError) -> SessionFacts {
        var facts = SessionFacts()
        guard try message.enter("a", "{sv}") else { return facts }
        while try message.enter("e", "sv") {
            switch try message.text() {
            case "User": facts.uid = try message.numberWithPath()
            case "Seat":
                guard try message.enter("v", "(so)"), try message.enter("r", "so") else { break }
                facts.hasSeat = !(try message.text()).isEmpty
                try message.skip("o")
                try message.leave()
                try message.leave()
            case "Class":
                guard try message.enter("v", "s") else { break }
                facts.isPersons = try message.text().hasPrefix("user")
                try message.leave()
            case "Remote": facts.isRemote = try message.flag() ?? true
            case "Active": facts.isActive = try message.flag() ?? false
            case "LockedHint": facts.isLocked = try message.flag() ?? true
            default: try message.skip("v")
            }
            try message.leave()
        }
        try message.leave()
        return facts
    }
}
