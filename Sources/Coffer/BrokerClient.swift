import BrokerProtocol
import Platform
import Varlink

/// The client's access to the broker. Each call has a connection of its own.
package struct BrokerClient: Sendable {
    package let path: String
    /// How long a call may take. A call waits for a TPM, but never for a person.
    package let patience: Duration

    package init(path: String, patience: Duration = CallLimits.broker) {
        self.path = path
        self.patience = patience
    }

    /// The result of a call.
    package enum Outcome<Answer: Sendable>: Sendable {
        case answer(Answer)
        /// A person has to pass this challenge first.
        /// - leased: a lease covers the request, so the authenticator asks nobody.
        case personNeeded(challenge: String, purposes: [BrokerProtocol.Keychain.Purpose], leased: Bool)
    }

    package func call<Method: VarlinkMethod>(_ method: Method) throws(KeychainError) -> Outcome<Method.Reply> {
        switch try exchange(method, more: nil).last {
        case .reply(let reply, _): return .answer(reply)
        case .fault(let fault): return try Self.outcome(of: fault, about: (method as? any ItemNaming)?.shownName)
        case nil: throw KeychainError(broker: .notUnderstood("there was no answer"), path: path)
        }
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
            let deadline = ContinuousClock.now + patience
            var replies: [VarlinkAnswer<Method.Reply>] = []
            var connection = try VarlinkConnection(path: path, until: deadline)
            // A broker that refuses a connection at once says why, and may close it before the call is sent.
            var unsent: TransportFailure?
            do throws(TransportFailure) { try connection.send(method, more: more, until: deadline) } catch {
                unsent = error
            }
            while true {
                let reply: VarlinkAnswer<Method.Reply>
                do throws(TransportFailure) {
                    reply = try connection.receive(Method.Reply.self, until: deadline)
                } catch { throw unsent ?? error }
                replies.append(reply)
                guard case .reply(_, continues: true) = reply else { return replies }
                guard more == true else { throw .notUnderstood("one answer was requested, but several came") }
            }
        } catch {
            throw KeychainError(broker: error, path: path)
        }
    }

    private static func outcome<Answer>(of fault: Fault, about name: String?) throws(KeychainError) -> Outcome<Answer> {
        guard fault.name == .authenticationRequired, let challenge = fault.details.challenge else {
            throw KeychainError(brokerFault: fault, about: name)
        }
        let purposes = (fault.details.purposes ?? []).compactMap(BrokerProtocol.Keychain.Purpose.init(rawValue:))
        return .personNeeded(challenge: challenge, purposes: purposes, leased: fault.details.leased ?? false)
    }
}
