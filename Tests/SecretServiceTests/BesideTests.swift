import Coffer
import Foundation
import Synchronization
import SystemBus
import TestSupport
import Testing

@testable import SecretService

@Suite("other programs that change the vault, and what everybody on the bus is told")
struct BesideTests {
    @Test(
        "Each change is told to everybody, and nothing else",
        arguments: ["items", "collections", "locks", "elsewhere", "unasked", "lists"])
    func told(_ check: String) async throws {
        let fixture = try await ServiceFixture()
        try fixture.check(check, in: "told.py")
        await fixture.end()
    }

    @Test(
        "What other programs have just done counts, also before the provider has heard of it",
        arguments: [
            "locked", "unlocked", "another_item", "deleted_elsewhere", "renamed_elsewhere", "emptied_elsewhere",
            "some_gone", "restored",
        ])
    func unheard(_ check: String) async throws {
        let fixture = try await ServiceFixture()
        try fixture.check(check, in: "beside.py")
        await fixture.end()
    }

    @Test("A client's change of an item that another program changes all the time is made")
    func changed() async throws {
        let fixture = try await ServiceFixture()
        let keychain = fixture.keychain("elsewhere")
        try await keychain.set("theirs", for: "me")
        let isDone = Atomic(false)
        async let other: Void = {
            while !isDone.load(ordering: .relaxed) {
                try await keychain.set("theirs", for: "me")
                try await Task.sleep(for: .milliseconds(20))
            }
        }()
        defer { isDone.store(true, ordering: .relaxed) }
        try fixture.check("changed", in: "beside.py")
        isDone.store(true, ordering: .relaxed)
        try await other
        await fixture.end()
    }

    @Test("A client replaces an item that other programs change many times in a row")
    func contended() async throws {
        let fixture = try await ServiceFixture()
        let keychain = fixture.keychain("elsewhere")
        try await keychain.set("theirs", for: "me")
        let program = try BusProgram(fixture.address)
        let session = try program.openSession()
        let wanted = ["service": "elsewhere", "account": "me"]
        for _ in 0..<20 {
            async let one: Void = { for _ in 0..<20 { try await keychain.set("theirs", for: "me") } }()
            async let two: Void = { for _ in 0..<20 { try await keychain.set("theirs", for: "me") } }()
            for _ in 0..<2 {
                let path = try program.create(wanted, "mine", session: session, replaces: true)
                #expect(try program.items(wanted) == [path])
            }
            try await one
            try await two
        }
        await fixture.end()
    }

    @Test("A secret and its content type are of the same state, while another program changes both")
    func oneState() async throws {
        let fixture = try await ServiceFixture()
        let keychain = fixture.keychain("elsewhere")
        try await keychain.set("0", for: "me", attributes: ["coffer:content-type": "a/0"])
        let isDone = Atomic(false)
        async let other: Void = {
            var number = 0
            while !isDone.load(ordering: .relaxed) {
                number += 1
                try await keychain.set("\(number)", for: "me", attributes: ["coffer:content-type": "a/\(number)"])
            }
        }()
        defer { isDone.store(true, ordering: .relaxed) }
        let read = try await BusProgram.apart(on: fixture.address) { program in
            let session = try program.openSession()
            let item = try #require(try program.items(["service": "elsewhere"]).first)
            var found: [(value: String, contentType: String)] = []
            for _ in 0..<100 {
                found.append(try program.secret(of: item, session: session))
                found += try program.secrets(of: [item], session: session).values
            }
            return found
        }
        isDone.store(true, ordering: .relaxed)
        try await other
        #expect(read.count == 200)
        for secret in read { #expect(secret.contentType == "a/" + secret.value) }
        await fixture.end()
    }

    @Test("An item that another program renames several times in a row stays the same one")
    func renamedTwice() async throws {
        let fixture = try await ServiceFixture()
        let keychain = fixture.keychain("elsewhere")
        try await keychain.set("v", for: "0")
        let program = try BusProgram(fixture.address)
        let session = try program.openSession()
        let item = try #require(try program.items(["service": "elsewhere"]).first)
        for round in 0..<40 {
            async let renames: Void = {
                for number in round * 5..<round * 5 + 5 { try await keychain.rename("\(number)", to: "\(number + 1)") }
            }()
            for _ in 0..<5 { #expect(try program.secret(of: item, session: session).value == "v") }
            try await renames
        }
        await fixture.end()
    }

    @Test("Two providers that change the aliases at the same time keep each other's")
    func aliasesOfTwo() async throws {
        let fixture = try await ServiceFixture()
        let beside = try await ServiceFixture(broker: fixture.socket)
        // Both are there before one of them changes anything.
        for address in [fixture.address, beside.address] { _ = try BusProgram(address).items(["a": "b"]) }
        async let one: Void = BusProgram.apart(on: fixture.address) { program in
            for number in 0..<12 {
                let label = BusValue.entry(.text(ServiceName.collection + ".Label"), .variant(.text("C\(number)")))
                _ = try program.call(
                    ServiceName.root, ServiceName.service, "CreateCollection",
                    [.array(of: "{sv}", [label]), .text("one\(number)")])
            }
        }
        async let other: Void = BusProgram.apart(on: beside.address) { program in
            for number in 0..<12 {
                for path in [BusProgram.login, ServiceName.none, BusProgram.login] {
                    _ = try program.call(
                        ServiceName.root, ServiceName.service, "SetAlias", [.text("other\(number)"), .path(path)])
                }
            }
        }
        try await one
        try await other
        let record = CollectionRecord.aliases
        let kept = try await fixture.keychain(record.service).attributes(of: record.account).attributes
        for number in 0..<12 {
            #expect(kept[CollectionRecord.alias + "one\(number)"] == "C\(number)")
            #expect(kept[CollectionRecord.alias + "other\(number)"] == CollectionInfo.defaultID)
        }
        await beside.end()
        await fixture.end()
    }

    @Test("A client's change of an item is never made to another one that has taken its name")
    func neverAnother() async throws {
        let fixture = try await ServiceFixture()
        let keychain = fixture.keychain("elsewhere")
        try await keychain.set("theirs", for: "me")
        let isDone = Atomic(false)
        async let other: Void = {
            let value = NewItem(value: Array("theirs".utf8))
            let changes = [ItemChange(keychain.name("me"), .delete), ItemChange(keychain.name("me"), .set(value))]
            while !isDone.load(ordering: .relaxed) {
                try await keychain.apply(changes, protection: .later)
                try await Task.sleep(for: .milliseconds(10))
            }
        }()
        defer { isDone.store(true, ordering: .relaxed) }
        try fixture.check("never_another", in: "beside.py")
        isDone.store(true, ordering: .relaxed)
        try await other
        await fixture.end()
    }

    @Test("Of many changes that another program makes at once, none is passed over")
    func atOnce() async throws {
        let fixture = try await ServiceFixture()
        let keychain = fixture.keychain("elsewhere")
        let value = NewItem(value: Array("v".utf8))
        try await keychain.apply((0..<20).map { ItemChange(keychain.name("\($0)"), .set(value)) })
        try fixture.check("listed", in: "beside.py")
        let deletions = (1..<20).map { ItemChange(keychain.name("\($0)"), .delete) }
        try await keychain.apply([deletions[0], ItemChange(keychain.name("new"), .set(value))] + deletions.dropFirst())
        try fixture.check("mostly_gone", in: "beside.py")
        await fixture.end()
    }

    /// A provider that takes nothing is told once that it has missed changes. It looks at all items then.
    @Test("More changes than the broker keeps for a provider are seen nevertheless")
    func missed() async throws {
        let fixture = try await ServiceFixture()
        let keychain = fixture.keychain("elsewhere")
        let value = NewItem(value: Array("v".utf8))
        try await keychain.apply((0..<20).map { ItemChange(keychain.name("\($0)"), .set(value)) })
        try fixture.check("listed", in: "beside.py")
        let provider = try fixture.provider
        kill(provider, SIGSTOP)
        defer { kill(provider, SIGCONT) }
        // Their attributes alone are more than the broker keeps.
        let large = NewItem(value: Array("v".utf8), attributes: ["large": String(repeating: "x", count: 4000)])
        for round in 0..<5 {
            try await keychain.apply((0..<100).map { ItemChange(keychain.name("\(round)-\($0)"), .set(large)) })
        }
        for round in 0..<5 {
            try await keychain.apply((0..<100).map { ItemChange(keychain.name("\(round)-\($0)"), .delete) })
        }
        try await keychain.apply((1..<20).map { ItemChange(keychain.name("\($0)"), .delete) })
        try await keychain.set("v", for: "new")
        kill(provider, SIGCONT)
        try fixture.check("mostly_gone", in: "beside.py")
        await fixture.end()
    }

    @Test("The first call of all finds what is there, and after a restart of the broker its changes are heard again")
    func restarted() async throws {
        let fixture = try await ServiceFixture()
        try await fixture.keychain("elsewhere").set("stored before", for: "me")
        try fixture.check("first_call", in: "beside.py")
        try await fixture.restartBroker()
        try fixture.check("again", in: "beside.py")
        await fixture.end()
    }

    @Test("A broker that is started after the provider is found")
    func startedLater() async throws {
        let broker = try await ServiceFixture()
        let folder = try TemporaryFolder()
        let socket = folder.path + "/broker.sock"
        let fixture = try await ServiceFixture(broker: socket)
        for _ in 0..<2 { #expect(try fixture.search().status != 0) }
        try FileManager.default.createSymbolicLink(atPath: socket, withDestinationPath: broker.socket)
        let found = try fixture.search()
        #expect(found.status == 0, "\(found.errors)")
        await fixture.end()
        await broker.end()
    }

    @Test("A name can have a thousand items")
    func names() async throws {
        let fixture = try await ServiceFixture()
        let keychain = fixture.keychain("full")
        let value = NewItem(value: Array("v".utf8))
        let accounts = ["n"] + (2...999).map { "n (\($0))" }
        for start in stride(from: 0, to: accounts.count, by: 100) {
            let some = accounts[start..<min(start + 100, accounts.count)]
            try await keychain.apply(some.map { ItemChange(keychain.name($0), .set(value)) })
        }
        try fixture.check("names_run_out", in: "beside.py")
        await fixture.end()
    }

    @Test("Secrets under the names of records are errors of the calls that need those records, and of no others")
    func takenRecords() async throws {
        let fixture = try await ServiceFixture()
        let keychain = fixture.keychain("org.freedesktop.secrets")
        for account in ["aliases", "collection/Taken"] { try await keychain.set("mine", for: account) }
        try fixture.check("taken_records", in: "beside.py")
        for account in ["aliases", "collection/Taken"] { #expect(try await keychain.string(for: account) == "mine") }
        await fixture.end()
    }
}
