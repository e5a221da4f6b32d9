import SystemBus

/// A session of logind's, as far as a fingerprint cares. What logind does not say is the worse of the two.
struct SessionFacts: Sendable, Equatable {
    var uid: UInt32?
    /// Sessions of people are "user" and what begins like it; others are of cron, of greeters and of the service manager.
    var isPersons = false
    var isRemote = true
    /// A session at no seat has no screen of this machine before it: a remote desktop's, say.
    var hasSeat = false
    var isActive = false
    var isLocked = true

    /// Reads a dictionary of properties.
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
