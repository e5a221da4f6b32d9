import Synchronization
import TPM

/// Records every command and answer of a TPM connection, for tests to count and check.
public final class CommandRecorder: CommandObserver {
    public struct Entry: Sendable {
        public let command: [UInt8]
        public let answer: [UInt8]?

        /// Bytes 6–9 of the command; nil for a command that this project does not use.
        public var code: CommandCode? { CommandCode(rawValue: command[6..<10].reduce(0) { $0 << 8 | UInt32($1) }) }
    }

    private let entries = Mutex<[Entry]>([])

    public init() {}

    public func commandEnded(_ command: [UInt8], answer: [UInt8]?) {
        entries.withLock { $0.append(Entry(command: command, answer: answer)) }
    }

    public var all: [Entry] { entries.withLock { $0 } }
    public var count: Int { entries.withLock { $0.count } }
    public var names: [String] { all.map { $0.code?.name ?? "unknown" } }

    public func reset() { entries.withLock { $0 = [] } }

    /// Whether a command or an answer contained these bytes.
    public func contains(_ bytes: [UInt8]) -> Bool {
        all.contains { entry in
            [entry.command, entry.answer ?? []].contains { stream in
                stream.count >= bytes.count
                    && (0...(stream.count - bytes.count)).contains {
                        stream[$0..<$0 + bytes.count].elementsEqual(bytes)
                    }
            }
        }
    }
}
