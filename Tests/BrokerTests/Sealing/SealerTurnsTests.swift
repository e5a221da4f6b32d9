import Synchronization
import Testing
import Vault

@testable import Broker

/// Who uses the TPM next. A user who floods it slows themselves down, and nobody else by more than a use.
@Suite struct SealerTurnsTests {
    /// What became of uses, by name.
    private final class Names: Sendable {
        private let state = Mutex((begun: [String](), refused: [String](), over: Set<String>()))

        var begun: [String] { state.withLock { $0.begun } }
        var refused: [String] { state.withLock { $0.refused } }

        func giveUp(_ name: String) { state.withLock { state in _ = state.over.insert(name) } }

        func waiter(_ name: String) -> SealerTurns.Waiter {
            SealerTurns.Waiter(
                begin: { self.state.withLock { $0.begun.append(name) } },
                isOver: { self.state.withLock { $0.over.contains(name) } },
                refuse: { _ in self.state.withLock { $0.refused.append(name) } })
        }
    }

    private final class Queue {
        var turns = SealerTurns()
        let names = Names()

        func enter(_ name: String, of uid: UInt32) -> String {
            switch turns.enter(names.waiter(name), of: .user(uid)) {
            case .begins: return "begins"
            case .waits: return "waits"
            case .displaces(let other):
                other.refuse(SealerTurns.busy)
                return "displaces \(names.refused.last ?? "")"
            case .refused(let error): return error.reason
            }
        }

        /// - Returns: all uses that have waited, in the order of their turns.
        func end() -> [String] {
            while let use = turns.next() { use.begin() }
            return names.begun
        }
    }

    @Test func usersTakeTurnsAndEachKeepsTheirOrder() {
        let queue = Queue()
        #expect(queue.enter("a", of: 1) == "begins")
        for name in ["a1", "a2", "a3"] { #expect(queue.enter(name, of: 1) == "waits") }
        for name in ["b1", "b2"] { #expect(queue.enter(name, of: 2) == "waits") }
        #expect(queue.enter("c1", of: 3) == "waits")
        #expect(queue.turns.count == 6)
        #expect(queue.end() == ["b1", "c1", "a1", "b2", "a2", "a3"])
        // Nobody has the turn now.
        #expect(queue.turns.count == 0 && queue.enter("d", of: 4) == "begins")
    }

    @Test func aUserHasAShareOfThePlaces() {
        let queue = Queue()
        #expect(queue.enter("a", of: 1) == "begins")
        for number in 1...SealerLimits.share { #expect(queue.enter("a\(number)", of: 1) == "waits") }
        #expect(queue.enter("more", of: 1) == SealerTurns.tooMany.reason)
        #expect(queue.enter("b", of: 2) == "waits")
        #expect(queue.end().prefix(2) == ["b", "a1"])
    }

    @Test func whoHasFewGetsThePlaceOfWhoHasMost() {
        let queue = Queue()
        #expect(queue.enter("a", of: 1) == "begins")
        let last = "a\(SealerLimits.share)"
        for number in 1...SealerLimits.share { #expect(queue.enter("a\(number)", of: 1) == "waits") }
        for number in 1..<(SealerLimits.queue - SealerLimits.share) {
            #expect(queue.enter("b\(number)", of: 2) == "waits")
        }
        #expect(queue.enter("c", of: 3) == "displaces \(last)")
        #expect(queue.turns.count == SealerLimits.queue - 1)
        // Who has most gets nobody's place.
        #expect(queue.enter("more", of: 1) == SealerTurns.busy.reason)
        let order = queue.end()
        #expect(order.prefix(3) == ["b1", "c", "a1"] && !order.contains(last) && !order.contains("more"))
    }

    @Test func placesThatAreSharedOutEvenlyStayAsTheyAre() {
        let queue = Queue()
        for uid in 0..<UInt32(SealerLimits.queue) {
            #expect(queue.enter("\(uid)", of: uid) == (uid == 0 ? "begins" : "waits"))
        }
        #expect(queue.enter("more", of: UInt32(SealerLimits.queue)) == SealerTurns.busy.reason)
        #expect(queue.end().count == SealerLimits.queue - 1)
    }

    @Test func whoHasStoppedWaitingHasNeitherPlaceNorTurn() {
        let queue = Queue()
        #expect(queue.enter("a", of: 1) == "begins")
        for number in 1...SealerLimits.share { #expect(queue.enter("a\(number)", of: 1) == "waits") }
        #expect(queue.enter("b1", of: 2) == "waits")
        for number in 1...SealerLimits.share { queue.names.giveUp("a\(number)") }
        #expect(queue.enter("later", of: 1) == "waits" && queue.turns.count == 2)
        queue.names.giveUp("b1")
        #expect(queue.enter("b2", of: 2) == "waits" && queue.enter("c", of: 3) == "waits")
        queue.names.giveUp("c")
        #expect(queue.end() == ["b2", "later"])
    }
}
