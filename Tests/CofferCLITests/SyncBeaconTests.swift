import BrokerProtocol
import Platform
import TestSupport
import Testing
import Varlink

/// A store on a server that has the machines' files and no beacon: a write of it failed, or somebody has removed it.
@Suite struct SyncBeaconTests {
    private static let beacon = "PUT /\(SyncFixture.circle)/beacon "
    private static let head = "\(SyncFixture.circle)/heads/\(SyncFixture.lap)"
    private static let gives = FakeServer.Step.answer(
        Sync.Give.Reply(
            files: [
                .init(
                    path: "\(SyncFixture.circle)/heads/\(SyncFixture.device)", content: Base64.encode(Array("new".utf8))
                )
            ], more: false))
    private static let keys = FakeCoffer.value(Array("me\npass\n".utf8), FakeCoffer.item("org.coffer.sync", "x"))

    private static func setting(_ web: ScriptedServer) -> FakeServer.Step {
        FakeCoffer.value(Array("store:\(web.address)".utf8), FakeCoffer.item("org.coffer.sync", "x"))
    }

    /// The broker has nothing to give out, because the store has it all.
    @Test func whoCarriesByHandPutsItBack() throws {
        let web = try ScriptedServer(passwords: ["pass"], files: [Self.head: "h"])
        // The second time, it is there.
        for _ in 0..<2 {
            let fixture = try SyncFixture([
                "State": [SyncFixture.shared], "Get": [Self.setting(web), Self.keys],
            ])
            defer { fixture.remove() }
            let result = try fixture.fake.program.run("sync", "now")
            #expect(result.status == 0, "\(result.errors)")
            let written = try web.requests().filter { $0.line.hasPrefix("PUT") }
            #expect(written.count == 1 && written.allSatisfy { $0.line.hasPrefix(Self.beacon) })
        }
    }

    /// A machine that only reads has nothing to put into a store that was emptied.
    @Test func anEmptiedStoreGetsNone() throws {
        let web = try ScriptedServer(passwords: ["pass"])
        let fixture = try SyncFixture(["State": [SyncFixture.shared], "Get": [Self.setting(web), Self.keys]])
        defer { fixture.remove() }
        _ = try fixture.fake.program.run("sync", "now")
        let lines = try web.requests().map(\.line)
        #expect(!lines.isEmpty && lines.allSatisfy { !$0.hasPrefix("PUT") }, "\(lines)")
    }

    @Test func whoBeginsPutsItBack() throws {
        let web = try ScriptedServer(passwords: [], files: [Self.head: "h"])
        let fixture = try SyncFixture([
            "State": [SyncFixture.alone, SyncFixture.alone, SyncFixture.shared], "Get": [.fault(.notFound)],
            "Found": [.answer(Sync.Found.Reply(circle: SyncFixture.circle))],
        ])
        defer { fixture.remove() }
        let result = try fixture.fake.program.run(
            "sync", "init", web.address, "--separate", "--no-service", input: .bytes(Array("\n\n".utf8)))
        #expect(result.status == 0, "\(result.errors)")
        #expect(try web.requests().filter { $0.line.hasPrefix(Self.beacon) }.count == 1)
    }

    /// It could be somebody else's store by now.
    @Test func theServiceDoesNotPutItBack() throws {
        let web = try ScriptedServer(passwords: ["pass"], files: [Self.head: "h"])
        let watch = try WatchFixture(["Get": [Self.setting(web), Self.keys], "Give": [Self.gives]])
        try watch.wait(for: "the notice") { watch.said.contains("has nothing of what your machines share") }
        try watch.stop()
        #expect(try web.requests().allSatisfy { !$0.line.hasPrefix("PUT") } && watch.calls("Give") == 0)
    }
}
