import BrokerProtocol
import Cryptography
import Foundation
import Item
import JSON
import NIOCore
import Testing
import Varlink

@testable import Broker
@testable import Vault

/// Answers as bytes: what clients read, how much memory they take, and what is refused because no client would read it.
struct AnswerEncoderTests {
    private let encoder = AnswerEncoder(allocator: ByteBufferAllocator())

    private func item(
        _ account: String, comment: String? = nil, attributes: [String: String] = [:]
    ) throws -> ItemSummary {
        let id = try #require(ItemID(bytes: [UInt8](repeating: 1, count: 16)))
        return ItemSummary(
            id: id, version: 1,
            metadata: Metadata(
                service: "s", account: account, label: "l", comment: comment, attributes: attributes, created: 1,
                modified: 1, valueSet: 1),
            access: .whenUnlocked, revision: ItemRevision(digest: [UInt8](repeating: 1, count: 32)))
    }

    private func bytes(_ buffer: ByteBuffer) -> [UInt8] { Array(buffer.readableBytesView) }

    /// The messages of a buffer, each without its zero byte.
    private func messages(_ buffer: ByteBuffer) -> [[UInt8]] {
        #expect(bytes(buffer).last == 0)
        return bytes(buffer).dropLast().split(separator: 0, omittingEmptySubsequences: false).map { Array($0) }
    }

    private func fault(_ buffer: ByteBuffer) throws -> Fault {
        try Varlink.decode(Fault.self, from: try #require(messages(buffer).first))
    }

    @Test("the first item of a list goes by itself, the others many at a time, and the last one says that it is it")
    func list() throws {
        let items = try (0..<100).map { try item("\($0)", comment: String(repeating: "c", count: 900)) }
        var replies = encoder.replies(to: items, more: true)
        var buffers: [ByteBuffer] = []
        while let next = replies.next() { buffers.append(next) }
        let head = try #require(buffers.first)
        #expect(messages(head).count == 1)
        for buffer in buffers.dropFirst().dropLast() {
            #expect(buffer.readableBytes >= ConnectionLimits.together)
            #expect(buffer.readableBytes < ConnectionLimits.together + 2000)
        }
        let all = buffers.flatMap { messages($0) }
        var accounts: [String] = []
        for (number, message) in all.enumerated() {
            let answer = try Varlink.decode(VarlinkAnswer<Keychain.ItemsReply>.self, from: message)
            guard case .reply(let reply, let continues) = answer else {
                Issue.record("\(answer)")
                return
            }
            #expect(reply.items.count == 1 && continues == (number < 99))
            accounts += reply.items.map(\.account)
        }
        #expect(accounts == (0..<100).map { "\($0)" })
    }

    @Test("a caller that takes one reply gets one with all, and an empty list is one reply as well")
    func onlyReply() throws {
        let calls: [(items: [ItemSummary], more: Bool)] = [
            (items: [try item("a"), try item("b")], more: false), (items: [], more: true), (items: [], more: false),
        ]
        for (items, more) in calls {
            var replies = encoder.replies(to: items, more: more)
            let next = replies.next()
            let buffer = try #require(next)
            let message = try #require(messages(buffer).first)
            let answer = try Varlink.decode(VarlinkAnswer<Keychain.ItemsReply>.self, from: message)
            guard case .reply(let reply, let continues) = answer else {
                Issue.record("\(answer)")
                return
            }
            #expect(reply.items.count == items.count && !continues)
            let further = replies.next()
            #expect(further == nil)
        }
    }

    @Test("a list that is longer than any client reads is refused, by its names or by how they are written")
    func tooLong() throws {
        func wide(_ text: String) throws -> ItemSummary {
            try item(
                "a", attributes: Dictionary(uniqueKeysWithValues: (0..<64).map { ("\($0)", text) }))
        }
        let plain = try wide(String(repeating: "x", count: 4000))
        #expect(encoder.only(reply: .items([plain])).readableBytes > 64 * 4000)
        #expect(try fault(encoder.only(reply: .items([ItemSummary](repeating: plain, count: 9)))).name == .expectedMore)
        // Each of these characters takes six bytes in a message.
        let escaped = try wide(String(repeating: "\u{1}", count: 4000))
        #expect(encoder.only(reply: .items([escaped])).readableBytes > 6 * 64 * 4000)
        #expect(try fault(encoder.only(reply: .items([escaped, escaped]))).name == .expectedMore)
    }

    @Test("secrets of every length come as they are, and memory is counted for all of it and hardly more")
    func secrets() throws {
        let summary = try item("a")
        for length in [0, 1, 2, 3, 4, 5, 6, 7, 255, 256, 257] {
            let value = (0..<length).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ length) }
            let secret = try SecretBytes(copying: value)
            let text = Data(value).base64EncodedString()
            var size = 0
            let one = encoder.only(reply: .value(secret, Keychain.Item(summary))) { size = $0 }
            #expect(size >= one.readableBytes && size <= one.readableBytes + 7, "\(length)")
            let single = try Varlink.decode(
                VarlinkAnswer<Keychain.Get.Reply>.self, from: try #require(messages(one).first))
            guard case .reply(let reply, false) = single else {
                Issue.record("\(single)")
                return
            }
            #expect(reply.value == text && reply.item == Keychain.Item(summary))
            let opened = OpenedItem(value: secret, item: summary, field: .secret)
            let three = encoder.only(reply: .values([opened, opened, opened])) { size = $0 }
            #expect(size >= three.readableBytes && size <= three.readableBytes + 15, "\(length)")
            let several = try Varlink.decode(
                VarlinkAnswer<Keychain.GetAll.Reply>.self, from: try #require(messages(three).first))
            guard case .reply(let list, false) = several else {
                Issue.record("\(several)")
                return
            }
            #expect(list.items.map(\.value) == [text, text, text])
        }
    }

    @Test("an answer with secrets for which there is no room is that error, and so is one that no client reads")
    func noRoom() throws {
        let summary = try item("a")
        let secret = try SecretBytes(copying: [1, 2, 3])
        let refused = encoder.only(reply: .value(secret, Keychain.Item(summary))) { (_: Int) throws(Fault) in
            throw Fault(.limitExceeded, "no room")
        }
        let told = try fault(refused)
        #expect(told.name == .limitExceeded && told.details.message == "no room")
        let large = try SecretBytes(copying: [UInt8](repeating: 7, count: 800_000))
        let opened = OpenedItem(value: large, item: summary, field: .secret)
        #expect(encoder.only(reply: .values([opened])).readableBytes > 1_000_000)
        let tooMuch = try fault(encoder.only(reply: .values([opened, opened])))
        #expect(tooMuch.name == .limitExceeded && tooMuch.details.message == OpenedItem.tooMuch.details.message)
    }

    @Test("every byte is written in base64 as everybody writes it")
    func base64() {
        let all = (0...255).map { UInt8($0) }
        let samples: [[UInt8]] = [[], [251], [251, 255], [251, 255, 254], all, Array(all.reversed())]
        for bytes in samples {
            var buffer = ByteBufferAllocator().buffer(capacity: 16)
            Base64Writer.write(bytes.span, to: &buffer)
            #expect(String(buffer: buffer) == Data(bytes).base64EncodedString())
        }
    }

    @Test("what was sent is wiped with the rest")
    func wiped() {
        var buffer = ByteBufferAllocator().buffer(capacity: 16)
        buffer.writeString("secret")
        buffer.moveReaderIndex(forwardBy: 4)
        Wiping.wipe(&buffer)
        #expect(buffer.getBytes(at: 0, length: 6) == [UInt8](repeating: 0, count: 6))
        var bytes = Array("secret".utf8)
        Wiping.wipe(&bytes)
        #expect(bytes == [UInt8](repeating: 0, count: 6))
    }

    /// How many values a JSON value has, itself included.
    private func count(_ value: Any) -> Int {
        switch value {
        case let list as [Any]: list.reduce(1) { $0 + count($1) }
        case let object as [String: Any]: object.values.reduce(1) { $0 + count($1) }
        default: 1
        }
    }

    @Test("an item's values are counted as a reader of the message counts them, and its text by its bytes")
    func counts() throws {
        var item = Keychain.Item(
            id: "i", service: "sérvice", account: "ac", attributes: [:], access: .whenUnlocked, created: 1,
            modified: 1, version: 1, revision: "r")
        let changes: [(inout Keychain.Item) -> Void] = [
            { _ in }, { $0.label = "label" }, { $0.comment = "a comment" }, { $0.expires = 7 },
            { $0.biometrySet = "00" }, { $0.deleted = 8 }, { $0.attributes = ["one": "two", "three": ""] },
            { $0.access = AccessControl.whenUnlocked.requiring(.userPresence, .devicePasscode) },
            { $0.fields = [] },
            {
                $0.fields = [
                    Keychain.Field(name: "secret", kind: .secret, set: 1, biometrySet: "00"),
                    Keychain.Field(name: "pin", kind: .secret, set: 2),
                ]
            },
        ]
        for (number, change) in changes.enumerated() {
            change(&item)
            let json = try JSONSerialization.jsonObject(with: Data(JSONWriter.bytes(of: item)))
            #expect(item.valueCount == count(json), "\(number)")
        }
        #expect(item.textSize == 8 + 2 + 5 + 9 + 3 + 3 + 5)
        let summary = try self.item("account", comment: "comment", attributes: ["one": "two"])
        #expect(summary.textSize == 1 + 7 + 1 + 7 + 3 + 3 + 6)
        #expect(Keychain.Item(summary).textSize == summary.textSize - 6)
    }
}
