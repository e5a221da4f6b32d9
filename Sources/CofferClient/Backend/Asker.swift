import BrokerProtocol
import Dispatch
import Synchronization
import Varlink

/// Shows PAM's messages to a person and takes the answers.
protocol Asker: Sendable {
    /// - Parameter connection: readable or closed when the conversation has ended; nil if none has begun.
    func tell(
        _ message: Authentication.Message, on connection: AsyncVarlinkConnection?
    ) async throws(KeychainError)

    /// - Parameter connection: readable or closed when nobody waits for the answer.
    /// - Returns: nil if the person gives up or nobody waits.
    func ask(
        _ message: Authentication.Message, on connection: AsyncVarlinkConnection
    ) async throws(KeychainError) -> String?

    /// Holds the whole conversation in this process's place; nil if this asker only asks.
    var delegate: AgentPrompter? { get }
}

extension Asker {
    var delegate: AgentPrompter? { nil }
}

/// Asks by a prompter that blocks, on a thread of its own.
final class BlockingAsker: Asker {
    private let queue = DispatchQueue(label: "coffer.prompter")
    private let prompter: Mutex<any Prompter>

    init(_ prompter: any Prompter) { self.prompter = Mutex(prompter) }

    var delegate: AgentPrompter? { prompter.withLock { $0.delegate } }

    func tell(
        _ message: Authentication.Message, on connection: AsyncVarlinkConnection?
    ) async throws(KeychainError) {
        try await run { (prompter) throws(KeychainError) in try prompter.tell(message) }
    }

    func ask(
        _ message: Authentication.Message, on connection: AsyncVarlinkConnection
    ) async throws(KeychainError) -> String? {
        try await run { (prompter) throws(KeychainError) in
            // The closure keeps the connection, and so its descriptor, until the prompter is done.
            try withExtendedLifetime(connection) { () throws(KeychainError) in
                try prompter.ask(message, hangUp: connection.number)
            }
        }
    }

    private func run<Value: Sendable>(
        _ body: @escaping @Sendable (inout any Prompter) throws(KeychainError) -> Value
    ) async throws(KeychainError) -> Value {
        let result: Result<Value, KeychainError> = await withCheckedContinuation { continuation in
            queue.async { [self] in
                let result = prompter.withLock { prompter in
                    Result { () throws(KeychainError) in try body(&prompter) }
                }
                continuation.resume(returning: result)
            }
        }
        return try result.get()
    }
}

/// Asks by the application's own closure.
struct HandlerAsker: Asker {
    let handler: @Sendable (PromptMessage) async throws -> String?

    func tell(
        _ message: Authentication.Message, on connection: AsyncVarlinkConnection?
    ) async throws(KeychainError) {
        _ = try await answer(to: message, on: connection)
    }

    func ask(
        _ message: Authentication.Message, on connection: AsyncVarlinkConnection
    ) async throws(KeychainError) -> String? {
        try await answer(to: message, on: connection)
    }

    /// - Returns: the handler's answer; nil if nobody waits for it.
    private func answer(
        to message: Authentication.Message, on connection: AsyncVarlinkConnection?
    ) async throws(KeychainError) -> String? {
        let first = FirstResult<Result<String?, KeychainError>>()
        let asking = Task { _ = first.end(with: await asked(PromptMessage(message))) }
        // A handler may go on although its task is cancelled. Its late answer is dropped.
        let stop: @Sendable () -> Void = {
            asking.cancel()
            first.end(with: .success(nil))
        }
        let watch = connection.map { HangUpWatch($0, stop) }
        defer { watch?.stop() }
        let result = await withTaskCancellationHandler {
            await first.value
        } onCancel: {
            stop()
        }
        return try result.get()
    }

    private func asked(_ message: PromptMessage) async -> Result<String?, KeychainError> {
        do { return .success(try await handler(message)) } catch is CancellationError { return .success(nil) } catch {
            return .failure(
                KeychainError(
                    .cancelled, "the program could not ask the person", advice: "look at the program's prompt handler",
                    cause: String(describing: type(of: error))))
        }
    }
}

/// Notices that an authenticator has ended a conversation while the application asks the person.
private final class HangUpWatch {
    private let source: any DispatchSourceRead

    init(_ connection: AsyncVarlinkConnection, _ hungUp: @escaping @Sendable () -> Void) {
        source = DispatchSource.makeReadSource(
            fileDescriptor: connection.number, queue: DispatchQueue(label: "coffer.hang-up"))
        source.setEventHandler {
            hungUp()
        }
        // Keeps the descriptor until the source no longer uses it.
        source.setCancelHandler { withExtendedLifetime(connection) {} }
        source.activate()
    }

    func stop() { source.cancel() }

    deinit { source.cancel() }
}

extension PromptMessage {
    init(_ message: Authentication.Message) {
        let style: Style =
            switch message.style {
            case .secret: .hiddenQuestion
            case .visible: .visibleQuestion
            case .info: .information
            case .error: .failure
            }
        self.init(style: style, text: VisibleText.prompt(message.text))
    }
}
