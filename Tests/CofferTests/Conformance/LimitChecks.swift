import Coffer
import CofferCaches
import Testing

let limitChecks = [
    Check("a value has 1 MiB at most") { fixture in
        let keychain = fixture.keychain("value limit")
        let largest = [UInt8](repeating: 7, count: 1 << 20)
        try await keychain.set(largest, for: "me")
        #expect(try await keychain.bytes(for: "me") == largest)
        await refused(.limitExceeded) { () throws(KeychainError) in try await keychain.set(largest + [7], for: "me") }
        #expect(try await keychain.bytes(for: "me").count == 1 << 20)
    },
    Check("names have 1 KiB at most, and a service has one byte at least") { fixture in
        let keychain = fixture.keychain("name limit")
        let longest = String(repeating: "é", count: 512)
        try await keychain.set("x", for: longest)
        #expect(try await keychain.exists(longest))
        await refused(.limitExceeded) { () throws(KeychainError) in try await keychain.set("x", for: longest + "x") }
        await refused(.limitExceeded) { () throws(KeychainError) in
            try await keychain.of(service: longest + "x").set("x", for: "me")
        }
        await refused(.limitExceeded) { () throws(KeychainError) in
            try await keychain.rename(longest, to: longest + "x")
        }
        await refused(.invalidArgument) { () throws(KeychainError) in
            try await keychain.of(service: "").set("x", for: "me")
        }
    },
    Check("labels, comments and attributes have limits") { fixture in
        let keychain = fixture.keychain("metadata limit")
        let many = Dictionary(uniqueKeysWithValues: (0..<64).map { ("name \($0)", "value") })
        let label = String(repeating: "l", count: 1024)
        let comment = String(repeating: "c", count: 4096)
        try await keychain.set("x", for: "me", label: label, attributes: many)
        try await keychain.edit("me", ItemEdit(comment: comment))
        await refused(.limitExceeded, "a label") { () throws(KeychainError) in
            try await keychain.edit("me", ItemEdit(label: label + "l"))
        }
        await refused(.limitExceeded, "a comment") { () throws(KeychainError) in
            try await keychain.edit("me", ItemEdit(comment: comment + "c"))
        }
        await refused(.limitExceeded, "a 65th attribute") { () throws(KeychainError) in
            try await keychain.edit("me", ItemEdit(attributes: ["another": "x"]))
        }
        await refused(.limitExceeded, "65 attributes") { () throws(KeychainError) in
            try await keychain.set("x", for: "you", attributes: many.merging(["another": "x"]) { $1 })
        }
        try await keychain.set("x", for: "long", attributes: ["n": String(repeating: "v", count: 4095)])
        await refused(.limitExceeded, "a long attribute") { () throws(KeychainError) in
            try await keychain.set("x", for: "long", attributes: ["n": String(repeating: "v", count: 4096)])
        }
        await refused(.invalidArgument, "an attribute without a name") { () throws(KeychainError) in
            try await keychain.set("x", for: "you", attributes: ["": "v"])
        }
        await refused(.limitExceeded, "a search by 65 attributes") { () throws(KeychainError) in
            try await keychain.search(attributes: many.merging(["another": "x"]) { $1 })
        }
        #expect(try await keychain.exists("you") == false)
    },
    Check("a reason has 512 bytes at most") { fixture in
        let keychain = fixture.keychain("reason limit")
        try await keychain.set("x", for: "me")
        let longest = String(repeating: "r", count: 512)
        #expect(try await keychain.string(for: "me", reason: longest) == "x")
        await refused(.invalidArgument) { () throws(KeychainError) in
            try await keychain.string(for: "me", reason: longest + "r")
        }
    },
    Check("a value that no message holds is refused, and the next call is made") { fixture async throws in
        let keychain = fixture.keychain("message too long")
        let long = [UInt8](repeating: 7, count: 1 << 21)
        for _ in 0..<10 {
            await refused(.limitExceeded) { () throws(KeychainError) in try await keychain.set(long, for: "me") }
            #expect(try await !keychain.exists("me"))
        }
    },
    Check("one call makes 128 changes at most", needs: [.changes]) { fixture async throws in
        let keychain = fixture.keychain("change limit")
        let changes = (0..<129).map { ItemChange(keychain.name("\($0)"), .set(NewItem(value: [1]))) }
        await refused(.limitExceeded) { () throws(KeychainError) in try await keychain.apply(changes) }
        #expect(try await keychain.list().isEmpty)
        #expect(try await keychain.apply(Array(changes.dropLast())).count == 128)
        #expect(try await keychain.deleteAll() == 128)
    },
    Check("one call stores as much as a message holds", needs: [.changes]) { fixture async throws in
        let keychain = fixture.keychain("message limit")
        // 2 MiB of a message are 1.5 MiB of values.
        let largest = [UInt8](repeating: 7, count: 1 << 20)
        func changes(_ rest: Int) -> [ItemChange] {
            [largest, [UInt8](repeating: 7, count: rest)].enumerated().map { number, value in
                ItemChange(keychain.name("\(number)"), .set(NewItem(value: value)))
            }
        }
        await refused(.limitExceeded) { () throws(KeychainError) in try await keychain.apply(changes(1 << 19)) }
        #expect(try await keychain.list().isEmpty)
        #expect(try await keychain.apply(changes((1 << 19) - 1000)).count == 2)
        #expect(try await keychain.deleteAll() == 2)
    },
    Check("one call reads as much as an answer holds", needs: [.reads]) { fixture async throws in
        let keychain = fixture.keychain("answer limit")
        try await keychain.set([UInt8](repeating: 7, count: 1 << 20), for: "a")
        // What remains are 59 steps of padding, 8 KiB each, and less than another one. A length of 4 bytes is padded, too.
        let most = 59 * 8192 - 4
        let names = Dictionary(uniqueKeysWithValues: (0..<3).map { ("\($0)", String(repeating: "n", count: 4000)) })
        for (count, attributes, fits) in [(most, [:], true), (most + 1, [:], false), (most, names, false)] {
            try await keychain.set([UInt8](repeating: 7, count: count), for: "b", attributes: attributes)
            #expect(try await keychain.bytes(for: "b").count == count)
            if fits {
                #expect(try await keychain.authenticate(for: ["a", "b"]).accounts.count == 2)
            } else {
                await refused(.limitExceeded) { () throws(KeychainError) in
                    try await keychain.authenticate(for: ["a", "b"])
                }
            }
        }
        #expect(try await keychain.deleteAll() == 2)
    },
    Check("a cache holds values that do not fit into one message", needs: [.changes, .reads]) { fixture async throws in
        let keychain = fixture.keychain("cache limit")
        let cache = KeychainCache<String>(name: "c", keychain: keychain, lifetime: .seconds(86_400))
        var values = ["a", "b", "c"].reduce(into: [:]) { $0[$1] = String(repeating: $1, count: 900_000) }
        for number in 0..<12 { values["\(number)"] = String(repeating: "x", count: 100_000) }
        try await cache.keep(values)
        #expect(try await cache.values(for: Array(values.keys)) == values)
        // Another program wrote sizes that are not true.
        for key in ["a", "b"] {
            try await keychain.edit("cache/c/\(key)", ItemEdit(attributes: ["bytes": "1"]))
        }
        #expect(try await cache.values(for: Array(values.keys)) == values)
        try await cache.forgetAll()
        #expect(try await keychain.list().isEmpty)
    },
]
