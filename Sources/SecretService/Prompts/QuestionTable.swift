/// The questions to a person that are open or wait for their turn.
struct QuestionTable {
    private struct Question {
        /// Whether it is to open the vault. Then an open vault is an answer.
        let opensVault: Bool
        let cancel: @Sendable () -> Void
    }

    private var questions: [UInt64: Question] = [:]
    private var last: UInt64 = 0

    /// The question is there until ``end(_:)``.
    mutating func begin(opensVault: Bool, cancel: @escaping @Sendable () -> Void) -> UInt64 {
        last += 1
        questions[last] = Question(opensVault: opensVault, cancel: cancel)
        return last
    }

    mutating func end(_ number: UInt64) { questions[number] = nil }

    func cancelAll() { for question in questions.values { question.cancel() } }

    /// An open question to open the vault would keep other clients from asking, for nothing.
    func vaultOpened() { for question in questions.values where question.opensVault { question.cancel() } }
}
