import Platform
import RootConfiguration

/// The answers of one user that programs may use again.
struct ReuseFile {
    private let file: StateFile<[ReuseRecord]>
    private let boot: String

    /// - Throws: ``ConversationError`` if the folder cannot be used.
    init(registryDirectory: String, uid: UInt32) throws(ConversationError) {
        do throws(SystemError) {
            file = try StateFile(registryDirectory: registryDirectory, folder: "reuse", uid: uid, nothing: [])
            boot = try BootTime.bootID()
        } catch {
            throw .refused(.misconfigured(error))
        }
    }

    /// The PAM services that have let the person in at this terminal and still count as passed. Mostly there are none.
    func services(in session: TerminalSession, lastLock: Int64) throws(ConversationError) -> Set<ProofService> {
        try update { records in
            // An answer from before a lock never counts again.
            records.removeAll { $0.asked <= lastLock }
            return records.filter { $0.holds(in: session, lastLock: lastLock) }.reduce(into: []) {
                $0.formUnion($1.services)
            }
        }
    }

    /// - Parameter asked: when the person began to be asked, in milliseconds of the boot clock.
    func note(_ services: Set<ProofService>, in session: TerminalSession, asked: Int64, seconds: Int)
        throws(ConversationError)
    {
        let record = ReuseRecord(
            session: session, boot: boot, services: services, asked: asked,
            ends: BootTime.milliseconds + Int64(min(seconds, ReuseLimits.seconds)) * 1000)
        try update { records in
            // A newer answer at the same terminal replaces the older one.
            records.removeAll { $0.holds(in: session, lastLock: 0) }
            records.append(record)
            records = records.suffix(ReuseLimits.answers)
        }
    }

    /// Ends the reuse of all answers.
    /// - Returns: the number of answers that there were.
    func forget() throws(ConversationError) -> Int {
        try update { records in
            defer { records = [] }
            return records.count
        }
    }

    private func update<Value>(_ change: (inout [ReuseRecord]) -> Value) throws(ConversationError) -> Value {
        do throws(SystemError) {
            return try file.update { records in
                let now = BootTime.milliseconds
                records.removeAll { !$0.isAlive(boot: boot, at: now) }
                return change(&records)
            }
        } catch {
            throw .refused(.misconfigured(error))
        }
    }
}

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
        try inquiry.ask(NeededServices(services), notice, &session)
        let book = try ReuseFile(
            registryDirectory: inquiry.configuration.registryDirectory, uid: client.account.uid)
        try book.note(Set(services), in: terminal, asked: asked, seconds: Int(seconds))
    }
}

/// A length of time in words.
enum SpokenTime {
    /// - Parameter seconds: more than 0.
    static func of(seconds: Int) -> String {
        let parts = [(seconds / 3600, "hour"), (seconds / 60 % 60, "minute"), (seconds % 60, "second")].filter {
            $0.0 > 0
        }
        let words = parts.map { "\($0.0) \($0.1)\($0.0 == 1 ? "" : "s")" }
        return (words.dropLast(2) + [words.suffix(2).joined(separator: " and ")]).joined(separator: ", ")
    }
}
