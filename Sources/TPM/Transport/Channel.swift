import Dispatch
import Glibc

/// One connection to a TPM. It sends a command, waits for its answer, and gives up at a deadline. After a failure it
/// stays failed, so that cleaning up after a hanging TPM does not wait again.
final class Channel {
    static let headerSize = 10
    static let maximumSize = 4096

    let configuration: TCTIConfiguration
    /// The error that broke this connection, if any.
    private(set) var failure: TPMError?
    private let limit: Duration
    private let observer: (any CommandObserver)?
    private var descriptor: CInt
    private var command: [UInt8]?
    private var sentCommands = 0
    private var answerSize = 0
    private var deadline: SuspendingClock.Instant

    /// Connects. The time for this counts towards the first command's limit.
    ///
    /// - Throws: `.unavailable`, `.deadline`.
    init(_ configuration: TCTIConfiguration, limit: Duration, observer: (any CommandObserver)?) throws(TPMError) {
        self.configuration = configuration
        self.limit = limit
        self.observer = observer
        deadline = SuspendingClock.now.advanced(by: limit)
        descriptor =
            switch configuration {
            case .device(let path): try ChannelDescriptor.openDevice(path)
            case .swtpm(let path): try ChannelDescriptor.connect(path, limit: limit)
            }
    }

    deinit {
        let descriptor = descriptor
        guard failure?.code == .deadline, case .device = configuration else {
            _ = close(descriptor)
            return
        }
        // Closing the device waits in the kernel until the TPM has answered. Nobody should have to wait for that.
        DispatchQueue.global().async { _ = close(descriptor) }
    }

    /// The largest number of parameter bytes in the last answer to a command with sessions. Parameters follow the
    /// header and the four bytes of their size.
    var parametersInAnswer: Int { max(0, answerSize - Self.headerSize - 4) }

    /// Sends one command.
    ///
    /// - Throws: `.unavailable`, `.deadline`; `.other` for a wrong size, or if the command before was not answered.
    func send(_ bytes: [UInt8]) throws(TPMError) {
        if let failure { throw failure }
        guard command == nil, bytes.count >= Self.headerSize, bytes.count <= Self.maximumSize else {
            throw fail(TPMError(.other, "a TPM command has the wrong size, or the one before was not answered"))
        }
        // The first command of a connection shares its limit with connecting.
        if sentCommands > 0 { deadline = SuspendingClock.now.advanced(by: limit) }
        sentCommands += 1
        command = bytes
        var sent = 0
        while sent < bytes.count {
            let count = ChannelDescriptor.write(descriptor, bytes[sent...])
            if count > 0 {
                sent += count
            } else if count < 0, errno == EAGAIN {
                try wait(for: POLLOUT)
            } else if count == 0 || errno != EINTR {
                throw fail(lost(errno))
            }
        }
    }

    /// Waits for the answer to the last command. It has 10 to 4096 bytes, as its own header tells.
    func receive() throws(TPMError) -> [UInt8] {
        if let failure { throw failure }
        guard command != nil else { throw fail(TPMError(.other, "no TPM command was sent")) }
        var answer: [UInt8] = []
        while true {
            if answer.count >= Self.headerSize {
                let size = answer[2..<6].reduce(0) { $0 << 8 | Int($1) }
                guard size >= Self.headerSize, size <= Self.maximumSize, answer.count <= size else {
                    throw fail(
                        TPMError(
                            .unavailable, "the TPM's answer has the wrong size",
                            advice: "check that a TPM is at \(configuration)"
                        ))
                }
                if answer.count == size { break }
            }
            try wait(for: POLLIN)
            let count = ChannelDescriptor.read(descriptor, into: &answer, limit: Self.maximumSize)
            if count == 0 { throw fail(lost(ECONNRESET)) }
            if count < 0, errno != EINTR, errno != EAGAIN { throw fail(lost(errno)) }
        }
        if let command { observer?.commandEnded(command, answer: answer) }
        command = nil
        answerSize = answer.count
        return answer
    }

    /// Sends a command and returns its answer's bytes after the header. Throws the error that the response code means.
    func exchange(_ code: CommandCode, _ parameters: [UInt8]) throws(TPMError) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.append(UInt16(0x8001))  // TPM_ST_NO_SESSIONS
        bytes.append(UInt32(Self.headerSize + parameters.count))
        bytes.append(code.rawValue)
        try send(bytes + parameters)
        let answer = try receive()
        try ResponseGate.check(answer[6..<10].reduce(0) { $0 << 8 | UInt32($1) }, code)
        return [UInt8](answer[Self.headerSize...])
    }

    private func wait(for events: Int32) throws(TPMError) {
        while true {
            let left = SuspendingClock.now.duration(to: deadline)
            guard left > .zero else {
                throw fail(
                    TPMError(
                        .deadline,
                        "the TPM did not answer within \(limit)",
                        advice: "try again, and restart the machine if that does not help"
                    ))
            }
            let ready = ChannelDescriptor.poll(descriptor, events, milliseconds: left.milliseconds)
            if ready > 0 { return }
            if ready < 0, errno != EINTR { throw fail(lost(errno)) }
        }
    }

    private func lost(_ number: CInt) -> TPMError {
        TPMError(
            .unavailable,
            "the connection to the TPM at \(configuration) broke (\(ChannelDescriptor.text(number)))",
            advice: "check that it is still there"
        )
    }

    private func fail(_ error: TPMError) -> TPMError {
        failure = error
        if let command { observer?.commandEnded(command, answer: nil) }
        command = nil
        return error
    }
}

extension Duration {
    /// Rounded up, at least 1, and at most what `poll` accepts.
    var milliseconds: Int32 {
        let (seconds, attoseconds) = components
        return Int32(clamping: max(1, seconds * 1000 + attoseconds / 1_000_000_000_000_000 + 1))
    }
}

/// Sees the commands and answers exactly as on the bus. For counting and for tests.
public protocol CommandObserver: Sendable {
    /// Called once for each command after its answer. `answer` is nil if there was none.
    func commandEnded(_ command: [UInt8], answer: [UInt8]?)
}
