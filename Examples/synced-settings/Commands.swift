import CofferSync
import Glibc

/// One machine's half of the example: a step for each run, so that a script can play two machines.
/// ```
/// scripts/examples synced-settings
/// ```
@main
struct Commands {
    static let usage = """
        usage: synced-settings set NAME TEXT | get NAME | remove NAME | sync [local|remote|merge] | on | off | fill NUMBER
                               pending | save ID TEXT | show ID | decide STRATEGY | conflicts | is-synced ID
        """
    static let service = "com.example.synced"

    static func main() async {
        do {
            guard try await run(Array(CommandLine.arguments.dropFirst())) else {
                print(usage)
                exit(64)
            }
        } catch {
            print("synced-settings: \(error)")
            exit(1)
        }
    }

    private static func run(_ words: [String]) async throws -> Bool {
        let manager = CloudManager(service: service, firstSync: policy(words))
        let records = RecordManager(service: service, strategy: .lastWriter).records
        switch (words.first, Array(words.dropFirst())) {
        case ("set", let words) where words.count == 2: try manager.set(words[1], words[0])
        case ("get", let words) where words.count == 1: print(try manager.string(words[0]))
        case ("remove", let words) where words.count == 1: try manager.remove(words[0])
        case ("on", []): try manager.setEnabled(true)
        case ("off", []): try manager.setEnabled(false)
        case ("pending", []): print(manager.settings.pendingNames.joined(separator: " "))
        case ("sync", _): try await synchronize(manager)
        case ("fill", let words) where words.count == 1: try await fill(manager, Int(words[0]) ?? 0)
        case ("save", let words) where words.count == 2: try await records.save(Note(text: words[1]), as: words[0])
        case ("show", let words) where words.count == 1: print(try await records.record(words[0]).text)
        case ("is-synced", let words) where words.count == 1: print(try await records.isSynced(words[0]))
        case ("conflicts", []):
            for conflict in try await records.keychain.conflicts() {
                let machines = conflict.revisions.map { $0.machine ?? "unknown" }.sorted().joined(separator: " ")
                print("\(conflict.name.account): \(machines)")
            }
        case ("decide", let words) where words.count == 1:
            guard let strategy = RecordManager.strategy(named: words[0]) else { return false }
            let decided = try await RecordManager(service: service, strategy: strategy).records.decide()
            print(decided.joined(separator: " "))
        default: return false
        }
        try await manager.settings.flush()
        return true
    }

    private static func policy(_ words: [String]) -> FirstSync {
        guard words.first == "sync", words.count == 2 else { return .remote }
        return switch words[1] {
        case "local": .local
        case "merge":
            .merge { _, local, remote in
                guard case .string(let here) = local, case .string(let there) = remote else { return remote }
                return .string([here, there].sorted().joined(separator: "+"))
            }
        default: .remote
        }
    }

    /// Exchanges, and prints the notice if there is one.
    private static func synchronize(_ manager: CloudManager) async throws {
        let changes = manager.settings.changes()
        try await manager.synchronize()
        // A reader that is cancelled gets what waits, and then the end.
        let reading = Task {
            for await change in changes {
                print("\(change.reason.rawValue): \(change.names.sorted().joined(separator: " "))")
            }
        }
        reading.cancel()
        await reading.value
    }

    /// Sets more than there is room for, and prints the notice.
    private static func fill(_ manager: CloudManager, _ number: Int) async throws {
        let changes = manager.settings.changes()
        do {
            for count in 0..<number { try manager.set("\(count)", "filled-\(count)") }
            print("all were set")
        } catch let error as SettingsError where error.code == .limitExceeded {
            var iterator = changes.makeAsyncIterator()
            guard let notice = await iterator.next() else { return }
            print("\(notice.reason.rawValue): \(notice.names.sorted().joined(separator: " "))")
        }
    }
}
