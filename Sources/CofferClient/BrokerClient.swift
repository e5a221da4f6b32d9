import BrokerProtocol
import JSON
import Platform
import Varlink

/// The client's access to the broker. Calls that follow each other share a connection.
package struct BrokerClient: Sendable {
    package let path: String
    /// How long a call may take. A call waits for a TPM, but never for a person.
    package let patience: Duration
    /// How long the broker may leave a call unread before `whenWaiting` is called.
    private let notice: Duration
    /// Called if the broker does not take a call, for example because it cannot start: the service manager listens for it.
    private let whenWaiting: (@Sendable () -> Void)?
    private let kept = KeptConnection()

    package init(
        path: String, patience: Duration = CallLimits.broker, notice: Duration = CallLimits.notice,
        whenWaiting: (@Sendable () -> Void)? = nil
    ) {
        self.path = path
        self.patience = patience
        self.notice = notice
        self.whenWaiting = whenWaiting
    }

    package func call<Method: VarlinkMethod>(_ method: Method) throws(KeychainError) -> VarlinkAnswer<Method.Reply> {
        guard let answer = try exchange(method, more: nil).last else {
            throw KeychainError(broker: .notUnderstood("there was no answer"), path: path)
        }
        return answer
    }

    /// Makes a call that is answered by several replies.
    package func stream<Method: VarlinkMethod>(_ method: Method) throws(KeychainError) -> [Method.Reply] {
        var answers: [Method.Reply] = []
        for reply in try exchange(method, more: true) {
            switch reply {
            case .reply(let reply, _): answers.append(reply)
            case .fault(let fault): throw KeychainError(brokerFault: fault)
            }
        }
        return answers
    }

    private func exchange<Method: VarlinkMethod>(
        _ method: Method, more: Bool?
    ) throws(KeychainError) -> [VarlinkAnswer<Method.Reply>] {
        do throws(TransportFailure) {
            let isLong = CallLimits.carrying.contains(Method.name)
            let deadline = ContinuousClock.now + (isLong ? max(patience, CallLimits.circle) : patience)
            var replies: [VarlinkAnswer<Method.Reply>] = []
            let moment = whenWaiting == nil ? deadline : min(deadline, .now + notice)
            var connection: VarlinkConnection
            if let free = kept.take() { connection = free } else { connection = try connect(moment, deadline) }
            // A broker that refuses a connection at once says why, and may close it before the call is sent.
            var unsent: TransportFailure?
            do throws(TransportFailure) { try connection.send(method, more: more, until: deadline) } catch {
                unsent = error
            }
            while true {
                let reply: VarlinkAnswer<Method.Reply>
                do throws(TransportFailure) {
                    reply = try receive(on: &connection, replies.isEmpty ? moment : deadline, deadline)
                } catch { throw unsent ?? error }
                replies.append(reply)
                guard case .reply(_, continues: true) = reply else {
                    // The broker ends the connection after some errors, which may be noticed only by the next call.
                    if unsent == nil, !reply.mayEndConnection { kept.keep(connection) }
                    return replies
                }
                guard more == true else { throw .notUnderstood("one answer was requested, but several came") }
            }
        } catch {
            throw KeychainError(broker: error, path: path)
        }
    }

    /// A full queue is waited for, too.
    private func connect(
        _ moment: ContinuousClock.Instant, _ deadline: ContinuousClock.Instant
    ) throws(TransportFailure) -> VarlinkConnection {
        do throws(TransportFailure) { return try VarlinkConnection(path: path, until: moment) } catch {
            guard case .deadline = error, moment < deadline else { throw error }
            whenWaiting?()
            return try VarlinkConnection(path: path, until: deadline)
        }
    }

    private func receive<Reply: JSONValue>(
        on connection: inout VarlinkConnection, _ moment: ContinuousClock.Instant, _ deadline: ContinuousClock.Instant
    ) throws(TransportFailure) -> VarlinkAnswer<Reply> {
        do throws(TransportFailure) { return try connection.receive(Reply.self, until: moment) } catch {
            guard case .deadline = error, moment < deadline else { throw error }
            if connection.isUnread { whenWaiting?() }
            return try connection.receive(Reply.self, until: deadline)
        }
    }
}
