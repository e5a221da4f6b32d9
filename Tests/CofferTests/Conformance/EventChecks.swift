import Coffer
import TestSupport
import Testing

let eventChecks = [
    Check("a reader hears of the service's items and of the vault, in order", needs: [.events]) { fixture in
        let keychain = fixture.keychain("events")
        let events = try await keychain.changes()
        try await keychain.of(service: "another service").set("x", for: "me")
        let added = try await keychain.set("1", for: "me")
        let updated = try await keychain.set("2", for: "me")
        let edited = try await keychain.edit("me", ItemEdit(label: "L"))
        try await keychain.lock()
        try await keychain.prompting(.right).unlock()
        let renamed = try await keychain.rename("me", to: "you")
        try await keychain.delete("you")
        let expected: [KeychainEvent] = [
            .added(added), .updated(updated), .updated(edited), .locked, .unlocked, .deleted(edited), .added(renamed),
            .deleted(renamed),
        ]
        var heard: [KeychainEvent] = []
        for try await event in events {
            heard.append(event)
            if heard.count == expected.count { break }
        }
        #expect(heard == expected)
    },
    Check("a reader whose task is cancelled ends, without an error", needs: [.events]) { fixture in
        let keychain = fixture.keychain("events of a cancelled reader")
        let events = try await keychain.changes()
        let reading = Task {
            var count = 0
            for try await _ in events { count += 1 }
            return count
        }
        try await keychain.set("x", for: "me")
        reading.cancel()
        #expect(try await reading.value <= 1)
    },
    Check("changes that are made together are heard together, and refused ones not", needs: [.events, .changes]) {
        fixture in
        let keychain = fixture.keychain("events of several")
        let events = try await keychain.changes()
        await refused(.notFound) { () throws(KeychainError) in
            try await keychain.apply([
                ItemChange(keychain.name("a"), .set(NewItem(value: [1]))),
                ItemChange(keychain.name("b"), .set(NewItem(value: [1])), if: .isPresent),
            ])
        }
        try await keychain.apply([
            ItemChange(keychain.name("c"), .set(NewItem(value: [1]))), ItemChange(keychain.name("c"), .delete),
        ])
        var heard: [String] = []
        for try await event in events {
            switch event {
            case .added(let item): heard.append("+\(item.account)")
            case .deleted(let item): heard.append("-\(item.account)")
            default: heard.append("\(event)")
            }
            if heard.count == 2 { break }
        }
        #expect(heard == ["+c", "-c"])
    },
    Check("a user has 16 readers at most", needs: [.events]) { fixture in
        let keychain = fixture.keychain("readers")
        var readers: [AsyncThrowingStream<KeychainEvent, any Error>] = []
        for _ in 0..<16 { readers.append(try await listen(to: keychain)) }
        await refused(.limitExceeded) { () throws(KeychainError) in _ = try await keychain.changes() }
        withExtendedLifetime(readers) {}
    },
    Check("a restart ends the events, as a broker that is gone does", needs: [.events]) { fixture in
        let keychain = fixture.keychain("restart")
        try await keychain.set("x", for: "me")
        let events = try await listen(to: keychain)
        let reading = Task { for try await _ in events {} }
        try await fixture.restart()
        do throws(KeychainError) {
            try await Check.value(of: reading)
            Issue.record("the events ended without an error")
        } catch {
            #expect(error.code == .brokerUnreachable && error.message == "the broker is stopping", "\(error)")
        }
        #expect(try await keychain.status().state == .sealed)
        try await keychain.prompting(.right).unlock()
        #expect(try await keychain.string(for: "me") == "x")
    },
]

/// Listens as soon as the broker no longer counts readers of the checks before, which have ended just now.
private func listen(to keychain: Keychain) async throws -> AsyncThrowingStream<KeychainEvent, any Error> {
    let limit = ContinuousClock.now + patience
    while true {
        do throws(KeychainError) { return try await keychain.changes() } catch {
            guard error.code == .limitExceeded, ContinuousClock.now < limit else { throw error }
        }
        try await Task.sleep(for: .milliseconds(10))
    }
}
