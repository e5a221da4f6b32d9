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

    /// A field of a message's header.
    mutating func add(field: UInt8, _ type: String, _ value: String) {
        align(8)
        add([field])
        add(signature: type)
        if type == "g" { add(signature: value) } else { add(text: value) }
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
    static let (call, answer, signal): (UInt8, UInt8, UInt8) = (1, 2, 4)

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
        var fields = BigEndianBytes()
        fields.add(field: 1, "o", path)
        fields.add(field: 2, "s", interface)
        fields.add(field: 3, "s", member)
        if let destination { fields.add(field: 6, "s", destination) }
        if let signature { fields.add(field: 8, "g", signature) }
        try send(kind, fields, body)
    }

    /// Answers a call that somebody else was asked, with a number.
    /// - Parameters:
    ///   - number: the call's, which its caller has given it.
    ///   - caller: a unique name.
    func answer(toCall number: Int, of caller: String, with value: Int) throws {
        var (fields, body) = (BigEndianBytes(), BigEndianBytes())
        fields.align(8)
        fields.add([5])
        fields.add(signature: "u")
        fields.add(number: number)
        fields.add(field: 6, "s", caller)
        fields.add(field: 8, "g", "u")
        body.add(number: value)
        try send(Self.answer, fields, body)
    }

    private func send(_ kind: UInt8, _ fields: BigEndianBytes, _ body: BigEndianBytes) throws {
        serial += 1
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
