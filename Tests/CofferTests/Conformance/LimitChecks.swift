import Coffer
import Testing

let limitChecks = [
    Check("a value has 1 MiB at most") { stage in
        let keychain = stage.keychain("value limit")
        let largest = [UInt8](repeating: 7, count: 1 << 20)
        try await keychain.set(largest, for: "me")
        #expect(try await keychain.bytes(for: "me") == largest)
        await refused(.limitExceeded) { () throws(KeychainError) in try await keychain.set(largest + [7], for: "me") }
        #expect(try await keychain.bytes(for: "me").count == 1 << 20)
    },
    Check("names have 1 KiB at most, and a service has one byte at least") { stage in
        let keychain = stage.keychain("name limit")
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
    Check("labels, comments and attributes have limits") { stage in
        let keychain = stage.keychain("metadata limit")
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
    Check("a reason has 512 bytes at most") { stage in
        let keychain = stage.keychain("reason limit")
        try await keychain.set("x", for: "me")
        let longest = String(repeating: "r", count: 512)
        #expect(try await keychain.string(for: "me", reason: longest) == "x")
        await refused(.invalidArgument) { () throws(KeychainError) in
            try await keychain.string(for: "me", reason: longest + "r")
        }
    },
    Check("one call makes 128 changes at most", needs: [.changes]) { stage async throws in
        let keychain = stage.keychain("change limit")
        let changes = (0..<129).map { ItemChange(keychain.name("\($0)"), .set(NewItem(value: [1]))) }
        await refused(.limitExceeded) { () throws(KeychainError) in try await keychain.apply(changes) }
        #expect(try await keychain.list().isEmpty)
        #expect(try await keychain.apply(Array(changes.dropLast())).count == 128)
        #expect(try await keychain.deleteAll() == 128)
    },
]
