import Coffer

/// Asks the person for an application password, typed hidden. It never takes arguments or the environment, which every program of the user can read.
struct ApplicationPasswordInput {
    /// The item's name, as people read it.
    let name: String
    let noPrompt: Bool
    let look: () -> PrompterFinder.Finding

    /// Asks for the item's present application password.
    func present() throws(KeychainError) -> [UInt8] {
        var prompter = try prompter()
        return Array(try ask("Application password for \(name): ", &prompter).utf8)
    }

    /// Asks for a new application password. It is asked for twice, because nobody sees the typing, and a mistyped password loses the item.
    func new() throws(KeychainError) -> [UInt8] {
        var prompter = try prompter()
        let first = try ask("New application password for \(name): ", &prompter)
        guard !first.isEmpty else {
            throw KeychainError(
                .failed, "the application password is empty, so nothing was stored", advice: "run the command again")
        }
        guard first == (try ask("Once more: ", &prompter)) else {
            throw KeychainError(
                .failed, "the two entries differ, so nothing was stored", advice: "run the command again")
        }
        return Array(first.utf8)
    }

    private func prompter() throws(KeychainError) -> any Prompter {
        if noPrompt {
            throw KeychainError(
                .authenticationNeeded, "\(name) takes an application password, but --no-prompt was given",
                advice: "leave out --no-prompt")
        }
        switch look() {
        case .prompter(let prompter): return prompter
        case .nobody(let obstacle):
            throw KeychainError(
                .authenticationNeeded, "\(name) takes an application password, but \(obstacle.reason)",
                advice: obstacle.ownAdvice)
        }
    }

    private func ask(_ prompt: String, _ prompter: inout any Prompter) throws(KeychainError) -> String {
        // There is no descriptor, because nothing can end this prompt early.
        guard let answer = try prompter.ask(.init(style: .secret, text: prompt), hangUp: -1) else {
            throw .cancelledByPerson
        }
        return answer
    }
}
