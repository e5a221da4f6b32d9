import Configuration
import Platform

/// Asks a person once, and records that this terminal's programs may use the answer again for a while.
struct ReuseInquiry {
    let inquiry: Inquiry

    /// - Parameter seconds: how long the answer may be used again, as the client requests it.
    /// - Throws: ``ConversationError`` if the person was not recognised, or if this request is not allowed.
    func ask(seconds: Int64, _ session: inout ClientSession) throws(ConversationError) {
        let client = inquiry.client
        let limit = min(inquiry.configuration.reuseLimit, ReuseLimits.seconds)
        guard limit > 0 else {
            throw .refused(
                .denied("on this machine no answer can be used again", advice: "you are asked at each request"))
        }
        guard (1...Int64(limit)).contains(seconds) else {
            let most = SpokenTime.of(seconds: limit)
            throw .refused(.invalidArgument("an answer can be used again for at least 1 second and at most \(most)"))
        }
        guard let terminal = client.session else {
            throw .refused(
                .invalidArgument("an answer can be used again only in one terminal, and this process has none"))
        }
        let asked = BootTime.milliseconds
        let notice = PromptNotice.text(forReuse: Int(seconds), in: terminal, from: client)
        let services = [ProofService.anyFactor]
        try inquiry.ask(services, notice, &session)
        let book = try ReuseBook(
            registryDirectory: inquiry.configuration.registryDirectory, uid: client.account.uid)
        try book.note(Set(services), in: terminal, asked: asked, seconds: Int(seconds))
    }
}

/// A length of time in words.
enum SpokenTime {
    /// - Parameter seconds: more than 0.
    static func of(seconds: Int) -> String {
        let parts = [(seconds / 60, "minute"), (seconds % 60, "second")].filter { $0.0 > 0 }
        return parts.map { "\($0.0) \($0.1)\($0.0 == 1 ? "" : "s")" }.joined(separator: " and ")
    }
}
