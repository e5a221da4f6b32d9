import CofferClient
import Platform
import Synchronization
import SystemBus
import Testing

@testable import SecretService

/// What was told to end, by its number.
private final class Marks: Sendable {
    private let state = Mutex<[Int]>([])
    func add(_ mark: Int) { state.withLock { $0.append(mark) } }

    /// Those since the last look, in order.
    func take() -> [Int] {
        state.withLock { marks in
            defer { marks = [] }
            return marks.sorted()
        }
    }
}

@Suite("what the provider remembers of clients, calls and questions")
struct TableTests {
    // MARK: Calls

    @Test("The calls that wait when a client leaves begin where the others ended")
    func left() {
        var queue = CallQueue<Int>(limits: .init(atOnce: 1, waiting: 10, bytes: 100))
        for call in 0..<6 { #expect(queue.add(call, size: 10, asksPerson: call == 3) == true) }
        let first = queue.next()
        #expect(first?.call == 0)
        if let first { queue.begin(0, first) {} }
        _ = queue.clientLeft()
        queue.end(0)
        var begun: [Int] = []
        while let turn = queue.next() { begun.append(turn.call) }
        #expect(begun == [1, 2, 4, 5] && queue.isEmpty)
    }

    @Test("What asks a person and is dropped with its client takes no room any longer")
    func room() {
        var queue = CallQueue<Int>(limits: .init(atOnce: 1, waiting: 10, bytes: 100))
        #expect(queue.add(0, size: 60, asksPerson: true) && queue.add(1, size: 40, asksPerson: false))
        _ = queue.clientLeft()
        #expect(queue.add(2, size: 61, asksPerson: false) == false)
        #expect(queue.add(2, size: 60, asksPerson: false) == true)
    }

    @Test("A client that has left is forgotten when its calls are done")
    func forgotten() {
        var table = CallTable()
        let before = table.takeDone(of: ":1.1")
        #expect(table.isEmpty && before?.hasLeft == nil)
        _ = table.clientLeft(":1.1")
        let other = table.takeDone(of: ":1.2")
        #expect(!table.isEmpty && other?.hasLeft == nil)
        let done = table.takeDone(of: ":1.1")
        #expect(done?.hasLeft == true && table.isEmpty)
        let again = table.takeDone(of: ":1.1")
        #expect(again?.hasLeft == nil)
    }

    // MARK: Questions

    @Test("An open vault ends the questions to open it, and a question that is done is not ended again")
    func questions() {
        var table = QuestionTable()
        let marks = Marks()
        let first = table.begin(opensVault: true) { marks.add(1) }
        let second = table.begin(opensVault: false) { marks.add(2) }
        let third = table.begin(opensVault: true) { marks.add(3) }
        #expect(Set([first, second, third]).count == 3)
        table.vaultOpened()
        #expect(marks.take() == [1, 3])
        table.end(first)
        table.vaultOpened()
        #expect(marks.take() == [3])
        table.cancelAll()
        #expect(marks.take() == [2, 3])
    }

    @Test("A prompt that worked takes the reason with it for which the one before it failed")
    func reasons() {
        var table = ObstacleTable()
        let client = BusClient(name: ":1.1", process: 1, program: .file("/a"))
        table.promptFailed("why", for: client)
        table.promptWorked(for: client)
        #expect(table.ofPrompt(for: client) == nil)
    }

    // MARK: Requests of applications

    @Test("Only the front end that began a request ends it, and takes its own with it when it leaves")
    func requests() {
        var table = PortalRequestTable()
        for (path, owner) in [("a", ":1.1"), ("b", ":1.1"), ("c", ":1.2")] {
            table.begin(PortalRequest(path: path, owner: owner) {})
        }
        #expect(table.count(of: ":1.1") == 2 && table.count(of: ":1.2") == 1)
        table.end("c", of: ":1.1")
        #expect(table["c"]?.owner == ":1.2")
        table.end("a", of: ":1.1")
        #expect(table["a"]?.owner == nil && table.count(of: ":1.1") == 1)
        table.clientLeft(":1.1")
        #expect(table["b"]?.owner == nil && table.count(of: ":1.1") == 0)
        #expect(table["c"]?.owner == ":1.2")
    }

    // MARK: Writes

    @Test("Those who change the same thing have one turn, until the last one is done")
    func writes() {
        var turns = WriteTurns()
        let first = turns.take(.records)
        let second = turns.take(.records)
        let other = turns.take(.item("a"))
        #expect(first === second && first !== other)
        turns.giveBack(.records)
        let third = turns.take(.records)
        #expect(third === first)
        turns.giveBack(.records)
        turns.giveBack(.records)
        turns.giveBack(.item("a"))
        #expect(turns.isEmpty)
        let later = turns.take(.records)
        #expect(later !== first)
    }

    // MARK: Sessions and prompts

    @Test("A session that is closed makes room for one")
    func sessions() throws {
        var table = BusSessionTable()
        var open: [BusSession] = []
        for _ in 0..<1024 { open.append(try table.open(owner: ":1.1", key: nil)) }
        table.close(open[0])
        open[0] = try table.open(owner: ":1.1", key: nil)
        #expect(throws: ServiceError.self) { try table.open(owner: ":1.1", key: nil) }
        table.closeAll(of: ":1.1")
        #expect(open.allSatisfy { !table.contains($0.id) } && table.ids.isEmpty)
    }

    @Test("A prompt that is done makes room for one")
    func prompts() throws {
        var table = PromptTable()
        var open: [Prompt] = []
        for _ in 0..<32 { open.append(try table.add(owner: ":1.1", dismissed: .text("")) { .text("") }) }
        let removed = table.remove(open[0].id)
        #expect(removed?.id == open[0].id)
        _ = try table.add(owner: ":1.1", dismissed: .text("")) { .text("") }
        #expect(throws: ServiceError.self) { try table.add(owner: ":1.1", dismissed: .text("")) { .text("") } }
    }
}
