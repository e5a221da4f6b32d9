import BrokerProtocol
import Cryptography
import JSON
import Logging
import NIOCore
import Platform
import Varlink
import Vault

/// One client's connection. It reads a message, answers it, then reads the next. Unread data waits in the kernel, at
/// the client's expense.
struct Connection: Sendable {
    let channel: NIOAsyncChannel<ByteBuffer, ByteBuffer>
    let sender: SocketSender
    let caller: Caller
    /// The error for every call but one `Lock`, if the user had no place for this connection; nil if there was one.
    let refusal: (@Sendable () -> Fault)?
    let served: any ServedInterface
    let budgets: UserBudgets
    let connections: OpenConnections
    let calls: RunningCalls
    let trim: HeapTrim
    let pace: Pace
    let refusals: Refusals
    let logger: Logger

    /// How long a client may take, so that slow clients do not hold memory.
    struct Pace: Sendable {
        /// From a message's first byte to its last.
        var message = TimeAmount(ConnectionLimits.message)
        /// For reading an answer.
        var answer = TimeAmount(ConnectionLimits.answer)
        /// From the beginning of a connection that may only lock to its call.
        var lock = TimeAmount(ConnectionLimits.lock)
        /// For being idle, unless a person is being prompted.
        var idle = ConnectionLimits.idle
        /// For being idle if more than half of all connections are in use.
        var crowdedIdle = ConnectionLimits.crowdedIdle

        /// How often idle connections are looked for.
        var sweep: TimeAmount { .init(max(min(idle / 8, .seconds(5)), .milliseconds(10))) }
    }

    func serve() async {
        do {
            try await channel.executeThenClose { inbound, _ in try await exchange(inbound) }
        } catch {
            logger.debug("connection ended early", metadata: LogFields.of(caller))
        }
        served.connectionEnded(caller)
    }

    private func exchange(_ inbound: NIOAsyncChannelInboundStream<ByteBuffer>) async throws {
        var framer = MessageFramer()
        var counted = 0
        var deadline = refusal.map { closing(after: pace.lock, with: $0) }
        defer {
            deadline?.cancel()
            budgets.give(back: counted, of: .unfinished, for: caller.uid)
            framer.wipe()
        }
        for try await var buffer in inbound {
            connections.touch(caller, isBusy: false)
            framer.append(buffer.readableBytesView)
            Wiping.wipe(&buffer)
            var isComplete = false
            while case .message(var message) = try await step(&framer) {
                isComplete = true
                deadline?.cancel()
                deadline = nil
                guard try await answer(&message) else { return }
            }
            if framer.count > 0, deadline == nil || isComplete {
                deadline?.cancel()
                let seconds = pace.message.nanoseconds / 1_000_000_000
                deadline = closing(after: pace.message) {
                    Fault(.limitExceeded, "the message was not complete after \(seconds) seconds")
                }
            }
            do throws(UserBudgets.Refusal) {
                try budgets.take(framer.count - counted, of: .unfinished, for: caller.uid)
                counted = framer.count
            } catch {
                try await refuse(
                    .limitExceeded, "too many unfinished messages of this user at once", advice: "try again later")
                return
            }
        }
    }

    private func step(_ framer: inout MessageFramer) async throws -> MessageFramer.Step {
        let step = framer.next(limit: Varlink.longestMessage)
        if case .tooLong = step {
            try await refuse(.limitExceeded, "a message may have \(Varlink.longestMessage) bytes at most")
            throw Hangup()
        }
        return step
    }

    /// The connection must end. The client has been told why.
    private struct Hangup: Error {}

    /// - Parameter message: wiped and dropped as soon as it is read, because a call can last as long as its connection.
    /// - Returns: whether the connection may go on.
    private func answer(_ message: inout [UInt8]) async throws -> Bool {
        let call: IncomingCall
        let called = message.count
        do throws(JSONFailure) {
            defer {
                Wiping.wipe(&message)
                message = []
            }
            call = try IncomingCall(message, served: served.interfaces.methods)
        } catch {
            let reason = error.malformation.map { ": \($0)" } ?? ""
            try await refuse(served.unreadable, "this is not a Varlink call\(reason)")
            return false
        }
        if let refusal, !served.isLock(call) {
            try await refuse(refusal())
            return false
        }
        guard calls.begin() else {
            try await refuse(Faults.stopping)
            return false
        }
        defer { calls.end() }
        connections.touch(caller, isBusy: true)
        defer { connections.touch(caller, isBusy: false) }
        switch await prepare(call) {
        case .nothing: trim.answered(called)
        case .single(let reply):
            // What machines exchange is long in one of the two directions, and takes several times as much meanwhile.
            defer { trim.answered(called + reply.readableBytes) }
            try await send([reply].makeIterator())
        case .secret(let reply, let size):
            defer { budgets.give(back: size, of: .answers, for: caller.uid) }
            try await send([reply].makeIterator())
        case .items(let items): try await send(items, more: call.more)
        case .stream(let stream):
            defer { stream.end() }
            try await send(stream)
        }
        // A connection that may only lock makes room for the next one.
        return refusal == nil
    }

    /// An answer whose only secret is in the bytes to be sent.
    private enum Prepared {
        /// The caller wants no reply.
        case nothing
        case single(ByteBuffer)
        /// The same for an answer that was counted, with its size.
        case secret(ByteBuffer, Int)
        case items([ItemSummary])
        case stream(any ReplyStream)
    }

    private func prepare(_ call: IncomingCall) async -> Prepared {
        do throws(Fault) {
            let answer = try await served.answer(call, from: caller) { [channel] in !channel.channel.isActive }
            // Nothing is written that nobody takes, because it may be a secret.
            if call.oneway {
                if case .stream(let stream) = answer { stream.end() }
                return .nothing
            }
            switch answer {
            case .items(let items): return .items(items)
            case .stream(let stream): return .stream(stream)
            case .reply: return .single(encoder.only(reply: answer))
            case .value, .values:
                var size = 0
                let reply = encoder.only(reply: answer) { (bytes) throws(Fault) in
                    try count(answer: bytes)
                    size = bytes
                }
                return .secret(reply, size)
            }
        } catch { return call.oneway ? .nothing : .single(encoder.encode(error)) }
    }

    /// Counts an answer with secrets before its memory is taken. A client that reads nothing leaves it in memory.
    private func count(answer size: Int) throws(Fault) {
        do throws(UserBudgets.Refusal) { try budgets.take(size, of: .answers, for: caller.uid) } catch {
            throw Fault(
                .limitExceeded, "too many answers with secrets are still unread, yours or those of all users",
                advice: "read the answers on your other connections, then try again")
        }
    }

    private func send(_ items: [ItemSummary], more: Bool) async throws {
        let size = items.reduce(0) { $0 + $1.textSize }
        do throws(UserBudgets.Refusal) { try budgets.take(size, of: .lists, for: caller.uid) } catch {
            let fault = Fault(.limitExceeded, "too many of your lists are still unread", advice: "try again later")
            return try await send([encoder.encode(fault)].makeIterator())
        }
        defer {
            budgets.give(back: size, of: .lists, for: caller.uid)
            trim.answered(size)
        }
        try await send(encoder.replies(to: items, more: more))
    }

    /// Sends replies as they come, until the client hangs up or an error ends them. A client that does not read makes
    /// nobody else wait: not those who make the replies, and not a broker that stops.
    private func send(_ stream: any ReplyStream) async throws {
        channel.channel.closeFuture.whenComplete { _ in stream.end() }
        while let (reply, isLast) = await next(of: stream) {
            let taken = try sender.send(reply.readableBytesView)
            if let rest = reply.getSlice(at: reply.readerIndex + taken, length: reply.readableBytes - taken),
                rest.readableBytes > 0
            {
                try await calls.aside { try await channel.channel.writeAndFlush(rest).get() }
            }
            if isLast { return }
        }
    }

    /// - Returns: nil if the client has gone.
    private func next(of stream: any ReplyStream) async -> (reply: ByteBuffer, isLast: Bool)? {
        do throws(Fault) {
            guard let reply = try await stream.next() else { return nil }
            return (encoder.continuing(reply), false)
        } catch { return (encoder.encode(error), true) }
    }

    private var encoder: AnswerEncoder { AnswerEncoder(allocator: channel.channel.allocator) }

    /// Sends one reply after the other. Of a long list, few replies are in memory at a time.
    private func send(_ replies: some IteratorProtocol<ByteBuffer>) async throws {
        let end = NIODeadline.now() + pace.answer
        var replies = replies
        while var reply = replies.next() {
            defer { Wiping.wipe(&reply) }
            // Most answers fit into the kernel's buffer. Asking the event loop wakes its thread and then this one.
            reply.moveReaderIndex(forwardBy: try sender.send(reply.readableBytesView))
            if reply.readableBytes > 0 { try await write(reply, until: end) }
        }
    }

    /// Writes, and closes the connection at the deadline. Both are asked of the event loop at once, because each visit
    /// wakes its thread.
    private func write(_ reply: ByteBuffer, until end: NIODeadline) async throws {
        let channel = channel.channel
        try await channel.eventLoop.flatSubmit {
            let deadline = channel.eventLoop.scheduleTask(deadline: end) { channel.close(promise: nil) }
            let written = channel.writeAndFlush(reply)
            written.whenComplete { _ in deadline.cancel() }
            return written
        }.get()
    }

    private func refuse(_ name: Fault.Name, _ message: String, advice: String = "") async throws {
        try await refuse(Fault(name, message, advice: advice))
    }

    private func refuse(_ fault: Fault) async throws {
        let name = fault.name
        refusals.note(caller.uid, caller.process.pid, name, logger)
        try await send([encoder.encode(fault)].makeIterator())
    }

    private func closing(after time: TimeAmount, with fault: @escaping @Sendable () -> Fault) -> Scheduled<Void> {
        channel.channel.eventLoop.scheduleTask(in: time) { [channel = channel.channel, pace] in
            let reply = AnswerEncoder(allocator: channel.allocator).encode(fault())
            // A client that reads nothing would keep the connection open.
            let end = channel.eventLoop.scheduleTask(in: pace.answer) { channel.close(promise: nil) }
            channel.writeAndFlush(reply).whenComplete { _ in
                end.cancel()
                channel.close(promise: nil)
            }
        }
    }
}

/// The service behind a socket. It takes calls, one at a time for each connection, and answers them.
protocol ServedInterface: Sendable {
    /// The served methods, and how the service describes itself.
    var interfaces: ServedInterfaces { get }

    /// The error's name for a call that cannot be parsed.
    var unreadable: Fault.Name { get }

    /// Whether this user may connect at all. It is asked once, before anything is read.
    func admits(uid: UInt32) -> Bool

    /// Whether this user has a vault, and so surely an account.
    func ownsVault(uid: UInt32) -> Bool

    /// - Parameter isAbandoned: whether the caller has hung up.
    func answer(
        _ call: IncomingCall, from caller: Caller, isAbandoned: @escaping @Sendable () -> Bool
    ) async throws(Fault) -> MethodAnswer

    /// Whether an idle connection waits for a person and must stay open.
    func awaits(_ caller: Caller) -> Bool

    /// Whether each user's connections are answered on a thread of that user's own.
    var keepsUsersApart: Bool { get }

    /// Whether a call is let in from a user who has no place for a further connection: it locks.
    func isLock(_ call: IncomingCall) -> Bool

    /// The connection is gone. Implementations drop everything that depends on it.
    func connectionEnded(_ caller: Caller)
}

/// A method's answer before it is encoded.
enum MethodAnswer: Sendable {
    case reply(any JSONWritable)
    /// One reply, or one for each item if the caller accepts several.
    case items([ItemSummary])
    /// A secret and its item. It is encoded into memory that is wiped after sending.
    case value(SecretBytes, Keychain.Item)
    /// The same for several items, in one reply.
    case values([OpenedItem])
    /// Replies that come as things happen. Only a method that needs the “more” flag answers so.
    case stream(any ReplyStream)
}

/// The replies of a call that lasts.
protocol ReplyStream: Sendable {
    /// Waits for the next reply. There is one reader.
    /// - Returns: nil once ``end()`` was called.
    /// - Throws: the error that is the last reply.
    func next() async throws(Fault) -> (any JSONWritable)?

    /// The reader has gone. Frees everything at once; later calls do nothing.
    func end()
}
