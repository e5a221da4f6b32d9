import BrokerProtocol
import Dispatch
import Platform
import Varlink

/// A conversation with the authenticator that ends at once if its task is cancelled. The person's prompt is then closed.
struct AuthenticatorConversation: Sendable {
    private let paths: SocketPaths
    private let caller: UInt32

    init(paths: SocketPaths, caller: UInt32) {
        self.paths = paths
        self.caller = caller
    }

    /// Has a person pass the challenge.
    /// - Parameter announcement: what the person is told after the authenticator has said what it is about; nil for nothing.
    func pass(
        _ challenge: String, by asker: any Asker, announcing announcement: String? = nil
    ) async throws(KeychainError) {
        if let agent = asker.delegate { return try await pass(challenge, by: agent) }
        let connection = try await connect()
        let result = await withTaskCancellationHandler {
            await converse(challenge, by: asker, on: connection, announcing: announcement)
        } onCancel: {
            // The authenticator and a prompter in another thread notice that nobody waits.
            connection.close()
        }
        connection.close()
        if Task.isCancelled { throw .cancelledByTask }
        try result.get()
    }

    /// Has an agent hold the conversation. The agent's prompt closes if the task is cancelled.
    private func pass(_ challenge: String, by agent: AgentPrompter) async throws(KeychainError) {
        let authenticator = Authenticator(paths: paths, caller: caller)
        let stop = AgentStop()
        let result: Result<Void, KeychainError> = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                DispatchQueue(label: "coffer.agent").async {
                    continuation.resume(
                        returning: Result { () throws(KeychainError) in
                            try agent.pass(challenge, authenticator, stop)
                        })
                }
            }
        } onCancel: {
            stop.stop()
        }
        if Task.isCancelled { throw .cancelledByTask }
        try result.get()
    }

    /// Asks nobody.
    func biometry() async throws(KeychainError) -> Authentication.Biometry.Reply {
        let connection = try await connect()
        defer { connection.close() }
        return try await exchange(Authentication.Biometry(), on: connection)
    }

    private func converse(
        _ challenge: String, by asker: any Asker, on connection: AsyncVarlinkConnection,
        announcing announcement: String?
    ) async -> Result<Void, KeychainError> {
        var announcement = announcement
        do throws(KeychainError) {
            var life = ConversationLife(path: paths.authenticator)
            var step = try life.heard(try await exchange(Authentication.Begin(challenge: challenge), on: connection))
            while true {
                let answer: String?
                switch step {
                case .end: return .success(())
                case .tell(let message):
                    try await asker.tell(message, on: connection)
                    answer = nil
                case .ask(let message): answer = try await ask(message, by: asker, on: connection)
                }
                if let text = announcement.take() {
                    try await asker.tell(Authentication.Message(style: .info, text: text), on: connection)
                }
                step = try life.heard(try await exchange(Authentication.Continue(answer: answer), on: connection))
            }
        } catch { return .failure(error) }
    }

    private func ask(
        _ message: Authentication.Message, by asker: any Asker, on connection: AsyncVarlinkConnection
    ) async throws(KeychainError) -> String {
        if let answer = try await asker.ask(message, on: connection) { return answer }
        if Task.isCancelled { throw .cancelledByTask }
        throw ConversationLife.end(after: await lastAnswer(on: connection), path: paths.authenticator)
    }

    /// No answer came: the authenticator ended the conversation meanwhile, or the person gave up.
    /// - Returns: what the authenticator said; nil if it still waits. It is then told that nobody answers.
    private func lastAnswer(
        on connection: AsyncVarlinkConnection
    ) async -> Result<VarlinkAnswer<Authentication.Step>, TransportFailure>? {
        let deadline = ContinuousClock.now + CallLimits.cancellation
        guard connection.hasAnswer else {
            // `try?`: the conversation also ends with the connection.
            _ = try? await connection.call(Authentication.Cancel(), until: deadline)
            return nil
        }
        do throws(TransportFailure) {
            return .success(try await connection.lastAnswer(Authentication.Step.self, until: deadline))
        } catch { return .failure(error) }
    }

    private func connect() async throws(KeychainError) -> AsyncVarlinkConnection {
        let connection: AsyncVarlinkConnection
        do {
            connection = try await AsyncVarlinkConnection.connect(
                path: paths.authenticator, until: .now + CallLimits.connect)
        } catch { throw failure(error as? TransportFailure ?? .unreachable("the call was cancelled")) }
        let peer: PeerCredentials
        do throws(TransportFailure) { peer = try connection.peer() } catch { throw failure(error) }
        do throws(KeychainError) { try paths.check(peer, caller: caller) } catch {
            connection.close()
            throw error
        }
        return connection
    }

    private func exchange<Method: VarlinkMethod>(
        _ method: Method, on connection: AsyncVarlinkConnection
    ) async throws(KeychainError) -> Method.Reply {
        let answer: VarlinkAnswer<Method.Reply>
        do {
            answer = try await connection.call(method, until: .now + CallLimits.authenticator)
        } catch let error as TransportFailure {
            throw failure(error)
        } catch { throw .cancelledByTask }
        switch answer {
        case .reply(let reply, _): return reply
        case .fault(let fault): throw KeychainError(authenticatorFault: fault)
        }
    }

    private func failure(_ failure: TransportFailure) -> KeychainError {
        KeychainError(authenticator: failure, path: paths.authenticator)
    }
}
