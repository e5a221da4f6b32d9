import BrokerProtocol
import Cryptography
import PAM
import Platform
import Varlink

/// The connection's side of one conversation: what the client is told and asked, and everything that may end it meanwhile.
struct ClientSession: ~Copyable {
    /// What a client begins with.
    enum Request {
        case challenge(String)
        /// To be asked now, and not again for so many seconds.
        case authorize(seconds: Int64)
        /// To be asked again.
        case forget
        /// Another key for the authenticator.
        case renewSigningKey
    }

    /// What a wait ended with.
    enum Wake {
        case call(ClientChannel.Call)
        case event(Exchange.Event)
        /// The moment waited for has come.
        case time
    }

    var channel: ClientChannel
    let signals: SignalDescriptor
    /// When the conversation is over, whatever happens.
    private(set) var deadline: ContinuousClock.Instant
    /// The broker's connection, watched once there is one.
    private var broker: Int32?
    /// The client waits for the answer to Begin or Continue.
    private var owesStep = false
    private var owesCancel = false
    /// There as long as the conversation.
    private var notification: DesktopNotification?

    /// - Parameter patience: what a client has to begin.
    init(channel: consuming ClientChannel, signals: consuming SignalDescriptor, patience: Duration) {
        self.channel = channel
        self.signals = signals
        deadline = .now + patience
    }

    /// Waits for the client to begin; the person's time runs from there.
    /// - Parameter biometry: answers who only wants to know whether a finger could be asked for.
    mutating func begin(
        limit: Duration, biometry: () -> BrokerProtocol.Authentication.Biometry.Reply
    ) throws(ConversationError) -> Request {
        while true {
            switch try wait() {
            case .call(.begin(let challenge)):
                guard (1...256).contains(challenge.utf8.count) else {
                    throw .refused(.invalidArgument("That is no challenge."))
                }
                owesStep = true
                deadline = .now + limit
                return .challenge(challenge)
            case .call(.authorize(let seconds)):
                owesStep = true
                deadline = .now + limit
                return .authorize(seconds: seconds)
            case .call(.forget): return .forget
            case .call(.renewSigningKey): return .renewSigningKey
            case .call(.cancel):
                owesCancel = true
                throw .cancelled
            case .call(.continue):
                throw .refused(.invalidArgument("A conversation starts with Begin."))
            case .call(.biometry): channel.reply(biometry())
            case .call(.introspection), .event, .time: continue
            }
        }
    }

    mutating func watch(broker number: Int32) { broker = number }

    mutating func notify(_ shown: consuming DesktopNotification?) { notification = shown }

    /// The client has heard the end; so does the desktop.
    mutating func withdrawNotification() { notification.take()?.withdraw() }

    /// Shows a message, and waits for the client to go on.
    /// - Parameter limit: characters beyond this many are not shown.
    /// - Returns: the answer, for a message that wants one.
    mutating func show(_ message: Message, limit: Int = PromptText.longestMessage) throws(ConversationError)
        -> SecretBytes?
    {
        let style = BrokerProtocol.Authentication.Message.Style(rawValue: message.style.rawValue) ?? .info
        channel.reply(
            BrokerProtocol.Authentication.Step(
                message: .init(style: style, text: PromptText.message(message.text, limit: limit)), done: false))
        owesStep = false
        while true {
            switch try wait() {
            case .call(.continue(let answer)):
                do throws(CryptographyError) {
                    guard (answer != nil) == message.style.wantsAnswer else {
                        complain(message.style.wantsAnswer ? "An answer is missing." : "This message takes no answer.")
                        continue
                    }
                    owesStep = true
                    guard let answer else { return nil }
                    let secret = try SecretBytes(copying: Array(answer.utf8))
                    guard let objection = Answer.objection(to: secret) else { return secret }
                    complain(objection)
                    owesStep = false
                } catch {
                    throw .refused(.misconfigured("There is no memory for the answer."))
                }
            case .call(.cancel):
                owesCancel = true
                throw .cancelled
            case .call(.begin), .call(.authorize), .call(.forget), .call(.renewSigningKey), .call(.biometry):
                complain("The conversation has begun already.")
            case .call(.introspection), .event, .time: continue
            }
        }
    }

    /// Waits without anything to show, until a moment or (with an exchange) until PAM has something.
    mutating func next(of exchange: Exchange?, until moment: ContinuousClock.Instant? = nil) throws(ConversationError)
        -> Exchange
        .Event?
    {
        while true {
            switch try wait(exchange, until: moment) {
            case .event(let event): return event
            case .time: return nil
            case .call(.cancel):
                owesCancel = true
                throw .cancelled
            case .call(.introspection): continue
            case .call: throw .refused(.invalidArgument("A call came before the last one was answered."))
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

    /// Tells the client that nothing that was answered can be used again.
    func finish(forgotten count: Int) {
        channel.reply(BrokerProtocol.Authentication.Forget.Reply(ended: Int64(count)))
    }

    /// Tells root how many keychains are still under a former signing key.
    func finish(keychainsUnderFormerKeys count: Int) {
        channel.reply(BrokerProtocol.Authentication.RenewSigningKey.Reply(former: Int64(count)))
    }

    private func complain(_ text: String) {
        channel.fail(Fault(.authenticationInvalidArgument, text))
    }

    private mutating func wait(
        _ exchange: Exchange? = nil, until moment: ContinuousClock.Instant? = nil
    ) throws(ConversationError) -> Wake {
        while true {
            if channel.hasCall { return .call(try channel.receive()) }
            // Descriptors that are not there are -1, which poll passes over.
            let entries: [(descriptor: Int32, interest: Readiness.Interest)] = [
                (signals.number, .input), (channel.number, .input), (broker ?? -1, .input),
                (exchange?.descriptor ?? -1, .input),
            ]
            let ready: [Bool]
            do { ready = try Readiness.wait(for: entries, until: min(moment ?? deadline, deadline)) } catch {
                throw .refused(.misconfigured("The authenticator \(error)."))
            }
            if ready[0] { throw .terminated }
            if ready[1] { return .call(try channel.receive()) }
            // The broker says nothing that it is not asked, so this is its end.
            if ready[2] { throw .refused(.brokerUnavailable("The broker has stopped: try again.")) }
            if ready[3], let event = exchange?.next() { return .event(event) }
            if ready.contains(true) { continue }
            if deadline <= .now { throw .timedOut }
            return .time
        }
    }
}
