import Coffer
import CofferTestKit
import Configuration
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import CofferConfiguration

/// A broker that ends and starts again, as at an upgrade.
@Suite(.timeLimit(.minutes(30)))
struct RestartTests {
    /// The folder of the programs that are built with the tests.
    private static let programs = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
        .path
    private static let key = AbsoluteConfigKey(["key"])

    private func prepared() async throws -> (SandboxBroker, Keychain) {
        let sandbox = try await SandboxBroker(programs: Self.programs)
        let keychain = Keychain(
            service: "server", prompts: .handler { $0.wantsAnswer ? SandboxBroker.password : nil },
            backend: sandbox.backend)
        try await keychain.set("a", for: "key")
        return (sandbox, keychain)
    }

    private func eventually(_ what: String, _ condition: () throws -> Bool) async throws {
        let limit = ContinuousClock.now + patience
        while try !condition() {
            try #require(ContinuousClock.now < limit, "waited in vain: \(what)")
            try await Task.sleep(for: .milliseconds(2))
        }
    }

    @Test("after a restart, the next broker's changes are heard, and the gap is told")
    func run() async throws {
        let (sandbox, keychain) = try await prepared()
        let provider = KeychainProvider(keychain)
        let gaps = Notes<Void>()
        let running = Task { try await provider.run { gaps.add(()) } }
        let isKnown = { () throws -> Bool in try provider.value(forKey: Self.key, type: .string).value != nil }
        // A value that a change takes away shows that the change was heard.
        func expectHearing(_ round: Int) async throws {
            let limit = ContinuousClock.now + patience
            repeat {
                try #require(ContinuousClock.now < limit, "no change was heard in round \(round)")
                _ = try await provider.fetchValue(forKey: Self.key, type: .string)
                try await keychain.set("\(round)", for: "key")
                try await Task.sleep(for: .milliseconds(2))
            } while try isKnown()
        }
        // One gap is told if the first change came before the run was heard. The second one is heard after that.
        for _ in 0..<2 { try await expectHearing(0) }
        let first = gaps.all.count
        #expect(first <= 1)
        for round in 1...2 {
            _ = try await provider.fetchValue(forKey: Self.key, type: .string)
            try await sandbox.restartBroker()
            try await eventually("the gap") { gaps.all.count == first + round }
            #expect(try !isKnown())
            #expect(try await keychain.status().state == .sealed)
            try await keychain.unlock()
            try await expectHearing(round)
        }
        running.cancel()
        try await running.value
        await sandbox.stop()
    }

    @Test("a watch goes on after a restart")
    func watch() async throws {
        let (sandbox, keychain) = try await prepared()
        let provider = KeychainProvider(keychain)
        _ = try await provider.fetchValue(forKey: Self.key, type: .string)
        let seen = Notes<ConfigContent?>()
        try await withThrowingTaskGroup { group in
            group.addTask {
                try await provider.watchValue(forKey: Self.key, type: .string) { updates in
                    for try await update in updates {
                        seen.add(try update.get().value?.content)
                    }
                }
            }
            try await eventually("the first value") { seen.all == [.string("a")] }
            try await sandbox.restartBroker()
            // The vault is sealed, so there is no value.
            try await eventually("the gap") { seen.all.last == .some(nil) }
            try await keychain.unlock()
            try await keychain.set("b", for: "key")
            try await eventually("the new value") { seen.all.last == .string("b") }
            group.cancelAll()
        }
        await sandbox.stop()
    }

    @Test("while there is no broker, the pauses become longer, up to a limit")
    func backOff() async throws {
        let (sandbox, keychain) = try await prepared()
        let clock = SleepClock(sleeps: 12)
        let provider = KeychainProvider(keychain, clock: clock)
        let running = Task { try await provider.run { Issue.record("there is no broker") } }
        await sandbox.stop()
        // The clock cancels the last sleep.
        try await running.value
        let pauses = [100, 200, 400, 800, 1600, 3200, 6400, 12_800, 25_600, 30_000, 30_000, 30_000]
        #expect(clock.durations == pauses.map { .milliseconds($0) })
    }

    @Test("a broker that was heard for long is looked for at once")
    func reset() {
        var backOff = BackOff()
        for _ in 0..<20 { _ = backOff.pause(after: .seconds(29)) }
        #expect(backOff.pause(after: .zero) == BackOff.longest)
        #expect(backOff.pause(after: .seconds(30)) == BackOff.shortest)
        #expect(backOff.pause(after: .zero) == BackOff.shortest * 2)
    }

    @Test("an error that does not pass ends the run")
    func refusal() async throws {
        let provider = KeychainProvider(
            Keychain(service: "server", group: "nobody", backend: InMemoryKeychain()), clock: SleepClock(sleeps: 1))
        await #expect(throws: KeychainError(.notFound, "")) { try await provider.run() }
    }
}

/// What another task has noted.
private final class Notes<Element: Sendable>: Sendable {
    private let state = Mutex<[Element]>([])

    var all: [Element] { state.withLock { $0 } }

    func add(_ element: Element) { state.withLock { $0.append(element) } }
}

/// A clock on which sleeping takes no time. It takes note of the sleeps.
private final class SleepClock: Clock, Sendable {
    typealias Instant = ContinuousClock.Instant

    private let start = ContinuousClock.now
    private let sleeps: Int
    private let state = Mutex<[Duration]>([])

    /// - Parameter sleeps: the last one is ended as by a cancellation.
    init(sleeps: Int) { self.sleeps = sleeps }

    var durations: [Duration] { state.withLock { $0 } }
    var now: Instant { start }
    var minimumResolution: Duration { .zero }

    func sleep(until deadline: Instant, tolerance: Duration?) async throws {
        let isLast = state.withLock { durations in
            durations.append(start.duration(to: deadline))
            return durations.count >= sleeps
        }
        if isLast { throw CancellationError() }
    }
}
