import CofferSettings
import Synchronization

/// Exchanges settings after each change, here and elsewhere, as long as the settings are in use.
final class ExchangeWorker: Sendable {
    private let tasks: [Task<Void, Never>]
    private let wakes: AsyncStream<Void>.Continuation

    init(_ exchange: SettingsExchange) {
        let (stream, wakes) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        self.wakes = wakes
        tasks = [
            Task { await Self.exchange(exchange, at: stream, wakes) },
            Task { await Self.hear(exchange, wakes) },
            Task { await Self.look(exchange.store) },
        ]
        wakes.yield()
    }

    /// Something was changed here.
    func wake() { wakes.yield() }

    func end() {
        for task in tasks { task.cancel() }
        wakes.finish()
    }

    private static func exchange(
        _ exchange: SettingsExchange, at stream: AsyncStream<Void>, _ wakes: AsyncStream<Void>.Continuation
    ) async {
        var isFirst = true
        for await _ in stream {
            // `try?`: the wait ends early when the settings are no longer used, and so does the loop.
            if !isFirst { try? await Task.sleep(for: SyncLimits.batch) }
            isFirst = false
            // `try?`: what cannot be exchanged is kept. The next event or change tries again, and `synchronize` tells why.
            try? await exchange.run()
        }
    }

    /// Another program of this machine may have changed the file. It gives out its changes itself.
    private static func look(_ store: ContentStore) async {
        // `try?`: the values in memory stay. The next notice or exchange tries again, and `flush` tells why it fails.
        for await _ in store.backend.notices() { try? store.reload() }
    }

    /// Each event of the vault may be a reason to exchange. A broker that is gone is looked for again.
    private static func hear(_ exchange: SettingsExchange, _ wakes: AsyncStream<Void>.Continuation) async {
        var pause = SyncLimits.pause.first
        let keychain = exchange.keychain
        while !Task.isCancelled {
            do {
                let events = try await keychain.backend.events(
                    of: keychain.service, itemClass: .setting, in: keychain.vault)
                pause = SyncLimits.pause.first
                // Something may have happened before.
                wakes.yield()
                for try await event in events where event != .locked { wakes.yield() }
            } catch {
                // The broker is away. It is looked for again below.
            }
            // `try?`: the wait ends early when the settings are no longer used, and so does the loop.
            try? await Task.sleep(for: pause)
            pause = min(pause * 2, SyncLimits.pause.most)
        }
    }
}
