import BrokerProtocol
import Logging
import NIOCore

/// One client's connection: reads a message, has it answered, reads the next. What is not read meanwhile waits in the kernel, at the client's expense.
struct Connection: Sendable {
    let channel: NIOAsyncChannel<ByteBuffer, ByteBuffer>
    let caller: Caller
    let served: any ServedInterface
    let census: ConnectionCensus
    let calls: RunningCalls
    let pace: Pace
    let logger: Logger

    /// How long a client may take, so that nobody holds a connection's memory by being slow.
    struct Pace: Sendable {
        /// From a message's first byte to its last.
        var message: TimeAmount = .seconds(30)
        /// For taking an answer.
        var answer: TimeAmount = .seconds(30)
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
        var framer = MessageFramer(limit: Varlink.longestMessage)
        var counted = 0
        var deadline: Scheduled<Void>?
        defer {
            deadline?.cancel()
            _ = census.pending(uid: caller.uid, from: counted, to: 0)
            framer.wipe()
        }
        for try await var buffer in inbound {
            framer.append(buffer.readableBytesView)
            Wiping.wipe(&buffer)
            var isComplete = false
            while case .message(var message) = try await step(&framer) {
                isComplete = true
                deadline?.cancel()
                deadline = nil
                let goesOn = try await answer(message)
                Wiping.wipe(&message)
                guard goesOn else { return }
            }
            if framer.count > 0, deadline == nil || isComplete {
                deadline?.cancel()
                deadline = closing(
                    after: pace.message,
                    with: "The message was not complete after \(pace.message.nanoseconds / 1_000_000_000) seconds.")
            }
            let within = census.pending(uid: caller.uid, from: counted, to: framer.count)
            counted = framer.count
            guard within else {
                try await refuse(.limitExceeded, "Too many unfinished messages of this user at once; try again later.")
                return
            }
        }
    }

    private func step(_ framer: inout MessageFramer) async throws -> MessageFramer.Step {
        let step = framer.next()
        if case .tooLong = step {
            try await refuse(.limitExceeded, "A message may have \(Varlink.longestMessage) bytes at most.")
            throw Hangup()
        }
        return step
    }

    /// The connection is to end, and the reason was told.
    private struct Hangup: Error {}

    /// - Returns: whether the connection may go on.
    private func answer(_ message: [UInt8]) async throws -> Bool {
        if let problem = MessageScreen.problem(with: message) {
            try await refuse(served.unreadable, "This is no Varlink call: \(problem).")
            return false
        }
        let call: IncomingCall
        do { call = try IncomingCall(message) } catch {
            try await refuse(served.unreadable, "This is no Varlink call.")
            return false
        }
        guard calls.begin() else {
            try await refuse(.failed, "The broker is stopping; try again in a moment.")
            return false
        }
        defer { calls.end() }
        let answer: Result<Answer, Fault>
        do throws(Fault) { answer = .success(try await served.answer(call, from: caller)) } catch {
            answer = .failure(error)
        }
        guard !call.oneway else { return true }
        guard case .success(.items(let items)) = answer else {
            try await send(answer, more: call.more)
            return true
        }
        let size = items.reduce(0) { $0 + $1.textSize }
        guard census.list(uid: caller.uid, of: size) else {
            let fault = Fault(.limitExceeded, "There are too many lists that you have not taken yet; try again later.")
            try await send(.failure(fault), more: false)
            return true
        }
        defer { _ = census.list(uid: caller.uid, of: -size) }
        try await send(answer, more: call.more)
        return true
    }

    /// One reply after the other: of a long list there is never more than one in memory.
    private func send(_ answer: Result<Answer, Fault>, more: Bool = false) async throws {
        let deadline = channel.channel.eventLoop.scheduleTask(in: pace.answer) { [channel] in
            channel.channel.close(promise: nil)
        }
        defer { deadline.cancel() }
        let encoder = AnswerEncoder(allocator: channel.channel.allocator)
        var replies = encoder.replies(to: answer, more: more)
        while var reply = replies.next() {
            defer { Wiping.wipe(&reply) }
            try await channel.channel.writeAndFlush(reply).get()
        }
    }

    private func refuse(_ name: Fault.Name, _ message: String) async throws {
        logger.info("connection refused", metadata: LogFields.of(caller, outcome: name))
        try await send(.failure(Fault(name, message)))
    }

    private func closing(after time: TimeAmount, with message: String) -> Scheduled<Void> {
        let fault = AnswerEncoder(allocator: channel.channel.allocator).encode(Fault(.limitExceeded, message))
        return channel.channel.eventLoop.scheduleTask(in: time) { [channel] in
            channel.channel.writeAndFlush(fault).whenComplete { _ in channel.channel.close(promise: nil) }
        }
    }
}
