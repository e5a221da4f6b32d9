import BrokerProtocol
import Cryptography
import PAM
import Platform
import RootConfiguration

/// Asks a person: shows the notice, and then has PAM ask, one service after the other. The user's recent failures cause delays.
struct Inquiry {
    let client: Client
    /// The person who is asked, mostly the client's own user.
    let person: Account
    let configuration: Configuration

    /// - Parameter person: nil for the client's own user.
    init(client: Client, person: Account? = nil, configuration: Configuration) {
        self.client = client
        self.person = person ?? client.account
        self.configuration = configuration
    }

    /// - Parameter notice: the first text that the person sees, here and on the desktop.
    /// - Returns: the login password, if the passcode service took exactly one hidden answer and accepted it.
    /// - Throws: ``ConversationError`` unless every service lets the person in, and the right fingers were enrolled meanwhile.
    @discardableResult
    func ask(_ services: NeededServices, _ notice: String, _ session: inout ClientSession) throws(ConversationError)
        -> SecretBytes?
    {
        session.notify(
            DesktopNotification(
                for: person, folder: configuration.notificationFolder, text: PromptLines.broken(notice),
                seconds: configuration.promptTimeout))
        _ = try session.show(Message(style: .info, text: notice), limit: PromptLimits.notice)
        let attempts = try AttemptLog(registryDirectory: configuration.registryDirectory, uid: person.uid)
        let line = try GuessLine(
            registryDirectory: configuration.registryDirectory, uid: person.uid, process: client.process)
        let gate = GuessGate(attempts: attempts, line: line)
        try gate.waitOut(&session)
        var password: SecretBytes?
        for service in services.all {
            let watch = try watch(services.fingers, during: service)
            var person = PAMPrompter(
                transaction: BackgroundTransaction(
                    service: Service(name: service.rawValue, directory: configuration.pamDirectory),
                    user: person.name, terminal: client.terminal, requester: client.account.name), gate: gate)
            let contact: Contact
            do throws(ConversationError) { contact = try person.converse(&session) } catch {
                // Giving up before an answer does not count as a try.
                if person.wasRefusedUnasked { try attempts.fail() }
                throw service.translated(error)
            }
            session.note(contact, of: service)
            try service.check(contact, maySilently: configuration.silentServices)
            // At once. The next service's questions wait for the client, and other requests take the answer.
            try watch?.check()
            // If a stack asks for more, nobody knows which answer is the password.
            if service == .passcode, person.hiddenAnswers.count == 1 { password = person.hiddenAnswers[0] }
        }
        try attempts.succeed()
        try line.forgive()
        return password
    }

    /// - Returns: nil if it does not matter which fingers are enrolled.
    private func watch(
        _ fingers: [UInt8]?, during service: ProofService
    ) throws(ConversationError) -> FingerWatch? {
        guard service == .biometric, let fingers else { return nil }
        return try FingerWatch(fingers, of: person, Biometry(configuration))
    }
}

/// How a person's presence was proved.
enum Proof: String {
    /// PAM asked the person for this request.
    case asked
    /// An earlier answer that the person let this terminal's programs use again.
    case reused = "reuse"
    /// The person answered the prompt of another request of the same process, and that prompt named this request.
    case shared

    /// The answer that granted a lease. The process is within it.
    case leased = "lease"
    /// Nobody was asked, because the client is root and the vault is a service's.
    case root
    /// Root had made an invitation, and root's `coffer` answered by it.
    case invited = "invitation"

    /// The name that the broker writes to the access log; nil for the normal case, `asked`.
    var means: String? { self == .asked ? nil : rawValue }
}
