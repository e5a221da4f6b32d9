import Coffer
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
]
