import Foundation
import TestSupport
import Testing

/// Acknowledged changes are kept, no matter when the broker dies.
@Suite struct KillTests {
    static let kills = 200
    static let writers = 8

    /// One writer's ledger: what the broker has acknowledged. It is synced before the next write begins.
    private static func write(_ sandbox: Sandbox, writer: Int, rounds: Int, until stop: String) throws -> String {
        let ledger = sandbox.folder + "/ledger-\(writer)"
        // A shell, so that a process that knows nothing of the broker keeps the ledger.
        let script = """
            n=0
            # Not longer than the tests live: an aborted run must leave no writers behind.
            while [ ! -e "$STOP" ] && kill -0 "$TESTS" && [ "$SECONDS" -lt 900 ]; do
              n=$((n + 1))
              # Every other write is of an item of its own: one that was lost is missed whatever was written later.
              case $((n % 4)) in
                1) account="once$WRITER-$n" ;;
                3) account="bin$WRITER-$n" ;;
                *) account="w$WRITER-$((n % 10))" ;;
              esac
              value="$WRITER:$n:$(printf '%0300d' "$n")"
              printf 'try %s %s\\n' "$account" "$n" >>"$LEDGER"
              if printf '%s' "$value" | coffer set -q kills "$account" 2>>"$LEDGER.errors"; then
                printf 'ack %s %s\\n' "$account" "$n" >>"$LEDGER"
                sync -d "$LEDGER"
                case $account in bin*)
                  printf 'remove %s %s\\n' "$account" "$n" >>"$LEDGER"
                  # A broker that was killed may have done it. Then there is nothing left to remove.
                  for attempt in 1 2 3 4 5 6 7 8 9; do
                    coffer rm -fq kills "$account" 2>>"$LEDGER.errors"
                    case $? in 0 | 3)
                      printf 'removed %s %s\\n' "$account" "$n" >>"$LEDGER"
                      sync -d "$LEDGER"
                      break
                    esac
                    sleep 0.1
                  done
                esac
              else
                sleep 0.1
              fi
            done
            """
        var environment = ProcessInfo.processInfo.environment
        for (name, value) in sandbox.variables { environment[name] = value }
        environment["STOP"] = stop
        environment["TESTS"] = String(getpid())
        environment["WRITER"] = String(writer)
        environment["LEDGER"] = ledger
        let outcome = try Command(
            program: "/bin/bash", arguments: ["-c", script], environment: environment, limit: .seconds(1800)
        ).run()
        #expect(outcome.code == 0, "\(outcome)")
        return ledger
    }

    /// Returns when a write is acknowledged that was not acknowledged at the call.
    private static func awaitMore(_ sandbox: Sandbox) throws {
        let (before, limit) = (acknowledged(sandbox), ContinuousClock.now + patience)
        while acknowledged(sandbox) == before {
            try #require(ContinuousClock.now < limit, "nothing is acknowledged any more")
            usleep(10_000)
        }
    }

    /// How many writes were acknowledged so far.
    private static func acknowledged(_ sandbox: Sandbox) -> Int {
        (0..<writers).reduce(0) { sum, writer in
            // A writer that has not begun has no ledger.
            let text = (try? String(contentsOfFile: sandbox.folder + "/ledger-\(writer)", encoding: .utf8)) ?? ""
            return sum + text.split(separator: "\n").count { $0.hasPrefix("ack") }
        }
    }

    /// The accounts in lines that begin with this word.
    private static func accounts(_ word: String, in ledger: String) throws -> Set<String> {
        var accounts: Set<String> = []
        for line in try String(contentsOfFile: ledger, encoding: .utf8).split(separator: "\n") {
            let parts = line.split(separator: " ").map(String.init)
            if parts.count == 3, parts[0] == word { accounts.insert(parts[1]) }
        }
        return accounts
    }

    /// What each account may hold: the last acknowledged write, or a later attempt.
    private static func allowed(_ ledger: String) throws -> [String: Set<String>] {
        var result: [String: Set<String>] = [:]
        for line in try String(contentsOfFile: ledger, encoding: .utf8).split(separator: "\n") {
            let parts = line.split(separator: " ").map(String.init)
            guard parts.count == 3 else { continue }
            if parts[0] == "ack" {
                result[parts[1]] = [parts[2]]
            } else if parts[0] == "try", result[parts[1]] != nil {
                result[parts[1]]?.insert(parts[2])
            }
        }
        return result
    }

    @Test(.timeLimit(.minutes(30))) func theLedgerIsInTheVaultAfterEveryKill() async throws {
        let sandbox = try Sandbox()
        let stop = sandbox.folder + "/stop"
        try await withThrowingTaskGroup(of: Void.self) { group in
            for writer in 0..<Self.writers {
                group.addTask {
                    try await Self.onThread { _ = try Self.write(sandbox, writer: writer, rounds: 0, until: stop) }
                }
            }
            group.addTask {
                try await Self.onThread {
                    defer { _ = FileManager.default.createFile(atPath: stop, contents: nil) }
                    for kill in 0..<Self.kills {
                        // Half of the kills hit a broker that starts. The others hit one that has begun to acknowledge.
                        if kill % 2 == 0 { try Self.awaitMore(sandbox) }
                        usleep(UInt32.random(in: 0...120_000))
                        try sandbox.killBroker()
                        try sandbox.script("start-broker")
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(try sandbox.coffer("unlock", password: "sandbox").code == 0)
        func listed() throws -> Set<String> {
            let list = try sandbox.coffer("list", "kills", "--json")
            return Set(try JSONDecoder().decode([Named].self, from: Data(list.text.utf8)).map(\.account))
        }
        let deleted = try sandbox.coffer("list", "kills", "--deleted", "--json")
        let binned = Set(try JSONDecoder().decode([Deleted].self, from: Data(deleted.text.utf8)).map(\.item.account))
        let there = try listed()
        // Each is in one of both places.
        #expect(there.isDisjoint(with: binned) && binned.allSatisfy { $0.hasPrefix("bin") })
        var removals = 0
        for writer in 0..<Self.writers {
            let ledger = sandbox.folder + "/ledger-\(writer)"
            let all = try Self.allowed(ledger)
            #expect(Set(all.keys).subtracting(there).subtracting(binned) == [])
            let attempted = try Self.accounts("remove", in: ledger)
            #expect(binned.filter { $0.hasPrefix("bin\(writer)-") }.subtracting(attempted) == [])
            let removed = try Self.accounts("removed", in: ledger)
            #expect(removed.subtracting(binned) == [])
            removals += removed.count
            for account in removed.sorted().suffix(3) {
                let restored = try sandbox.coffer("restore", "-q", "kills", account)
                #expect(restored.code == 0, "\(account): \(restored)")
            }
            // One whose removal was not acknowledged may be in the bin.
            let back = try listed()
            // The values of those that were overwritten again and again, and of the first and last of the others.
            let once = all.keys.filter { $0.hasPrefix("once") }.sorted()
            let unread = Set(once.dropFirst(5).dropLast(5))
            for (account, numbers) in all where !unread.contains(account) && back.contains(account) {
                let read = try sandbox.coffer("get", "kills", account)
                #expect(read.code == 0, "\(account): \(read)")
                let parts = read.text.split(separator: ":")
                #expect(
                    parts.count == 3 && parts[0] == "\(writer)" && numbers.contains(String(parts[1])),
                    "\(account): \(parts.prefix(2)) not in \(numbers)")
                #expect(parts.last.flatMap { Int($0) }.map(String.init) == parts.dropFirst().first.map(String.init))
            }
        }
        // Every second kill waits for one.
        #expect(removals > 0)
        #expect(Self.acknowledged(sandbox) >= Self.kills / 2, "the writers must have come to write between the kills")
        try sandbox.expectTPMEmpty()
    }

    private struct Named: Decodable { let account: String }
    private struct Deleted: Decodable { let item: Named }

    private static func onThread(_ body: @escaping @Sendable () throws -> Void) async throws {
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            Thread.detachNewThread { continuation.resume(with: Result(catching: body)) }
        }
    }
}
