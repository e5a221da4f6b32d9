import BrokerProtocol
import Platform
import Varlink

/// The authenticator as a client sees it: one connection a conversation.
package struct Authenticator: Sendable {
    package let paths: SocketPaths
    /// The caller's own uid.
    package let caller: UInt32
    /// Longer than any limit that the authenticator sets a person: only against one that hangs.
    private let patience: Duration = .seconds(600)

    package init(paths: SocketPaths, caller: UInt32) {
        self.paths = paths
        self.caller = caller
    }

    /// Has a person pass the challenge.
    package func pass(_ challenge: String, by prompter: inout any Prompter) throws(KeychainError) {
        try converse(Authentication.Begin(challenge: challenge), by: &prompter)
    }

    /// Has a person asked once, for an answer that is used again.
    package func authorize(seconds: Int, by prompter: inout any Prompter) throws(KeychainError) {
        try converse(Authentication.Authorize(seconds: Int64(seconds)), by: &prompter)
    }

    /// Ends all that can be used again.
    /// - Returns: at how many terminals something was.
    package func forget() throws(KeychainError) -> Int {
        var connection = try connect()
        try check(connection)
        return Int(clamping: try exchange(Authentication.Forget(), on: &connection).ended)
    }

    /// Makes another signing key. For root.
    /// - Returns: how many keychains are under a former one.
    package func renewSigningKey() throws(KeychainError) -> Int {
        var connection = try connect()
        try check(connection)
        return Int(clamping: try exchange(Authentication.RenewSigningKey(), on: &connection).former)
    }

    private func converse<Method: VarlinkMethod>(
        _ beginning: Method, by prompter: inout any Prompter
    ) throws(KeychainError) where Method.Reply == Authentication.Step {
        var connection = try connect()
        try check(connection)
        var step = try exchange(beginning, on: &connection)
        while !step.done {
            guard let message = step.message else {
                throw KeychainError(
                    authenticator: .notUnderstood("it asks nothing and is not done"), path: paths.authenticator)
            }
            let answer = try reply(to: message, by: &prompter, on: &connection)
            step = try exchange(Authentication.Continue(answer: answer), on: &connection)
        }
    }

    /// Whether the caller can be asked for a finger, and which fingers are enrolled. Asks nobody.
    /// - Returns: the answer, and who gave it.
    package func biometry() throws(KeychainError) -> (answer: Authentication.Biometry.Reply, uid: UInt32) {
        var connection = try connect()
        let peer = try check(connection)
        return (try exchange(Authentication.Biometry(), on: &connection), peer.uid)
    }

    private func connect() throws(KeychainError) -> VarlinkConnection {
        do throws(TransportFailure) {
            return try VarlinkConnection(path: paths.authenticator, until: .now + .seconds(10))
        } catch {
            throw KeychainError(authenticator: error, path: paths.authenticator)
        }
    }

    /// Before anything is asked: a password typed here goes to whoever listens.
    /// - Returns: who that is, by the kernel's word.
    @discardableResult
    private func check(_ connection: borrowing VarlinkConnection) throws(KeychainError) -> PeerCredentials {
        let peer: PeerCredentials
        do throws(TransportFailure) {
            peer = try connection.peer()
        } catch {
            throw KeychainError(authenticator: error, path: paths.authenticator)
        }
        guard paths.trustsAuthenticator(run: peer.uid, caller: caller) else {
            throw KeychainError(
                .authenticatorUntrusted,
                "\(paths.authenticator) is served by uid \(peer.uid), not by root, so no password was asked for",
                advice: "find out whose process \(peer.pid) is")
        }
        return peer
    }

    /// - Returns: nil for a message that takes no answer.
    private func reply(
        to message: Authentication.Message, by prompter: inout any Prompter, on connection: inout VarlinkConnection
    ) throws(KeychainError) -> String? {
        switch message.style {
        case .info, .error:
            try prompter.tell(message)
            return nil
        case .secret, .visible:
            if let answer = try prompter.ask(message, hangUp: connection.number) { return answer }
            throw lastError(on: &connection)
        }
    }

    /// No answer came: the authenticator ended the conversation meanwhile, or the person gave up.
    private func lastError(on connection: inout VarlinkConnection) -> KeychainError {
        do throws(TransportFailure) {
            if case .fault(let fault) = try connection.receive(
                Authentication.Step.self, until: .now + .milliseconds(20))
            {
                return KeychainError(authenticatorFault: fault)
            }
        } catch .deadline {
            let deadline = ContinuousClock.now + .seconds(2)
            // It still waits, so it was the person. Whether it hears of that or not, the conversation ends with this process.
            try? connection.send(Authentication.Cancel(), until: deadline)
            _ = try? connection.receive(Nothing.self, until: deadline)
            return .cancelledByPerson
        } catch {
            return KeychainError(authenticator: error, path: paths.authenticator)
        }
        return KeychainError(authenticator: .notUnderstood("it answered what was not asked"), path: paths.authenticator)
    }

    private func exchange<Method: VarlinkMethod>(
        _ method: Method, on connection: inout VarlinkConnection
    ) throws(KeychainError) -> Method.Reply {
        let deadline = ContinuousClock.now + patience
        do throws(TransportFailure) {
            try connection.send(method, until: deadline)
        } catch {
            throw lastWord(on: &connection) ?? KeychainError(authenticator: error, path: paths.authenticator)
        }
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

    /// Why the authenticator hung up, where it said so before it did.
    private func lastWord(on connection: inout VarlinkConnection) -> KeychainError? {
        // Where nothing can be read, the broken connection is all there is to tell.
        guard case .fault(let fault)? = try? connection.receive(Nothing.self, until: .now + .milliseconds(20)) else {
            return nil
        }
        return KeychainError(authenticatorFault: fault)
    }
}
