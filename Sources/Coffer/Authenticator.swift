import BrokerProtocol
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
    package func pass(_ challenge: String, by prompter: inout any Prompter) throws(KeychainError) {
        if let agent = prompter.delegate { return try agent.pass(challenge, self, AgentStop()) }
        try converse(Authentication.Begin(challenge: challenge), by: &prompter)
    }

    /// Has the authenticator ask a person to pass the challenge, until another thread ends it.
    /// - Throws: `.cancelled` if that has happened already.
    func pass(
        _ challenge: String, by prompter: inout any Prompter, until stop: AgentStop
    ) throws(KeychainError) {
        var connection = try open()
        // Its end closes the prompt, too.
        try stop.watch(connection)
        try converse(Authentication.Begin(challenge: challenge), by: &prompter, on: &connection, for: nil)
    }

    /// Holds a conversation on a connection that another process has made, for that process.
    /// - Parameter client: a connection to that process. The conversation ends when the process closes it.
    package func pass(
        _ challenge: String, on connection: inout VarlinkConnection, for client: Int32, by prompter: inout any Prompter
    ) throws(KeychainError) {
        guard try isAuthenticator(connection) else {
            throw KeychainError(.authenticatorUntrusted, "the connection does not lead to the authenticator")
        }
        try converse(Authentication.Begin(challenge: challenge), by: &prompter, on: &connection, for: client)
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
        try converse(beginning, by: &prompter, on: &connection, for: nil)
    }

    private func converse<Method: VarlinkMethod>(
        _ beginning: Method, by prompter: inout any Prompter, on connection: inout VarlinkConnection, for client: Int32?
    ) throws(KeychainError) where Method.Reply == Authentication.Step {
        var step = try exchange(beginning, on: &connection, for: client)
        var number: Int64 = 1
        while !step.done {
            // The client has the connection, too. It can take a message away, but not put one in.
            guard client == nil || step.step == number else {
                throw KeychainError(
                    .authenticatorUntrusted, "somebody else has taken part in the conversation",
                    advice: "run the command again")
            }
            number += 1
            guard let message = step.message else {
                throw KeychainError(
                    authenticator: .notUnderstood("it neither asks anything nor is done"), path: paths.authenticator)
            }
            let answer = try reply(to: message, by: &prompter, on: &connection, for: client)
            step = try exchange(Authentication.Continue(answer: answer), on: &connection, for: client)
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

    /// Checks who serves the socket before anything is asked, because that process gets the password typed here.
    /// - Returns: the process that serves the socket, as the kernel names it.
    @discardableResult
    private func check(_ connection: borrowing VarlinkConnection) throws(KeychainError) -> PeerCredentials {
        let peer: PeerCredentials
        do throws(TransportFailure) {
            peer = try connection.peer()
        } catch {
            throw KeychainError(authenticator: error, path: paths.authenticator)
        }
        guard paths.trustsAuthenticator(run: peer.uid, caller: caller) else {
            throw .untrustedAuthenticator(paths.authenticator, peer)
        }
        return peer
    }

    /// - Returns: nil for a message that takes no answer.
    private func reply(
        to message: Authentication.Message, by prompter: inout any Prompter, on connection: inout VarlinkConnection,
        for client: Int32?
    ) throws(KeychainError) -> String? {
        switch message.style {
        case .info, .error:
            try prompter.tell(message)
            return nil
        case .secret, .visible:
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
            throw lastError(on: &connection)
        }
    }

    /// No answer came: the authenticator ended the conversation meanwhile, or the person gave up.
    private func lastError(on connection: inout VarlinkConnection) -> KeychainError {
        do throws(TransportFailure) {
            if case .fault(let fault) = try connection.receive(
                Authentication.Step.self, until: .now + CallLimits.lastWord)
            {
                return KeychainError(authenticatorFault: fault)
            }
        } catch .deadline {
            let deadline = ContinuousClock.now + CallLimits.cancellation
            // The authenticator still waits, so the person gave up. If this call fails, the conversation ends with this process.
            try? connection.send(Authentication.Cancel(), until: deadline)
            _ = try? connection.receive(Nothing.self, until: deadline)
            return .cancelledByPerson
        } catch {
            return KeychainError(authenticator: error, path: paths.authenticator)
        }
        return KeychainError(authenticator: .notUnderstood("its answer fits no question"), path: paths.authenticator)
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
        if let client { try wait(for: connection, unless: client, until: deadline) }
        let answer: VarlinkAnswer<Method.Reply>
        do throws(TransportFailure) {
            answer = try connection.receive(Method.Reply.self, until: deadline)
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
