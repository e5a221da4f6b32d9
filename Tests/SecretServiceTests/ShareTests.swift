import SystemBus
import Testing

@testable import SecretService

@Suite("how many sessions and prompts a client has")
struct ShareTests {
    /// Takes as many as one connection gets.
    private func fill(_ table: inout BusSessionTable, _ owner: String) -> Int {
        var count = 0
        while (try? table.open(owner: owner, key: nil)) != nil { count += 1 }
        return count
    }

    private func fill(_ table: inout PromptTable, _ owner: String) -> Int {
        var count = 0
        // `try?`: the first refusal is the end.
        while (try? table.add(owner: owner, dismissed: .text("")) { .text("") }) != nil { count += 1 }
        return count
    }

    @Test("Connections that take all sessions leave every other one its share")
    func sessions() throws {
        var table = BusSessionTable()
        for number in 0..<16 { #expect(fill(&table, ":1.\(number)") == 1024) }
        for number in 16..<20 { #expect(fill(&table, ":1.\(number)") == 16) }
        table.closeAll(of: ":1.0")
        #expect(fill(&table, ":1.20") == 1024 - 4 * 16)
    }

    @Test("Connections that take all prompts leave every other one its share")
    func prompts() throws {
        var table = PromptTable()
        for number in 0..<32 { #expect(fill(&table, ":1.\(number)") == 32) }
        for number in 32..<36 { #expect(fill(&table, ":1.\(number)") == 2) }
        #expect(table.removeAll(of: ":1.0").count == 32)
        #expect(fill(&table, ":1.40") == 32 - 4 * 2)
    }

    /// The limit is for what is open at once, not for a client's life.
    @Test("What was closed or is done gives its place back")
    func places() throws {
        var (sessions, prompts) = (BusSessionTable(), PromptTable())
        for _ in 0..<3 {
            var open: [BusSession] = []
            for _ in 0..<1024 { open.append(try sessions.open(owner: ":1.1", key: nil)) }
            #expect(throws: ServiceError.self) { try sessions.open(owner: ":1.1", key: nil) }
            for session in open { sessions.close(session) }
            var asked: [Prompt] = []
            for _ in 0..<32 { asked.append(try prompts.add(owner: ":1.1", dismissed: .text("")) { .text("") }) }
            #expect(fill(&prompts, ":1.1") == 0)
            for prompt in asked { #expect(prompts.remove(prompt.id) != nil && prompts[prompt.id] == nil) }
        }
        #expect(fill(&sessions, ":1.1") == 1024)
        sessions.closeAll(of: ":1.1")
        #expect(fill(&sessions, ":1.1") == 1024)
        #expect(fill(&prompts, ":1.1") == 32)
        #expect(prompts.removeAll(of: ":1.1").count == 32)
        #expect(fill(&prompts, ":1.1") == 32)
    }
}
