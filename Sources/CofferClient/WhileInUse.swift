import Synchronization

/// Objects that a process has once for each key, as long as anybody uses them (docs/decisions/0021-once-in-a-process.md).
/// It keeps none alive itself.
package final class WhileInUse<Key: Hashable & Sendable, Object: AnyObject & Sendable>: Sendable {
    private struct Entry: Sendable { weak let object: Object? }

    private let entries = Mutex<[Key: Entry]>([:])

    package init() {}

    /// The object of a key. It is made if nobody has it.
    package func object(for key: Key, make: () -> Object) -> Object {
        entries.withLock { entries in
            if let object = entries[key]?.object { return object }
            entries = entries.filter { $0.value.object != nil }
            let object = make()
            entries[key] = Entry(object: object)
            return object
        }
    }
}
