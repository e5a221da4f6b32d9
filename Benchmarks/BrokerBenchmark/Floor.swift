import Cryptography
import Dispatch
import Glibc
import Platform
import SQLite

/// What no read can do without, each part by itself: a message there and back, the rows, the key, the value.
struct Floor {
    private static let message = [UInt8](repeating: UInt8(ascii: "x"), count: 200) + [0]
    private let database: Connection

    init() throws {
        database = try Connection(path: nil)
        try database.once("CREATE TABLE part (id INTEGER PRIMARY KEY, content BLOB NOT NULL) STRICT")
        for id in 0..<10 {
            try database.run(
                "INSERT INTO part VALUES (?, ?)", [.integer(Int64(id)), .blob([UInt8](repeating: 1, count: 300))])
        }
    }

    /// Over a pair of Unix sockets, between two threads.
    func echo(_ count: Int) throws -> Double {
        var ends: [Int32] = [-1, -1]
        guard unsafe socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0 else {
            throw SystemError("make a pair of sockets", errno: errno)
        }
        var own = UnixSocket(adopting: Descriptor(adopting: ends[0]))
        let other = ends[1]
        DispatchQueue(label: "echo").async {
            var socket = UnixSocket(adopting: Descriptor(adopting: other))
            // It ends with the other side.
            while let message = try? socket.receiveMessage(limit: 4096) { try? socket.send(message + [0]) }
        }
        return try Sample.median(of: count) {
            try own.send(Self.message)
            _ = try own.receiveMessage(limit: 4096)
        }
    }

    /// Header, posting, item, value, and the nodes that vouch for them, in one transaction.
    func selects(_ count: Int) throws -> Double {
        try Sample.median(of: count) {
            try database.transaction(.reading, { $0 }) { () throws(SQLiteError) in
                for id in 0..<10 {
                    _ = try database.rows("SELECT content FROM part WHERE id = ?", [.integer(Int64(id))], limit: 1)
                }
            }
        }
    }

    func agreement(_ count: Int) throws -> Double {
        let (own, other) = (try X25519.PrivateKey.generate(), try X25519.PrivateKey.generate())
        let point = other.publicKey
        return try Sample.median(of: count) { _ = try own.sharedSecret(with: point) }
    }

    func decryption(_ count: Int) throws -> Double {
        let key = try SecretBytes.random(count: AESGCM.keyCount)
        let sealed = try AESGCM.seal(SecretBytes.random(count: 64), key: key, associatedData: [1])
        return try Sample.median(of: count) { _ = try AESGCM.open(sealed, key: key, associatedData: [1]) }
    }
}
