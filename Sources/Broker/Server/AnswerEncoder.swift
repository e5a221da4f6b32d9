import BrokerProtocol
import Cryptography
import JSON
import NIOCore
import Platform
import Varlink
import Vault

/// Encodes answers as bytes, each with its final zero byte.
struct AnswerEncoder {
    private let allocator: ByteBufferAllocator

    init(allocator: ByteBufferAllocator) { self.allocator = allocator }

    /// The replies for a list, made when it is their turn. The first one goes by itself, so that it comes at once. The
    /// others go several at a time.
    ///
    /// - Parameter more: whether the caller accepts several replies, one for each item.
    func replies(to items: [ItemSummary], more: Bool) -> some IteratorProtocol<ByteBuffer> {
        var sent = 0
        return AnyIterator {
            guard more, !items.isEmpty else {
                defer { sent += 1 }
                return sent == 0 ? only(reply: .items(items)) : nil
            }
            guard sent < items.count else { return nil }
            var together: [UInt8] = []
            repeat {
                let reply = Keychain.ItemsReply(items: [Keychain.Item(items[sent])])
                sent += 1
                together += Varlink.encode(VarlinkReply(reply, continues: sent < items.count))
            } while sent > 1 && sent < items.count && together.count < ConnectionLimits.together
            return buffer(together)
        }
    }

    /// The single reply of an answer.
    ///
    /// - Parameter count: gets the size of a reply with secrets before memory is taken for it. If it throws, the reply
    ///   is that error.
    func only(reply answer: MethodAnswer, _ count: (Int) throws(Fault) -> Void = { _ in }) -> ByteBuffer {
        do throws(Fault) { return try encode(answer, count) } catch { return encode(error) }
    }

    /// The JSON values around the items of a reply: the message, its parameters, and the list.
    private static let valuesAround = 3

    /// - Throws: `ExpectedMore` if the reply would be longer, or have more values, than any client accepts.
    private func encode(_ answer: MethodAnswer, _ count: (Int) throws(Fault) -> Void) throws(Fault) -> ByteBuffer {
        switch answer {
        case .reply(let reply): return plain(reply)
        case .value(let value, let item): return try written(#"{"parameters":{"#, [(value, item)], #"}}"#, count)
        case .values(let items): return try values(items, count)
        case .stream: throw Faults.expectedMore
        case .items(let items):
            let tooMany = Fault(.expectedMore, "there are too many items for one answer", advice: "call with “more”")
            // Checked before the reply is made, to save the memory.
            guard items.reduce(0, { $0 + $1.textSize }) <= Varlink.longestMessage else { throw tooMany }
            let items = items.map { Keychain.Item($0) }
            guard
                items.reduce(Self.valuesAround, { $0 + $1.valueCount }) <= Varlink.mostValues
            else { throw tooMany }
            let reply = bytes(VarlinkReply(Keychain.ItemsReply(items: items)))
            guard reply.readableBytes <= Varlink.longestMessage else { throw tooMany }
            return reply
        }
    }

    /// One reply of several.
    func continuing(_ reply: some JSONWritable) -> ByteBuffer { bytes(VarlinkReply(reply, continues: true)) }

    func encode(_ fault: Fault) -> ByteBuffer { bytes(fault) }

    private func plain(_ reply: some JSONWritable) -> ByteBuffer { bytes(VarlinkReply(reply)) }

    private func bytes(_ message: some JSONWritable) -> ByteBuffer {
        buffer(Varlink.encode(message))
    }

    private func buffer(_ bytes: [UInt8]) -> ByteBuffer {
        var buffer = allocator.buffer(capacity: bytes.count)
        buffer.writeBytes(bytes)
        return buffer
    }

    /// - Throws: `LimitExceeded` if the reply would be longer than any client accepts.
    private func values(_ items: [OpenedItem], _ count: (Int) throws(Fault) -> Void) throws(Fault) -> ByteBuffer {
        let pairs = items.map { ($0.value, Keychain.Item($0.item)) }
        var buffer = try written(#"{"parameters":{"items":[{"#, pairs, "}]}}", count)
        guard buffer.readableBytes <= Varlink.longestMessage else {
            Wiping.wipe(&buffer)
            throw OpenedItem.tooMuch
        }
        return buffer
    }

    /// Items with their secrets, between a start and an end. It is written by hand, so that the secrets are in one
    /// buffer only, which the sender wipes.
    private func written(
        _ start: String, _ pairs: [(value: SecretBytes, item: Keychain.Item)], _ end: String,
        _ count: (Int) throws(Fault) -> Void
    ) throws(Fault) -> ByteBuffer {
        let (first, middle, last, between) = ("\"item\":", ",\"value\":\"", "\"", "},{")
        let around = first.utf8.count + middle.utf8.count + last.utf8.count + between.utf8.count
        var details: [[UInt8]] = []
        var capacity = start.utf8.count + end.utf8.count + 1
        for (value, item) in pairs {
            let bytes = JSONWriter.bytes(of: item)
            details.append(bytes)
            capacity += around + bytes.count + value.count / 3 * 4 + 4
        }
        try count(capacity)
        // The full capacity is reserved at once, because growing would leave copies behind.
        var buffer = allocator.buffer(capacity: capacity)
        buffer.writeString(start)
        for (index, pair) in pairs.enumerated() {
            if index > 0 { buffer.writeString(between) }
            buffer.writeString(first)
            buffer.writeBytes(details[index])
            buffer.writeString(middle)
            pair.value.withBytes { Base64Writer.write($0, to: &buffer) }
            buffer.writeString(last)
        }
        buffer.writeString(end)
        buffer.writeInteger(UInt8(0))
        return buffer
    }
}

extension Keychain.Item {
    /// How many JSON values it is in a message, as a client's reader counts them.
    var valueCount: Int {
        // The item, its ten members that are always there, and the four of its access control.
        let always = 1 + 10 + 4 + attributes.count + access.requirements.count
        let fields = self.fields.map { $0.reduce(1) { $0 + ($1.biometrySet == nil ? 4 : 5) } } ?? 0
        let others = [label != nil, comment != nil, expires != nil, biometrySet != nil, deleted != nil].count { $0 }
        return always + fields + others
    }

    /// The bytes of its names and attributes. They are most of its memory, and less than its size in a message.
    var textSize: Int {
        attributes.reduce(
            service.utf8.count + account.utf8.count + (label?.utf8.count ?? 0) + (comment?.utf8.count ?? 0)
        ) {
            $0 + $1.key.utf8.count + $1.value.utf8.count
        }
    }
}

/// Writes base64 (RFC 4648, section 4) straight into a message's buffer, without a string in between.
enum Base64Writer {
    static func write(_ bytes: Span<UInt8>, to buffer: inout ByteBuffer) {
        var index = 0
        while index < bytes.count {
            let left = bytes.count - index
            let first = bytes[index]
            let second = left > 1 ? bytes[index + 1] : 0
            let third = left > 2 ? bytes[index + 2] : 0
            let digits =
                UInt32(digit(first >> 2)) << 24
                | UInt32(digit((first & 3) << 4 | second >> 4)) << 16
                | UInt32(left > 1 ? digit((second & 15) << 2 | third >> 6) : padding) << 8
                | UInt32(left > 2 ? digit(third & 63) : padding)
            buffer.writeInteger(digits)
            index += 3
        }
    }

    private static let padding = UInt8(ascii: "=")

    private static func digit(_ value: UInt8) -> UInt8 {
        switch value {
        case 0..<26: UInt8(ascii: "A") + value
        case 26..<52: UInt8(ascii: "a") + (value - 26)
        case 52..<62: UInt8(ascii: "0") + (value - 52)
        case 62: UInt8(ascii: "+")
        default: UInt8(ascii: "/")
        }
    }
}

/// Overwrites message bytes after use. This cannot reach the copies made by JSON and the allocator. The heap wipes
/// those when they are freed (the unit's GLIBC_TUNABLES).
enum Wiping {
    static func wipe(_ bytes: inout [UInt8]) { Wipe.bytes(&bytes) }

    /// Wipes the memory in place, even if others hold it. A channel keeps its read buffer for a next read that may
    /// never come.
    static func wipe(_ buffer: inout ByteBuffer) {
        buffer.moveReaderIndex(to: 0)
        Wipe.storage(of: buffer.readableBytesView)
    }
}
