import BrokerProtocol
import Circle
import Platform
import Synchronization
import Testing
import Varlink

@testable import Courier

/// A broker whose answers a test chooses. It notes each call, and that its message is not too long.
final class PlayedBroker: ExchangeBroker {
    struct Refusal: Error, Equatable {
        var mustTakeFirst = false
    }

    var wanted: ([String]) -> [String] = { _ in [] }
    var taken: (Int) -> Sync.Take.Reply = { _ in .init(added: 0, updated: 0, deleted: 0, waiting: 0, obstacles: []) }
    /// The answers of `Give`, one after the other. After the last there is nothing to give.
    var gifts: [Result<Sync.Give.Reply, Refusal>] = []

    /// What it gives out, in place of these answers.
    var giving: ((Sync.Give) -> Sync.Give.Reply)?

    /// What it has of another device that a store with these names lacks.
    var lost: (Sync.PutBack) -> Sync.PutBack.Reply = { _ in .init(files: [], more: false) }

    private(set) var putBacks: [Sync.PutBack] = []
    private(set) var looks: [Sync.Look] = []
    private(set) var takes: [Sync.Take] = []
    private(set) var gives: [Sync.Give] = []
    /// The names of all calls, in their order.
    private(set) var calls: [String] = []

    private func note(_ call: some VarlinkMethod) {
        let method = type(of: call).name
        calls.append(method.split(separator: ".").last.map(String.init) ?? "")
        #expect(Varlink.encode(VarlinkCall(call)).count <= Varlink.longestMessage)
    }

    func look(_ call: Sync.Look) throws(Refusal) -> Sync.Look.Reply {
        note(call)
        looks.append(call)
        return .init(wanted: wanted(call.names))
    }

    func take(_ call: Sync.Take) throws(Refusal) -> Sync.Take.Reply {
        note(call)
        takes.append(call)
        return taken(takes.count)
    }

    func give(_ call: Sync.Give) throws(Refusal) -> Sync.Give.Reply {
        note(call)
        gives.append(call)
        if let giving { return giving(call) }
        return gifts.isEmpty ? .init(files: [], more: false) : try gifts.removeFirst().get()
    }

    func putBack(_ call: Sync.PutBack) throws(Refusal) -> Sync.PutBack.Reply {
        note(call)
        putBacks.append(call)
        return lost(call)
    }

    func mustTakeFirst(_ failure: Refusal) -> Bool { failure.mustTakeFirst }
}

/// A store in memory, which notes what is done with it.
final class MemoryStore: Store {
    struct State {
        var files: [StorePath: [UInt8]] = [:]
        var reads: [StorePath] = []
        var writes: [StorePath] = []
        var refusal: StoreError.Code?
        var strange: Set<StorePath> = []
        /// What is added to the length of each file that it says; nil if it says none.
        var added: Int?
    }

    private let state = Mutex(State())

    var seen: State { state.withLock { $0 } }

    func put(_ bytes: [UInt8], _ path: StorePath) { state.withLock { $0.files[path] = bytes } }

    func heads(of circle: StatementName) throws(StoreError) -> [WriterID] {
        seen.files.keys.compactMap { if case .head(circle, let device) = $0 { device } else { nil } }.sorted()
    }

    func segments(of circle: StatementName, device: WriterID) throws(StoreError) -> [StorePath] {
        seen.files.keys.compactMap { path -> (UInt64, RunID, StorePath)? in
            guard case .segment(circle, device, let number, let run) = path else { return nil }
            return (number, run, path)
        }.sorted { ($0.0, $0.1) < ($1.0, $1.1) }.map(\.2)
    }

    /// Says the lengths of files from now on, each with so many bytes too much.
    func measure(adding added: Int = 0) { state.withLock { $0.added = added } }

    func sizes(of paths: [StorePath]) throws(StoreError) -> [StorePath: Int] {
        let seen = seen
        guard let added = seen.added else { return [:] }
        var sizes: [StorePath: Int] = [:]
        for path in paths { sizes[path] = seen.files[path].map { $0.count + added } }
        return sizes
    }

    func read(_ path: StorePath) throws(StoreError) -> [UInt8]? {
        if seen.strange.contains(path) { throw StoreError(.strange, at: path.text) }
        return state.withLock {
            $0.reads.append(path)
            return $0.files[path]
        }
    }

    /// Puts something there that no member writes.
    func spoil(_ path: StorePath) {
        state.withLock {
            $0.files[path] = [0]
            $0.strange.insert(path)
        }
    }

    func write(_ bytes: [UInt8], to path: StorePath) throws(StoreError) {
        state.withLock {
            $0.files[path] = bytes
            $0.strange.remove(path)
            $0.writes.append(path)
        }
    }

    func refuse(removalsBy code: StoreError.Code) { state.withLock { $0.refusal = code } }

    func remove(_ path: StorePath) throws(StoreError) {
        if let code = seen.refusal { throw StoreError(code, at: path.text) }
        state.withLock { $0.files[path] = nil }
    }
}
