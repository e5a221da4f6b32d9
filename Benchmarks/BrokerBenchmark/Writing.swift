import BrokerProtocol
import Glibc
import Platform
import Varlink

/// New items, each beside the one thing that none can do without: a small file on the same disk reaches it.
struct Writing: ~Copyable {
    private var connection: VarlinkConnection
    private let file: Descriptor

    init(_ socket: String, _ folder: String) throws {
        let file = try Self.open(folder + "/floor")
        connection = try VarlinkConnection(path: socket, until: nil)
        self.file = file
    }

    /// A new file without a name.
    private static func open(_ path: String) throws -> Descriptor {
        let number = unsafe Glibc.open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard number >= 0 else { throw SystemError("make \(path)", errno: errno) }
        unsafe unlink(path)
        return Descriptor(adopting: number)
    }

    consuming func measure(count: Int) throws -> [(String, Double)] {
        var (sets, floors): ([Duration], [Duration]) = ([], [])
        for number in 0..<count {
            let set = Keychain.Set(
                service: "listed", account: "account \(number)", value: "YSBzZWNyZXQ=", label: "Item \(number)",
                attributes: ["number": "\(number)"])
            sets.append(
                try ContinuousClock().measure {
                    if case .fault(let fault) = try connection.call(set, until: nil) { throw fault }
                })
            floors.append(try ContinuousClock().measure { try append() })
        }
        return [("set-p50-us", Sample.median(sets)), ("fsync-p50-us", Sample.median(floors))]
    }

    /// A page of a journal, as small as one can be.
    private func append() throws {
        let page = [UInt8](repeating: 1, count: 4096)
        guard unsafe write(file.number, page, page.count) == page.count, fsync(file.number) == 0 else {
            throw SystemError("write the floor's file", errno: errno)
        }
    }
}
