import BrokerProtocol
import Cryptography
import PAM
import Platform
import Varlink

/// The client's side of one conversation: shows messages, takes answers, and notices everything that may end it.
struct ClientSession: ~Copyable {
    /// How a client begins.
    enum Request {
        /// - code: of a machine that is added, as the person typed it.
        /// - attested: whether that machine must have proved where its keys are.
        /// - purposes: what the challenge may be for; nil if the person is shown that.
        case challenge(String, code: SecretBytes?, attested: Bool, purposes: [String]?)
        /// Ask now, and then not again for this many seconds.
        case authorize(seconds: Int64)
        /// End the reuse of earlier answers.
        case forget
        /// Make a new signing key for the authenticator.
        case renewSigningKey
        /// Move the record of a vault aside.
        case setAside(BrokerProtocol.Authentication.SetAside)
    }

    /// The event that ended a wait.
    enum Wake {
        case call(ClientChannel.Call)
        case event(Exchange.Event)
        /// The given moment has come.
        case time
    }

    var channel: ClientChannel
    let signals: SignalDescriptor
    /// When the conversation ends in any case.
    private(set) var deadline: ContinuousClock.Instant
    /// The descriptor of the broker's connection; nil until there is one.
    private var broker: Int32?
    /// The client still waits for the answer to Begin or Continue.
    private var owesStep = false
    private var owesCancel = false
    /// How many calls the client has made that do not belong to its conversation.
    private var asides = 0
    /// How many messages the client was shown.
    private var steps: Int64 = 0
    /// What PAM's services that accepted the person did with them, for the log.
    private(set) var contacts: [String] = []
    /// Whether an answer was judged, or a finger recognised. Both happen seldom.
    private(set) var hasAnswered = false
    /// Shown for as long as the conversation lasts.
    private var notification: DesktopNotification?

    /// - Parameter patience: how long a client may take to begin.
    init(channel: consuming ClientChannel, signals: consuming SignalDescriptor, patience: Duration) {
        self.channel = channel
        self.signals = signals
        deadline = .now + patience
    }

    /// Waits for the client to begin. The person's time limit starts then.
    /// - Parameters:
    ///   - biometry: answers a client that only wants to know whether a finger could be asked for.
    ///   - proof: answers a client that wants a challenge for another machine.
    mutating func begin(
        limit: Duration, biometry: () -> BrokerProtocol.Authentication.Biometry.Reply, proof: MachineProof.Maker
    ) throws(ConversationError) -> Request {
        while true {
            switch try wait() {
            case .call(.begin(let challenge, let code, let attested, let purposes)):
                guard ClientLimits.challenge.contains(challenge.utf8.count),
                    (code ?? "").utf8.count <= ClientLimits.joinCode
                else { throw .refused(.invalidArgument("that is not a challenge")) }
                owesStep = true
                deadline = .now + limit
                return .challenge(
                    challenge, code: try code.map { (text) throws(ConversationError) in try Self.kept(text) },
                    attested: attested, purposes: purposes)
            case .call(.authorize(let seconds)):
                owesStep = true
                deadline = .now + limit
                return .authorize(seconds: seconds)
            case .call(.forget): return .forget
            case .call(.renewSigningKey): return .renewSigningKey
            case .call(.setAside(let call)): return .setAside(call)
            case .call(.cancel):
                owesCancel = true
                throw .cancelled
            case .call(.continue):
                throw .refused(.invalidArgument("a conversation starts with Begin"))
            case .call(.biometry):
                try countAside()
                channel.reply(biometry())
            case .call(.challenge(let call)):
                try countAside()
                channel.reply(try proof(call))
            case .call(.introspection(let question)):
                try countAside()
                channel.answer(question)
            case .event, .time: continue
            }
        }
    }

    /// Each of these costs work, and brings the conversation no further.
    private mutating func countAside() throws(ConversationError) {
        asides += 1
        guard asides <= ClientLimits.asides else {
            throw .refused(
                .limitExceeded(
                    "the conversation had too many calls that do not belong to it",
                    advice: "ask for interfaces and fingers on another connection"))
        }
    }

    private static func kept(_ text: String) throws(ConversationError) -> SecretBytes {
        do throws(CryptographyError) { return try SecretBytes(copying: Array(text.utf8)) } catch {
            throw .refused(.misconfigured("there is no memory for the code"))
        }
    }

    mutating func watch(broker number: Int32) { broker = number }

    mutating func note(_ contact: Contact, of service: ProofService) {
        contacts.append("\(service.rawValue):\(contact.rawValue)")
        if contact != .nothing { hasAnswered = true }
    }

    mutating func noteAnswer() { hasAnswered = true }

    mutating func notify(_ shown: consuming DesktopNotification?) { notification = shown }

    /// Removes the desktop notification, after the client has heard the end.
    mutating func withdrawNotification() { notification.take()?.withdraw() }

    /// Shows a message and waits for the client to continue.
    /// - Parameter limit: the most characters to show; the rest is cut off.
    /// - Returns: the answer, if the message wants one.
    mutating func show(_ message: Message, limit: Int = PromptLimits.message) throws(ConversationError)
        -> SecretBytes?
    {
        let style = BrokerProtocol.Authentication.Message.Style(rawValue: message.style.rawValue) ?? .info
        steps += 1
        channel.reply(
            BrokerProtocol.Authentication.Step(
                message: .init(
                    style: style, text: PromptLines.broken(EscapedText.message(message.text, limit: limit))),
                done: false, step: steps))
        owesStep = false
        while true {
            switch try wait() {
            case .call(.continue(let answer)):
                do throws(CryptographyError) {
                    guard (answer != nil) == message.style.wantsAnswer else {
                        complain(message.style.wantsAnswer ? "an answer is missing" : "this message takes no answer")
                        continue
                    }
                    owesStep = true
                    guard let answer else { return nil }
                    let secret = try SecretBytes(copying: Array(answer.utf8))
                    guard let objection = Answer.objection(to: secret) else { return secret }
                    complain(objection)
                    owesStep = false
                } catch {
                    throw .refused(.misconfigured("there is no memory for the answer"))
                }
            case .call(.cancel):
                owesCancel = true
                throw .cancelled
            case .call(.begin), .call(.authorize):
                // Who begins a second time does not know the messages so far, and so not what the answers are for.
                owesStep = true
                throw .refused(.invalidArgument("the conversation has begun already"))
            case .call(.forget), .call(.renewSigningKey), .call(.setAside), .call(.biometry), .call(.challenge):
                try countAside()
                complain("the conversation has begun already")
            case .call(.introspection(let question)):
                try countAside()
                channel.answer(question)
            case .event, .time: continue
            }
        }
    }

    /// Waits without showing anything, until a given moment or until PAM has an event.
    mutating func next(of exchange: Exchange?, until moment: ContinuousClock.Instant? = nil) throws(ConversationError)
        -> Exchange
        .Event?
    {
        while true {
            switch try wait(exchange, until: moment, rest: ClientLimits.interjection) {
            case .event(let event): return event
            case .time: return nil
            case .call(.cancel):
                owesCancel = true
                throw .cancelled
            // The client's last call has no answer yet. More calls, answered one by one, would hold up all who wait for this conversation.
            case .call: throw .refused(.invalidArgument("a call came before the last one was answered"))
            }
        }
    }

    /// Tells the client the end.
    func finish(_ error: ConversationError?) {
        if let error {
            if let fault = error.fault, owesStep || !owesCancel { channel.fail(fault) }
        } else {
            channel.reply(BrokerProtocol.Authentication.Step(message: nil, done: true))
        }
        if owesCancel { channel.reply(Nothing()) }
    }

    /// Tells the client how many earlier answers can no longer be used again, and how many leases have ended.
    func finish(forgotten count: Int, leases: Int) {
        channel.reply(BrokerProtocol.Authentication.Forget.Reply(ended: Int64(count), leases: Int64(leases)))
    }

    /// Tells root how many vaults are still under a former signing key.
    func finish(vaultsUnderFormerKeys count: Int) {
        channel.reply(BrokerProtocol.Authentication.RenewSigningKey.Reply(former: Int64(count)))
    }

    /// Tells root where the record and the owner's copy are.
    func finish(_ reply: BrokerProtocol.Authentication.SetAside.Reply) { channel.reply(reply) }

    private func complain(_ text: String) {
        channel.fail(Fault(.authenticationInvalidArgument, text))
    }

    private static let endedByBroker = ConversationError.refused(
        .brokerUnavailable(
            "the broker has ended this request: it has stopped, or your vault was locked", advice: "try again"))

    /// Looks at the client's calls last. So a client that calls on and on keeps nothing else from being seen.
    /// - Parameter rest: how long the client may take for the rest of a call.
    private mutating func wait(
        _ exchange: Exchange? = nil, until moment: ContinuousClock.Instant? = nil, rest: Duration = ClientLimits.rest
    ) throws(ConversationError) -> Wake {
        while true {
            // A missing descriptor is -1, which poll ignores.
            let entries: [(descriptor: Int32, interest: Readiness.Interest)] = [
                (signals.number, .input), (channel.number, .input), (broker ?? -1, .input),
                (exchange?.descriptor ?? -1, .input),
            ]
            let ready: [Bool]
            do throws(SystemError) {
                // poll does not show a call that was received together with the one before it.
                ready =
                    try channel.hasCall
                    ? Readiness.look(at: entries)
                    : Readiness.wait(for: entries, until: min(moment ?? deadline, deadline))
            } catch { throw .refused(.misconfigured(error)) }
            if ready[0] { throw .terminated }
            if deadline <= .now { throw .timedOut }
            // The broker sends nothing unasked, so input here means that it has closed the connection.
            if ready[2] { throw Self.endedByBroker }
            if ready[3], let event = exchange?.next() { return .event(event) }
            if ready[1] || channel.hasCall { return .call(try channel.receive(until: min(.now + rest, deadline))) }
            if ready.contains(true) { continue }
            return .time
        }
    }
}
