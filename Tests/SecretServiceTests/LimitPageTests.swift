import TestSupport
import Testing

@testable import SecretService

/// What one client may take, as docs/secret-service.md tells it.
@Suite("The page tells the provider's limits as they are")
struct LimitPageTests {
    @Test func theProvidersPage() throws {
        let page = try SourceTree.text("docs/secret-service.md")
        let (count, size) = (PageWords.count, PageWords.size)
        let message = BusCallLimits.message
        let calls = count(BusCallLimits.waitingCalls)
        for row in [
            "| one message | \(size(message.bytes)), \(count(message.values)) values |",
            "| calls of one client that are worked on at once | \(BusCallLimits.openCalls) |",
            "| calls of one client that wait | \(calls), \(size(BusCallLimits.waitingBytes)) |",
            "| sessions, prompts of one client | \(count(ObjectLimits.sessionsOfClient)), \(ObjectLimits.promptsOfClient) |",
            "| secrets of one answer to `GetSecrets`, together | \(size(StoreLimits.answer)) |",
            "| sessions, prompts of all clients | \(count(ObjectLimits.sessions)), \(count(ObjectLimits.prompts)); beyond that,"
                + " each client still gets \(ObjectLimits.sessionShare) sessions and \(ObjectLimits.promptShare) prompts |",
            "| collections, aliases | \(StoreLimits.collections), \(StoreLimits.aliases) |",
            "| items in `session`, their secrets together | \(count(StoreLimits.transientItems)),"
                + " \(size(StoreLimits.transientBytes)) |",
            "`GetSecrets` asks once for up to \(StoreLimits.readsAtOnce) items.",
        ] { #expect(page.contains(row), "\(row)") }
        #expect(message.depth == 10)
    }

    /// No test waits for these, or fills them. They change on purpose only, and then here, too.
    @Test func whatNoTestWaitsForIsAsItWasChosen() {
        #expect([BusCallLimits.rename, BusCallLimits.longList] == [.milliseconds(50), .milliseconds(500)])
        #expect(BusCallLimits.leaving == .seconds(5) && BusCallLimits.clients == 4096)
        #expect([PortalLimits.secret, PortalLimits.requests, PortalLimits.application] == [64, 64, 255])
        #expect([StoreLimits.aliasLength, StoreLimits.nameBytes, StoreLimits.machineID] == [64, 256, 64])
        #expect([StoreLimits.sameNames, StoreLimits.attempts, StoreLimits.listedItems] == [1000, 8, 256])
        #expect(ReportLimits.kept == 256 && StoreLimits.pause == 8)
        // A bus takes no answer of more than 32 MiB, and clients wait for 25 seconds.
        let usual = AskingLimits()
        #expect(usual.answer == .seconds(24) && usual.unlocking == .seconds(288) && usual.tries == 3)
    }

    @Test func anApplicationsIdIsShort() throws {
        let longest = String(repeating: "a", count: 255)
        #expect(try PortalApplication(longest).id == longest)
        #expect(throws: ServiceError.self) { try PortalApplication(longest + "a") }
        for id in ["", "org.example.App-1_2", "a"] { #expect(try PortalApplication(id).id == id) }
        for id in ["a/b", "a b", "a\u{e9}", "a\n"] { #expect(throws: ServiceError.self) { try PortalApplication(id) } }
    }

    /// An item's name is cut off between two scalars, as late as possible.
    @Test func namesAreCutOffAtTheirLimit() {
        let text = String(repeating: "n", count: 300)
        let name = ItemNameChoice.name(label: text, attributes: ["user": text])
        #expect(name.service == String(repeating: "n", count: 256) && name.account == name.service)
        let wide = ItemNameChoice.name(label: "x" + String(repeating: "\u{e9}", count: 300), attributes: [:]).service
        #expect(wide.utf8.count == 255)
    }
}
