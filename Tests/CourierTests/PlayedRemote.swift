import Circle
import Synchronization

@testable import Courier

/// A server in memory, which notes what it is asked.
final class PlayedRemote: RemoteServer {
    struct State {
        var files: [StorePath: [UInt8]] = [:]
        var calls: [String] = []
        var failure: StoreError?
        /// What comes in place of a file.
        var failures: [StorePath: StoreError] = [:]
        /// Whether it tells no tags, and so sends everything again.
        var isPlain = false
        /// How often each file was written: its tag.
        var versions: [StorePath: Int] = [:]
    }

    private let state = Mutex(State())

    var usesFormer: Bool { false }

    func change(_ body: (inout State) -> Void) { state.withLock { body(&$0) } }

    /// As another machine.
    func put(_ bytes: [UInt8], _ path: StorePath) {
        change {
            $0.files[path] = bytes
            $0.versions[path, default: 0] += 1
        }
    }

    /// What it was asked since the last call.
    func calls() -> [String] {
        state.withLock { state in
            defer { state.calls = [] }
            return state.calls
        }
    }

    private func note<Value>(
        _ call: String, _ body: (inout State) -> Value
    ) throws(StoreError) -> Value {
        let result: Result<Value, StoreError> = state.withLock { state in
            state.calls.append(call)
            return state.failure.map { .failure($0) } ?? .success(body(&state))
        }
        return try result.get()
    }

    private static func tag(_ path: StorePath, _ state: State) -> String? {
        state.isPlain ? nil : state.versions[path].map { "\"\($0)\"" }
    }

    func circles() throws(StoreError) -> [StatementName] { try note("circles") { _ in [] } }

    func files(of circle: StatementName) throws(StoreError) -> [RemoteFile] {
        try note("list") { state in
            state.files.keys.sorted { $0.text < $1.text }.map { RemoteFile(path: $0, tag: Self.tag($0, state)) }
        }
    }

    func read(_ path: StorePath, unless tag: String?) throws(StoreError) -> RemoteContent {
        let last = path.text.split(separator: "/").last ?? ""
        if let failure = state.withLock({ $0.failures[path] }) { throw failure }
        return try note("read \(last)\(tag == nil ? "" : " unless")") { state in
            guard let bytes = state.files[path] else { return .missing }
            let present = Self.tag(path, state)
            return tag != nil && tag == present ? .unchanged : .bytes(bytes, tag: present)
        }
    }

    func write(_ bytes: [UInt8], to path: StorePath) throws(StoreError) {
        try note("write") { $0.files[path] = bytes }
        change { $0.versions[path, default: 0] += 1 }
    }

    func remove(_ path: StorePath) throws(StoreError) { try note("remove") { $0.files[path] = nil } }

    func probe() throws(StoreError) -> [RemoteProperty] { try note("probe") { _ in [] } }
}
