import BrokerProtocol
import Synchronization
import Varlink

/// One connection from the authenticator to the broker, and the challenge that it names. The methods are in
/// extensions, by topic.
struct AuthenticatorSession: Sendable {
    let core: BrokerCore
    let exchanges: OpenExchanges
    let caller: Caller

    static let refusal = Fault(
        .brokerChallengeRefused, "the challenge is unknown, used, too old, or another process's")

    /// Makes one call about a challenge that was described over this connection. If the call fails, or if the request
    /// never permits it, the challenge is over.
    /// - Throws: `ChallengeRefused` if there is no such challenge or the call does not come in its turn, and
    ///   `NotPermitted` if the challenge's request never permits the call.
    func conduct(
        _ call: PrivateCall, _ id: Challenge.ID, _ body: (Challenge) async throws(Fault) -> MethodAnswer
    ) async throws(Fault) -> MethodAnswer {
        let challenge = try permitted(call, id)
        do throws(Fault) { return try await body(challenge) } catch {
            core.challenges.end(id, OutcomeWord.of(error))
            throw error.forAuthenticator
        }
    }

    /// The challenge that was described over this connection. The call is counted (`PrivateCall`).
    func permitted(_ call: PrivateCall, _ id: Challenge.ID) throws(Fault) -> Challenge {
        do throws(ChallengeRefusal) { return try core.challenges.permit(call, id, connection: caller.connection) } catch
        {
            guard error == .anotherRequest else { throw Self.refusal }
            let refusal = Fault(.brokerNotPermitted, call.objection)
            core.challenges.end(id, OutcomeWord.of(refusal))
            throw refusal
        }
    }

    /// Takes a step in a challenge's life. Every refusal reads the same, so that guessing reveals nothing.
    func step<Value>(
        _ body: (ChallengeStore, UInt64) throws(ChallengeRefusal) -> Value
    ) throws(Fault) -> Value {
        do throws(ChallengeRefusal) { return try body(core.challenges, caller.connection) } catch {
            throw Self.refusal
        }
    }
}

extension Fault {
    /// The same error under the name that the private interface uses.
    var forAuthenticator: Fault {
        let names: [Name: Name] = [
            .challengeRefused: .brokerChallengeRefused, .tpm: .brokerTPM, .damaged: .brokerDamaged,
            .notPermitted: .brokerNotPermitted,
            .invalidArgument: .brokerInvalidArgument, .failed: .brokerFailed, .locked: .brokerFailed,
            .notFound: .brokerFailed,
            .limitExceeded: .brokerFailed, .alreadyExists: .brokerNotPermitted,
        ]
        return Fault(names[name] ?? name, details)
    }
}

/// The uses of the sealer that wait for a signature, by challenge and index. Each belongs to one connection of the
/// authenticator.
final class OpenExchanges: Sendable {
    private struct Key: Hashable {
        let challenge: Challenge.ID
        let index: Int
    }

    private struct Entry {
        let exchange: SigningExchange
        let connection: UInt64
    }

    private let entries = Mutex<[Key: Entry]>([:])

    func insert(_ exchange: SigningExchange, _ challenge: Challenge.ID, _ index: Int, connection: UInt64) {
        entries.withLock {
            $0[Key(challenge: challenge, index: index)] = Entry(exchange: exchange, connection: connection)
        }
    }

    /// Returns the exchange and forgets it.
    func take(_ challenge: Challenge.ID, _ index: Int, connection: UInt64) -> SigningExchange? {
        entries.withLock { entries in
            let key = Key(challenge: challenge, index: index)
            guard entries[key]?.connection == connection else { return nil }
            return entries.removeValue(forKey: key)?.exchange
        }
    }

    func cancelAll(of connection: UInt64) {
        let ended = entries.withLock { entries in
            let ended = entries.filter { $0.value.connection == connection }
            for key in ended.keys { entries[key] = nil }
            return ended.values.map(\.exchange)
        }
        for exchange in ended { exchange.cancel() }
    }
}
