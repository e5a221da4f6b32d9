import Cryptography
import HTTP
import Platform
import Synchronization

/// How long somebody waits for a server that is busy.
package struct RemotePatience: Sendable {
    /// How often a request is made again.
    var tries: Int
    /// Tells the person what is waited for.
    var tell: @Sendable (String) -> Void

    /// A command that a person waits for.
    package static func foreground(_ tell: @escaping @Sendable (String) -> Void) -> RemotePatience {
        RemotePatience(tries: RemoteLimits.tries, tell: tell)
    }

    /// A service, which comes back later by itself.
    package static let none = RemotePatience(tries: 0) { _ in }
}

/// Asks one server. It has what opens the place, and what opened it before that was changed.
package final class RemoteConnection: Sendable {
    private struct State: ~Copyable {
        var client: HTTPClient?
        /// Which of the keys is used.
        var used = 0
        /// What the program has given.
        var given: GivenKeys?
    }

    /// How people call the place.
    let name: String
    private let scheme: HTTPCredentials.Scheme
    private let access: StoreAccess
    private let patience: RemotePatience
    private let limits: HTTPLimits
    private let state = Mutex(State())

    package init(
        _ name: String, _ scheme: HTTPCredentials.Scheme, _ access: StoreAccess, patience: RemotePatience,
        limits: HTTPLimits = HTTPLimits()
    ) {
        (self.name, self.scheme, self.access, self.patience, self.limits) = (name, scheme, access, patience, limits)
    }

    /// Whether the former keys have opened the place, because the present ones do not.
    package var usesFormer: Bool { state.withLock { $0.used > 0 } }

    /// - Parameter good: the statuses that are no failure.
    func send(_ request: HTTPRequest, good: Set<Int>) throws(StoreError) -> HTTPAnswer {
        var tried = 0
        // A program is asked once for a request.
        var wasGiven = false
        while true {
            let failure: RemoteFailure
            switch once(request, &wasGiven) {
            case .success(let answer):
                if good.contains(answer.status) { return answer }
                // A password has no time in it, so no clock is the reason if it is refused.
                failure = RemoteFailure(answer, now: scheme == .basic ? nil : WallTime.now.seconds)
            case .failure(let error): failure = error
            }
            if usesOther(failure, wasGiven: wasGiven) { continue }
            guard failure.isPassing, tried < patience.tries else {
                throw StoreError(failure.code, at: name, remote: failure)
            }
            let pause = RemoteLimits.pause(after: tried, wanted: failure.retryAfter, spread: .random(in: 0..<1))
            tried += 1
            patience.tell(
                "\(name) does not answer as it should (\(failure.reason)); trying again in "
                    + "\(max(1, pause.components.seconds)) s")
            // `try?`: what is not waited for is tried sooner.
            _ = try? Readiness.wait(for: [], until: .now + pause)
        }
    }

    /// Goes on with other keys once these are refused. They may be wrong, or not in force yet: then the former ones are used.
    /// Those of a program may have ended: then it is asked again.
    private func usesOther(_ failure: RemoteFailure, wasGiven: Bool) -> Bool {
        guard [401, 403].contains(failure.status) || failure.code == .refused, failure.code != .clock else {
            return false
        }
        return state.withLock { state in
            switch access {
            case .keys(let keys):
                // After the last ones, the next request begins with the present ones.
                state.used = state.used + 1 < keys.count ? state.used + 1 : 0
                return state.used > 0
            case .program:
                state.given = nil
                return !wasGiven
            }
        }
    }

    /// - Parameter wasGiven: becomes true if the program was asked.
    private func once(_ request: HTTPRequest, _ wasGiven: inout Bool) -> Result<HTTPAnswer, RemoteFailure> {
        state.withLock { state in
            Result { () throws(RemoteFailure) in
                let credentials = try credentials(&state, &wasGiven)
                do throws(HTTPError) {
                    var client: HTTPClient
                    if let kept = state.client.take() { client = kept } else { client = try HTTPClient(limits: limits) }
                    // A connection that failed is not used again.
                    let answer = try client.send(request, as: credentials)
                    state.client = consume client
                    return answer
                } catch { throw RemoteFailure(http: error) }
            }
        }
    }

    private func credentials(
        _ state: inout State, _ wasGiven: inout Bool
    ) throws(RemoteFailure) -> HTTPCredentials? {
        let keys: RemoteKeys
        switch access {
        case .keys(let known):
            guard !known.isEmpty else { return nil }
            keys = known[state.used]
        case .program(let program):
            if let given = state.given, !given.isOver(at: WallTime.now.seconds) {
                keys = given.keys
            } else {
                wasGiven = true
                do throws(CredentialsFailure) {
                    let given = try program.keys { WallTime.now.seconds }
                    (state.given, keys) = (given, given.keys)
                } catch { throw RemoteFailure(program: error) }
            }
        }
        // A password has none that a server would look at.
        guard keys.token == nil || scheme != .basic else { throw RemoteFailure(program: .notUnderstood) }
        return HTTPCredentials(scheme, name: keys.name, secret: keys.secret, token: keys.token)
    }
}

/// What a store on a server may take.
enum RemoteLimits {
    /// How often a command that a person waits for asks again.
    static let tries = 3
    /// The first pause, at most. It doubles each time.
    static let pause: Duration = .seconds(1)
    static let longest: Duration = .seconds(30)
    /// A listing is read anew after so long, even if nothing seems to be new.
    static let listing: Duration = .seconds(3600)
    /// The bytes of one page of a list.
    static let page = 8 << 20
    /// The bytes of an answer that nobody reads.
    static let reply = 1 << 16
    /// Entries of one page, as S3 has them.
    static let entries = 1000
    /// The bytes of a key, as S3 has them (Amazon S3 User Guide, “Naming Amazon S3 objects”).
    static let key = 1024
    /// The bytes of an entry in a list of WebDAV, on average. A list with longer ones costs as much as one with more.
    static let entry = 4096

    /// - Parameters:
    ///   - tries: how many there were.
    ///   - wanted: how many seconds the server wants.
    ///   - spread: random, from 0 to 1: many machines do not come back at the same moment.
    static func pause(after tries: Int, wanted: Int64?, spread: Double) -> Duration {
        let own = min(pause * (1 << min(tries, 10)), longest) * (0.5 + spread / 2)
        guard let wanted else { return own }
        return min(max(own, .seconds(wanted)), longest)
    }
}
