import BrokerProtocol
import PAM

/// Asks a person for one request, and at the same time for all that the same process waits for: one prompt, which names every one of them. Of the
/// processes that serve these requests one asks; the others wait for it, and take its answer where their own item was shown
/// (docs/broker-protocol.md, "One prompt for several requests").
struct SharedInquiry {
    let inquiry: Inquiry
    let challenge: String
    let demand: Demand

    /// How long the one that asks waits for the others to come.
    static let gathering = Duration.milliseconds(150)
    /// How often the others look whether it is over.
    private static let pace = Duration.milliseconds(50)

    /// - Throws: ``Ending`` when the person was not recognised, here or in the prompt that named this request.
    func ask(_ session: inout Session, _ broker: inout BrokerConnection) throws(Ending) -> Proof {
        // Nobody makes the same keychain twice at once, or binds it, and each recovery code is asked for by itself.
        guard demand.purposes.isDisjoint(with: [.create, .recovery, .bind, .unbind, .rotate, .accept]) else {
            try inquiry.ask(demand.services, Notice.text(for: demand, from: inquiry.client), &session)
            return .asked
        }
        let own = try ShownItem(challenge: challenge, demand)
        let board = try PromptBoard(
            registryDirectory: inquiry.configuration.registryDirectory, uid: inquiry.client.account.uid,
            group: PromptGroup(inquiry.client, demand))
        let token = try own.token()
        var isTold = false
        while true {
            switch try board.turn(of: token) {
            case .ask:
                try lead(own, on: board, &session, &broker)
                return .asked
            case .answered(let answer):
                if let ending = answer.ending { throw ending }
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

    private func lead(
        _ own: ShownItem, on board: PromptBoard, _ session: inout Session, _ broker: inout BrokerConnection
    ) throws(Ending) {
        var tokens: Set<String> = []
        do throws(Ending) {
            _ = try session.next(of: nil, until: .now + Self.gathering)
            let items = [own] + (try companions(&broker))
            for item in items { tokens.insert(try item.token()) }
            try inquiry.ask(demand.services, Notice.text(for: demand, items, from: inquiry.client), &session)
        } catch {
            try board.end(SharedPrompt.Answer(error), for: tokens)
            throw error
        }
        try board.end(.yes, for: tokens)
    }

    /// What else the process waits for. The broker's word: it decides what is shown, and what is not shown is not signed for.
    private func companions(_ broker: inout BrokerConnection) throws(Ending) -> [ShownItem] {
        let reply: BrokerInterface.Companions.Reply
        do throws(BrokerFailure) {
            reply = try broker.call(BrokerInterface.Companions(challenge: challenge), within: .seconds(10))
        } catch {
            throw Ending(error)
        }
        guard reply.companions.count < Notice.mostItems else {
            throw .refused(.challengeRefused("The broker names more requests than a person can be shown."))
        }
        return reply.companions.map(ShownItem.init)
    }
}
