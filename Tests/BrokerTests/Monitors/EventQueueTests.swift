import BrokerProtocol
import Item
import Testing

@testable import Broker

/// What a reader of events that takes nothing leaves in memory, and what it is told afterwards.
struct EventQueueTests {
    /// An event that takes so many bytes. Without an item it takes the least.
    private func event(_ bytes: Int = MonitorLimits.event, at time: Int64 = 1) -> Keychain.Event {
        guard bytes > MonitorLimits.event else { return Keychain.Event(event: .locked, time: time) }
        let service = String(repeating: "s", count: bytes - MonitorLimits.event - 1)
        let item = Keychain.Item(
            id: "", service: service, account: "a", attributes: [:], access: .whenUnlocked, created: 1, modified: 1,
            version: 1)
        return Keychain.Event(event: .added, item: item, time: time)
    }

    private func taken(_ queue: inout EventQueue) -> [Keychain.Event] {
        var events: [Keychain.Event] = []
        while !queue.isEmpty { events += queue.take() }
        return events
    }

    @Test("so many events wait, and one more takes the place of all")
    func number() {
        var queue = EventQueue()
        for time in 1...MonitorLimits.events { queue.add(event(at: Int64(time))) }
        #expect(taken(&queue).map(\.time) == (1...MonitorLimits.events).map { Int64($0) })
        for time in 0...MonitorLimits.events { queue.add(event(at: Int64(time))) }
        let left = taken(&queue)
        #expect(left == [Keychain.Event(event: .missed, time: Int64(MonitorLimits.events))])
    }

    @Test("events of so many bytes wait, and what is dropped or taken makes room for as many again")
    func size() {
        var queue = EventQueue()
        let most = MonitorLimits.bytes / 1024
        for _ in 0..<2 {
            for _ in 0..<most { queue.add(event(1024)) }
            #expect(taken(&queue).count == most)
        }
        for _ in 0...most { queue.add(event(1024)) }
        // What tells of the loss takes the room of one small event.
        for _ in 0..<most - 1 { queue.add(event(1024)) }
        let left = taken(&queue)
        #expect(left.count == most && left.first?.event == .missed && left.count { $0.event == .missed } == 1)
        // One more is too much again.
        for _ in 0...most { queue.add(event(1024)) }
        #expect(taken(&queue).map(\.event) == [.missed])
    }

    @Test("one reply has as many events as fit into it, and a longer one by itself")
    func reply() {
        var queue = EventQueue()
        let most = MonitorLimits.reply / 1024
        for _ in 0...most { queue.add(event(1024)) }
        #expect(queue.take().count == most)
        #expect(queue.take().count == 1)
        for _ in 0..<2 { queue.add(event(MonitorLimits.reply + 1)) }
        #expect(queue.take().count == 1)
        #expect(queue.take().count == 1)
        #expect(queue.isEmpty)
        #expect(queue.take().isEmpty)
    }

    @Test("a reader is told once in a row to look at everything, and again after other events")
    func missed() {
        var queue = EventQueue()
        let missed = Keychain.Event(event: .missed, time: 1)
        for _ in 0..<3 { queue.add(missed) }
        queue.add(event())
        queue.add(missed)
        #expect(taken(&queue).map(\.event) == [.missed, .locked, .missed])
    }
}
