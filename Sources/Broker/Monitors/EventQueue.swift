import BrokerProtocol

/// The events that one reader has not taken yet. If there are too many, all of them are dropped, and the reader is told
/// that it missed some. So a reader that takes nothing costs little memory, and it can always find out what it missed.
struct EventQueue: Sendable {
    private var events: [Keychain.Event] = []
    private var size = 0

    var isEmpty: Bool { events.isEmpty }

    mutating func add(_ event: Keychain.Event) {
        // A reader that is told once to look at everything need not be told again.
        if event.event == .missed, events.last?.event == .missed { return }
        size += event.size
        events.append(event)
        guard events.count > MonitorLimits.events || size > MonitorLimits.bytes else { return }
        events = [Keychain.Event(event: .missed, time: event.time)]
        size = events[0].size
    }

    /// Takes the oldest events, as many as fit into one reply.
    mutating func take() -> [Keychain.Event] {
        var count = 0
        var taken = 0
        while count < events.count, count == 0 || taken + events[count].size <= MonitorLimits.reply {
            taken += events[count].size
            count += 1
        }
        size -= taken
        defer { events.removeFirst(count) }
        return Array(events.prefix(count))
    }
}

extension Keychain.Event {
    /// Its memory, about, in bytes.
    fileprivate var size: Int { MonitorLimits.event + (item?.textSize ?? 0) }
}
