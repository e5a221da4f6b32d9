import Platform
import TestSupport

/// Values in the byte order that starts with the highest byte (D-Bus Specification, "Marshaling").
struct BigEndianBytes {
    private(set) var bytes: [UInt8] = []

    mutating func align(_ boundary: Int) {
        while bytes.count % boundary != 0 { bytes.append(0) }
    }

    mutating func add(_ more: [UInt8]) { bytes += more }

    mutating func add(number: Int) {
        align(4)
        for shift in [24, 16, 8, 0] { bytes.append(UInt8(truncatingIfNeeded: number >> shift)) }
    }

    /// A text or an object path.
    mutating func add(text: String) {
        add(number: text.utf8.count)
        bytes += Array(text.utf8) + [0]
    }

    mutating func add(signature: String) {
        bytes.append(UInt8(truncatingIfNeeded: signature.utf8.count))
        bytes += Array(signature.utf8) + [0]
    }

    /// An array of bytes.
    mutating func add(array: [UInt8]) {
        add(number: array.count)
        bytes += array
    }
}

/// A program of a machine with the other byte order. Its bus library writes messages as the specification has them, and
/// it reads no answers.
final class BigEndianProgram {
    /// The kinds of messages.
    static let (call, signal): (UInt8, UInt8) = (1, 4)

    private let socket: UnixSocket
    private var serial = 0

    init(_ bus: PrivateBus) throws {
        socket = try UnixSocket(connectingTo: bus.socket, until: .now + patience)
        let user = String(OwnProcess.effectiveUser).utf8.map { String($0, radix: 16) }.joined()
        try socket.send(Array("\0AUTH EXTERNAL \(user)\r\nBEGIN\r\n".utf8), until: .now + patience)
        let daemon = "org.freedesktop.DBus"
        try send(Self.call, "Hello", of: daemon, at: "/org/freedesktop/DBus", to: daemon)
    }

    /// Sends a message.
    /// - Parameters:
    ///   - destination: nil for everybody.
    ///   - signature: the types of the body.
    func send(
        _ kind: UInt8, _ member: String, of interface: String, at path: String = "/", to destination: String? = nil,
        signature: String? = nil, _ body: BigEndianBytes = BigEndianBytes()
    ) throws {
        serial += 1
        var fields = BigEndianBytes()
        func add(_ code: UInt8, _ type: String, _ value: String) {
            fields.align(8)
            fields.add([code])
            fields.add(signature: type)
            if type == "g" { fields.add(signature: value) } else { fields.add(text: value) }
        }
        add(1, "o", path)
        add(2, "s", interface)
        add(3, "s", member)
        if let destination { add(6, "s", destination) }
        if let signature { add(8, "g", signature) }
        var message = BigEndianBytes()
        // The byte order, the kind, no flags, the protocol's version.
        message.add([UInt8(ascii: "B"), kind, 0, 1])
        for number in [body.bytes.count, serial, fields.bytes.count] { message.add(number: number) }
        message.add(fields.bytes)
        message.align(8)
        message.add(body.bytes)
        try socket.send(message.bytes, until: .now + patience)
    }
}
