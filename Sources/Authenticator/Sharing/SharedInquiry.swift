import BrokerProtocol
import PAM

/// Asks a person once for all items that a process waits to read. One of the authenticator's processes that serve these requests shows a prompt that
/// names every item. The others wait and take its answer if their own item was shown. Requests that come later are in the next prompt
/// (docs/broker-protocol.md, "One prompt for several requests").
struct SharedInquiry {
    let inquiry: Inquiry
    let challenge: String
    let checked: CheckedRequest

    /// How often the waiting processes check for an answer.
    private static let pace = Duration.milliseconds(50)

    /// - Throws: ``ConversationError`` if the person was not recognised, here or in the prompt that named this request.
    func ask(_ session: inout ClientSession, _ broker: inout BrokerConnection) throws(ConversationError) -> Proof {
        guard let item = Self.sharedItem(of: checked.request) else {
            try inquiry.ask(checked.services, PromptNotice.text(for: checked, from: inquiry.client), &session)
            return .asked
        }
        let own = try ShownItem(challenge: challenge, item, reason: checked.reason)
        let board = try PromptBoard(
            registryDirectory: inquiry.configuration.registryDirectory, uid: inquiry.client.account.uid,
            group: PromptGroup(inquiry.client, checked))
        let token = try own.token()
        var isTold = false
        while true {
            switch try board.turn(of: token) {
            case .ask:
                try lead(own, token, on: board, &session, &broker)
                return .asked
            case .answered(let answer):
                if let error = answer.error { throw error }
                return .shared
            case .wait:
                if !isTold {
                    isTold = true
                    let text = "Waiting for the answer in this program's other request."
                    _ = try session.show(Message(style: .info, text: text))
                }
                _ = try session.next(of: nil, until: .now + Self.pace)
            }
        }
    }

    /// The item that a prompt for several requests names. Only reading its present value, and unlocking the vault for it, can share a prompt.
    /// - Returns: nil if the request is asked for by itself.
    static func sharedItem(of request: PersonRequest) -> BrokerInterface.NamedItem? {
        guard case .use(let use, _) = request, request.kind.accepts(.shared), use.item.version == nil else {
            return nil
        }
        return use.item
    }

    private func lead(
        _ own: ShownItem, _ token: String, on board: PromptBoard, _ session: inout ClientSession,
        _ broker: inout BrokerConnection
    ) throws(ConversationError) {
        var tokens: Set<String> = []
        do throws(ConversationError) {
            // This comes before the call to the broker. The broker no longer names a request whose answer is taken by then.
            let known = try board.answered().union([token])
            var items = [own]
            for companion in try companions(&broker) where !known.contains(try companion.token()) {
                items.append(companion)
            }
            let notice = try PromptNotice.text(for: checked, items, from: inquiry.client)
            for item in notice.shown { tokens.insert(try item.token()) }
            try inquiry.ask(checked.services, notice.text, &session)
        } catch {
            try board.end(SharedPrompt.Answer(error), of: token, for: tokens)
            throw error
        }
        try board.end(.yes, of: token, for: tokens)
    }

    /// The other requests that the process waits for. The broker's word is enough here: it decides what is shown, and only shown items are signed
    /// for.
    private func companions(_ broker: inout BrokerConnection) throws(ConversationError) -> [ShownItem] {
        let reply: BrokerInterface.Companions.Reply
        do throws(BrokerFailure) {
            reply = try broker.call(BrokerInterface.Companions(challenge: challenge), within: BrokerLimits.call)
        } catch {
            throw ConversationError(error)
        }
        guard reply.companions.count < PromptLimits.items else {
            throw .refused(.challengeRefused("the broker names more requests than a person can be shown"))
        }
        return reply.companions.map(ShownItem.init)
    }
}
