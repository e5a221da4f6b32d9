import BrokerProtocol
import Cryptography
import NIOCore

/// Puts answers into bytes, each with its final zero.
struct AnswerEncoder {
    private let allocator: ByteBufferAllocator

    init(allocator: ByteBufferAllocator) { self.allocator = allocator }

    /// - Parameter more: the caller takes several replies.
    /// - Throws: `ExpectedMore` when one reply would be longer than any client takes.
    func encode(_ answer: Answer, more: Bool) throws(Fault) -> [ByteBuffer] {
        switch answer {
        case .reply(let reply): return [try plain(reply)]
        case .value(let value, let item): return [try secret(value, item)]
        case .items(let items):
            guard more, !items.isEmpty else {
                let reply = try bytes(VarlinkReply(Keychain.ItemsReply(items: items)))
                guard reply.readableBytes <= Varlink.longestMessage else {
                    throw Fault(.expectedMore, "There are too many items for one answer: call with “more”.")
                }
                return [reply]
            }
            var replies: [ByteBuffer] = []
            for (index, item) in items.enumerated() {
                let reply = VarlinkReply(Keychain.ItemsReply(items: [item]), continues: index + 1 < items.count)
                replies.append(try bytes(reply))
            }
            return replies
        }
    }

    func encode(_ fault: Fault) -> ByteBuffer {
        // A fault is made of strings and numbers, which always can be encoded; nothing is sent where that should ever be wrong.
        (try? bytes(fault)) ?? allocator.buffer(capacity: 0)
    }

    private func plain(_ reply: some Codable & Sendable) throws(Fault) -> ByteBuffer {
        try bytes(VarlinkReply(reply))
    }

    private func bytes(_ message: some Encodable) throws(Fault) -> ByteBuffer {
        do {
            let bytes = try Varlink.encode(message)
            var buffer = allocator.buffer(capacity: bytes.count)
            buffer.writeBytes(bytes)
            return buffer
        } catch {
            throw Fault(.failed, "The answer cannot be encoded.")
        }
    }

    /// By hand, so that the value is in one buffer only, which the writer wipes.
    private func secret(_ value: SecretBytes, _ item: Keychain.Item) throws(Fault) -> ByteBuffer {
        let start = #"{"parameters":{"item":"#
        let middle = #","value":""#
        let end = #""}}"#
        var details: [UInt8]
        do { details = try Varlink.encode(item) } catch { throw Fault(.failed, "The answer cannot be encoded.") }
        details.removeLast()
        // The whole capacity at once: growing would leave copies behind.
        var buffer = allocator.buffer(
            capacity: start.utf8.count + details.count + middle.utf8.count + value.count / 3 * 4 + 4 + end.utf8.count
                + 1)
        buffer.writeString(start)
        buffer.writeBytes(details)
        buffer.writeString(middle)
        value.withBytes { Base64Writer.write($0, to: &buffer) }
        buffer.writeString(end)
        buffer.writeInteger(UInt8(0))
        return buffer
    }
}
