import Platform

/// The answers of one user that wait to be judged, in a file that all processes of the authenticator share.
struct GuessLine {
    private let file: StateFile<GuessQueue>
    private let boot: String
    private let server: SharedPrompt.Server
    /// The process that asks.
    private let process: ProcessIdentity

    /// - Throws: ``ConversationError`` if the folder cannot be used. Without an order, no answer is tried.
    init(registryDirectory: String, uid: UInt32, process: ProcessIdentity) throws(ConversationError) {
        do throws(SystemError) {
            let boot = try BootTime.bootID()
            file = try StateFile(
                registryDirectory: registryDirectory, folder: "guesses", uid: uid, nothing: GuessQueue(boot: boot))
            server = SharedPrompt.Server(try ProcessIdentity.current())
            self.boot = boot
        } catch { throw Self.uncounted(error) }
        self.process = process
    }

    /// The place of an answer that has just come.
    func answer() -> GuessQueue.Waiting {
        GuessQueue.Waiting(
            server: server, pid: process.pid, startTime: process.startTime, arrival: BootTime.milliseconds)
    }

    /// Whether an answer is the next one; see ``GuessQueue/isNext(_:joins:at:isAlive:)``.
    func isNext(_ answer: GuessQueue.Waiting, joins: Bool) throws(ConversationError) -> Bool {
        try update { queue in
            queue.isNext(answer, joins: joins, at: BootTime.milliseconds) { $0.isAlive }
        }
    }

    func leave(_ answer: GuessQueue.Waiting) throws(ConversationError) { try update { $0.leave(answer) } }

    /// An answer is judged now.
    func judge(_ answer: GuessQueue.Waiting) throws(ConversationError) {
        try update { $0.judge(answer, at: BootTime.milliseconds) }
    }

    /// The process has given the right answer.
    func forgive() throws(ConversationError) { try update { $0.forgive(process) } }

    /// Whether answers of other programs were judged lately.
    func hasOthers(than answer: GuessQueue.Waiting) throws(ConversationError) -> Bool {
        try update { $0.hasOthers(than: answer, at: BootTime.milliseconds) }
    }

    private func update<Value>(_ change: (inout GuessQueue) -> Value) throws(ConversationError) -> Value {
        do throws(SystemError) {
            return try file.update { queue in
                if queue.boot != boot { queue = GuessQueue(boot: boot) }
                return change(&queue)
            }
        } catch { throw Self.uncounted(error) }
    }

    private static func uncounted(_ error: SystemError) -> ConversationError {
        .refused(.misconfigured("the authenticator cannot count tries: \(error.message)", because: error))
    }
}
