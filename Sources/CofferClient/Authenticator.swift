import BrokerProtocol
import JSON
import Platform
import Varlink

/// The client's access to the authenticator. Each conversation has a connection of its own.
package struct Authenticator: Sendable {
    package let paths: SocketPaths
    /// The caller's own uid.
    package let caller: UInt32
    /// Guards against an authenticator that hangs. It is longer than any time limit that the authenticator sets for a person.
    private let patience = CallLimits.authenticator

    package init(paths: SocketPaths, caller: UInt32) {
        self.paths = paths
        self.caller = caller
    }

    /// Has the authenticator ask a person to pass the challenge.
    /// - Parameters:
    ///   - code: what the person has typed to add a machine. No agent takes one.
    ///   - purposes: what the challenge may be for; nil if the person reads that.
    package func pass(
        _ challenge: String, code: TypedCode? = nil, for purposes: [BrokerProtocol.Keychain.Purpose]? = nil,
        by prompter: inout any Prompter
    ) throws(KeychainError) {
        if let agent = prompter.delegate {
            guard code == nil else {
                throw KeychainError(
                    .authenticationNeeded, "an agent cannot take the code of another machine",
                    advice: "run the command in a terminal")
            }
            return try agent.pass(challenge, self, AgentStop())
        }
        let beginning = Authentication.Begin(
            challenge: challenge, code: code?.text, attested: code?.isAttested == true ? true : nil,
            purposes: purposes?.map(\.rawValue))
        try converse(beginning, by: &prompter)
    }

    /// Has the authenticator ask a person to pass the challenge, until another thread ends it.
    /// - Throws: `.cancelled` if that has happened already.
    func pass(
        _ challenge: String, by prompter: inout any Prompter, until stop: AgentStop
    ) throws(KeychainError) {
        var connection = try open()
        // Its end closes the prompt, too.
        try stop.watch(connection)
        try converse(Authentication.Begin(challenge: challenge), by: &prompter, on: &connection)
    }

    /// Holds a conversation for another process, which has made the connection. The process can still have a copy of it, and take messages away before
    /// they are read, whole or in part. So it only begins the conversation. The rest goes over a connection that this process makes: nobody else has it.
    /// - Parameters:
    ///   - client: a connection to that process. The conversation ends when the process closes it.
    ///   - begun: called as soon as the authenticator has begun the conversation. What comes before can be that process's doing.
    package func pass(
        _ challenge: String, on connection: inout VarlinkConnection, for client: Int32, by prompter: inout any Prompter,
        begun: () -> Void
    ) throws(KeychainError) {
        guard try isAuthenticator(connection) else {
            throw KeychainError(.authenticatorUntrusted, "the connection does not lead to the authenticator")
        }
        let deadline = ContinuousClock.now + patience
        var channel = try privateChannel(for: challenge, over: &connection, until: deadline)
        let step: Authentication.Step
        do throws(KeychainError) {
            step = try answer(Authentication.Step.self, on: &channel, for: client, until: deadline)
        } catch { throw refusal(on: &connection, else: error) }
        begun()
        try converse(from: step, by: &prompter, on: &channel, for: client)
    }

    /// Begins the conversation about a challenge.
    /// - Returns: the connection over which it goes on.
    private func privateChannel(
        for challenge: String, over connection: inout VarlinkConnection, until deadline: ContinuousClock.Instant
    ) throws(KeychainError) -> VarlinkConnection {
        var other: Descriptor?
        let own: UnixSocket
        do throws(SystemError) { own = try UnixSocket(pairedWith: &other) } catch {
            throw KeychainError(.failed, error.description)
        }
        guard let other = consume other else { throw KeychainError(.failed, "there is no connection to pass on") }
        do throws(TransportFailure) {
            try connection.send(
                Authentication.Begin(challenge: challenge, channel: 0), passing: other.number, until: deadline)
        } catch {
            throw refusal(on: &connection, else: KeychainError(authenticator: error, path: paths.authenticator))
        }
        return VarlinkConnection(adopting: own)
    }

    /// Why the authenticator has closed a connection without taking a call. The client can have changed what is read here, so none of it is shown.
    /// The authenticator runs, because it has taken the connection. Mostly the client has said something on it before.
    private func refusal(on connection: inout VarlinkConnection, else error: KeychainError) -> KeychainError {
        guard error.code == .authenticatorUnreachable else { return error }
        // `try?`: without a reason, the end is told.
        guard case .fault(let fault)? = try? connection.receive(Nothing.self, until: .now + CallLimits.lastWord),
            fault.name == .authenticationLimitExceeded
        else {
            return KeychainError(
                .authenticatorUnreachable, "the connection to the authenticator ended before anything was asked",
                advice: "run the command again")
        }
        return KeychainError(
            .limitExceeded, "too many requests are waiting for your answer", advice: "answer or cancel one of them")
    }

    /// Whether a connection leads to the authenticator's socket, and to a process that may serve it.
    package func isAuthenticator(_ connection: borrowing VarlinkConnection) throws(KeychainError) -> Bool {
        do throws(TransportFailure) {
            guard try connection.peerPath() == paths.authenticator else { return false }
            return paths.trustsAuthenticator(run: try connection.peer().uid, caller: caller)
        } catch {
            throw KeychainError(authenticator: error, path: paths.authenticator)
        }
    }

    /// A connection on which nothing was said yet, to a process that may serve the socket.
    func open() throws(KeychainError) -> VarlinkConnection {
        let connection = try connect()
        try check(connection)
        return connection
    }

    /// Has the authenticator ask a person once, for an answer that can be used again.
    package func authorize(seconds: Int, by prompter: inout any Prompter) throws(KeychainError) {
        try converse(Authentication.Authorize(seconds: Int64(seconds)), by: &prompter)
    }

    /// A challenge for a machine that is to prove itself before it is added. Nobody is asked.
    /// - Parameters:
    ///   - request: as it lies in the store, base64, as the identity of the machine's TPM does.
    /// - Returns: for the store, base64.
    package func challenge(
        code: String, request: String, identity: String
    ) throws(KeychainError) -> String {
        var connection = try open()
        return try exchange(
            Authentication.Challenge(code: code, request: request, identity: identity), on: &connection
        ).challenge
    }

    /// Ends the reuse of all earlier answers, and all leases.
    /// - Returns: the number of terminals in which an answer could be used again, and of leases.
    package func forget() throws(KeychainError) -> (terminals: Int, leases: Int) {
        var connection = try connect()
        try check(connection)
        let reply = try exchange(Authentication.Forget(), on: &connection)
        return (Int(clamping: reply.ended), Int(clamping: reply.leases))
    }

    /// Makes a new signing key. Only root may call this.
    /// - Returns: the number of vaults under a former key.
    package func renewSigningKey() throws(KeychainError) -> Int {
        var connection = try connect()
        try check(connection)
        return Int(clamping: try exchange(Authentication.RenewSigningKey(), on: &connection).former)
    }

    /// Completes the setting aside of a vault. Only root may call this.
    package func setAside(_ owner: String, stamp: String) throws(KeychainError) -> Authentication.SetAside.Reply {
        var connection = try connect()
        try check(connection)
        return try exchange(Authentication.SetAside(owner: owner, stamp: stamp), on: &connection)
    }

    private func converse<Method: VarlinkMethod>(
        _ beginning: Method, by prompter: inout any Prompter
    ) throws(KeychainError) where Method.Reply == Authentication.Step {
        var connection = try open()
        try converse(beginning, by: &prompter, on: &connection)
    }

    private func converse<Method: VarlinkMethod>(
        _ beginning: Method, by prompter: inout any Prompter, on connection: inout VarlinkConnection
    ) throws(KeychainError) where Method.Reply == Authentication.Step {
        try converse(from: try exchange(beginning, on: &connection), by: &prompter, on: &connection, for: nil)
    }

    private func converse(
        from first: Authentication.Step, by prompter: inout any Prompter, on connection: inout VarlinkConnection,
        for client: Int32?
    ) throws(KeychainError) {
        var life = ConversationLife(path: paths.authenticator, isHandedOver: client != nil)
        var step = try life.heard(first)
        while true {
            let answer: String?
            switch step {
            case .end: return
            case .tell(let message):
                try prompter.tell(message)
                answer = nil
            case .ask(let message): answer = try ask(message, by: &prompter, on: &connection, for: client)
            }
            step = try life.heard(try exchange(Authentication.Continue(answer: answer), on: &connection, for: client))
        }
    }

    /// Whether the caller can be asked for a finger, and which fingers are enrolled. Nobody is asked.
    /// - Returns: the answer, and the uid of the authenticator.
    package func biometry() throws(KeychainError) -> (answer: Authentication.Biometry.Reply, uid: UInt32) {
        var connection = try connect()
        let peer = try check(connection)
        return (try exchange(Authentication.Biometry(), on: &connection), peer.uid)
    }

    private func connect() throws(KeychainError) -> VarlinkConnection {
        do throws(TransportFailure) {
            return try VarlinkConnection(path: paths.authenticator, until: .now + CallLimits.connect)
        } catch {
            throw KeychainError(authenticator: error, path: paths.authenticator)
        }
    }

    /// - Returns: the process that serves the socket, as the kernel names it.
    @discardableResult
    private func check(_ connection: borrowing VarlinkConnection) throws(KeychainError) -> PeerCredentials {
        let peer: PeerCredentials
        do throws(TransportFailure) {
            peer = try connection.peer()
        } catch {
            throw KeychainError(authenticator: error, path: paths.authenticator)
        }
        try paths.check(peer, caller: caller)
        return peer
    }

    private func ask(
        _ message: Authentication.Message, by prompter: inout any Prompter, on connection: inout VarlinkConnection,
        for client: Int32?
    ) throws(KeychainError) -> String {
        let answer: String?
        if let client {
            let group: PollGroup
            do throws(SystemError) { group = try PollGroup([connection.number, client]) } catch {
                throw KeychainError(.failed, error.description)
            }
            answer = try prompter.ask(message, hangUp: group.number)
        } else {
            answer = try prompter.ask(message, hangUp: connection.number)
        }
        if let answer { return answer }
        throw ConversationLife.end(after: lastAnswer(on: &connection), path: paths.authenticator)
    }

    /// No answer came: the authenticator ended the conversation meanwhile, or the person gave up.
    /// - Returns: what the authenticator said; nil if it still waits. It is then told that nobody answers.
    private func lastAnswer(
        on connection: inout VarlinkConnection
    ) -> Result<VarlinkAnswer<Authentication.Step>, TransportFailure>? {
        do throws(TransportFailure) {
            return .success(try connection.receive(Authentication.Step.self, until: .now + CallLimits.lastWord))
        } catch .deadline {
            let deadline = ContinuousClock.now + CallLimits.cancellation
            // `try?`: if this call fails, the conversation ends with this process.
            try? connection.send(Authentication.Cancel(), until: deadline)
            _ = try? connection.receive(Nothing.self, until: deadline)
            return nil
        } catch { return .failure(error) }
    }

    private func exchange<Method: VarlinkMethod>(
        _ method: Method, on connection: inout VarlinkConnection, for client: Int32? = nil
    ) throws(KeychainError) -> Method.Reply {
        let deadline = ContinuousClock.now + patience
        do throws(TransportFailure) {
            try connection.send(method, until: deadline)
        } catch {
            throw lastWord(on: &connection) ?? KeychainError(authenticator: error, path: paths.authenticator)
        }
        return try answer(Method.Reply.self, on: &connection, for: client, until: deadline)
    }

    private func answer<Reply: JSONValue>(
        _ type: Reply.Type, on connection: inout VarlinkConnection, for client: Int32?,
        until deadline: ContinuousClock.Instant
    ) throws(KeychainError) -> Reply {
        if let client { try wait(for: connection, unless: client, until: deadline) }
        let answer: VarlinkAnswer<Reply>
        do throws(TransportFailure) {
            answer = try connection.receive(type, until: deadline)
        } catch {
            throw KeychainError(authenticator: error, path: paths.authenticator)
        }
        switch answer {
        case .reply(let reply, _): return reply
        case .fault(let fault): throw KeychainError(authenticatorFault: fault)
        }
    }

    /// Waits for an answer while the client still wants it. A module may wait for a finger meanwhile.
    private func wait(
        for connection: borrowing VarlinkConnection, unless client: Int32, until deadline: ContinuousClock.Instant
    ) throws(KeychainError) {
        let ready: [Bool]
        do throws(SystemError) {
            ready = try Readiness.wait(for: [(connection.number, .input), (client, .hangUp)], until: deadline)
        } catch { throw KeychainError(.failed, error.description) }
        if ready[1], !ready[0] { throw .cancelledByTask }
    }

    /// The reason that the authenticator gave before it closed the connection, if it gave one.
    private func lastWord(on connection: inout VarlinkConnection) -> KeychainError? {
        // `try?`: if nothing can be read, the caller reports the broken connection.
        guard case .fault(let fault)? = try? connection.receive(Nothing.self, until: .now + CallLimits.lastWord) else {
            return nil
        }
        return KeychainError(authenticatorFault: fault)
    }
}
