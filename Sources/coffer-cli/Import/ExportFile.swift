import Coffer
import Glibc
import HelperProtocol
import Import
import Platform

/// Coffer's own export, encrypted or as `age --decrypt` prints it.
struct ExportFile {
    let source: ImportFile
    let session: CommandSession
    /// A file with identities of age.
    let identity: String?
    let noPrompt: Bool
    /// Whether the file is to be removed afterwards.
    let removes: Bool

    func read() throws(KeychainError) -> ImportMaterial {
        // An encrypted file is longer than its text, above all as text itself.
        var bytes = try source.bytes(AgeRequest.mostInput)
        // An editor may have put a byte order mark before the text.
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { bytes.removeFirst(3) }
        let isPlain = bytes.first == UInt8(ascii: "{")
        if isPlain { try source.warnIfExposed() }
        guard isPlain || !removes else {
            throw KeychainError(
                .invalidArgument, "the export is encrypted, and --remove is for a file that holds secrets in the clear",
                advice: "leave out --remove; Coffer leaves the file")
        }
        let text = isPlain ? bytes : try opened(bytes)
        try checkLength(text.count)
        do throws(UnreadableFile) {
            var material = ImportMaterial(try CofferExport.read(text))
            material.isPlainFile = isPlain
            return material
        } catch {
            throw error.keychainError(source.shown)
        }
    }

    private func opened(_ bytes: [UInt8]) throws(KeychainError) -> [UInt8] {
        var helper = try AgeHelper.with(bytes)
        let found = try helper.ask(AgeRequest(inspect: true))
        if let problem = found.problem { throw refusal(problem) }
        guard found.takesPassphrase == true else {
            guard let identity else {
                throw KeychainError(
                    .invalidArgument, "\(source.shown) is encrypted for a recipient",
                    advice: "name the file with its identity: --identity FILE")
            }
            let answer = try helper.ask(AgeRequest(open: .init(identities: try Self.text(of: identity))))
            if let problem = answer.problem { throw refusal(problem) }
            return try output(answer, &helper)
        }
        guard !noPrompt else {
            throw KeychainError(
                .authenticationNeeded, "\(source.shown) needs its passphrase, but --no-prompt was given",
                advice: "run: \(ShellText.askingAgain)")
        }
        var tries = 0
        while true {
            tries += 1
            let answer = try helper.ask(
                AgeRequest(open: .init(passphrase: try session.passphrase("Passphrase of \(source.shown): "))))
            guard let problem = answer.problem else { return try output(answer, &helper) }
            guard answer.isWrongPassphrase == true, tries < InputLimits.passphraseTries, TerminalPrompter.isPresent
            else { throw refusal(problem, .wrongPassword) }
            Output.note("coffer: \(problem); type it again")
        }
    }

    private func output(_ answer: AgeAnswer, _ helper: inout AgeHelper) throws(KeychainError) -> [UInt8] {
        let count = answer.count ?? 0
        try checkLength(count)
        return try helper.output(count)
    }

    /// - Parameter count: the bytes of the text.
    private func checkLength(_ count: Int) throws(KeychainError) {
        guard count <= ImportLimits.file else {
            throw KeychainError(
                .limitExceeded, "\(source.shown) holds more than \(ImportLimits.file >> 20) MiB of text",
                advice: "nothing was imported")
        }
    }

    private func refusal(_ problem: String, _ code: KeychainError.Code = .failed) -> KeychainError {
        KeychainError(
            code, "\(source.shown) cannot be opened: \(VisibleText.sentence(problem))", advice: "nothing was imported")
    }

    private static func text(of path: String) throws(KeychainError) -> String {
        do throws(SystemError) {
            return String(decoding: try DurableFile.read(path, limit: InputLimits.identityFile), as: UTF8.self)
        } catch {
            let shown = VisibleText.line(path)
            guard error.errno != ELOOP else {
                throw KeychainError(
                    .failed, "\(shown) cannot be read: it is a link",
                    advice: "name the file itself; \(ShellText.command(["readlink", "-f", "--", path])) shows it")
            }
            throw KeychainError(
                .failed, "\(shown) cannot be read: \(error.reason)", advice: "nothing was imported")
        }
    }
}

extension CommandSession {
    /// Asks the person for a passphrase.
    func passphrase(_ question: String) throws(KeychainError) -> String {
        var prompter: any Prompter
        switch ownPrompter() {
        case .prompter(let found): prompter = found
        case .nobody(let obstacle):
            throw KeychainError(
                .authenticationNeeded, "a passphrase is needed, but \(obstacle.reason)", advice: obstacle.ownAdvice)
        }
        guard let answer = try prompter.ask(.init(style: .secret, text: question), hangUp: -1) else {
            throw .cancelledByPerson
        }
        return answer
    }

    /// Asks for a new passphrase, twice, because nobody sees the typing.
    func newPassphrase(_ question: String) throws(KeychainError) -> String {
        let first = try passphrase(question)
        guard !first.isEmpty else {
            throw KeychainError(.failed, "the passphrase is empty, so nothing was written")
        }
        // Anybody who has the file can try passphrases without end.
        guard first.count >= InputLimits.shortestPassphrase else {
            throw KeychainError(
                .failed,
                "the passphrase has fewer than \(InputLimits.shortestPassphrase) characters, so nothing was written",
                advice: "use five words or more that have nothing to do with each other")
        }
        guard first == (try passphrase("Once more: ")) else {
            throw KeychainError(
                .failed, "the two entries differ, so nothing was written", advice: "run the command again")
        }
        return first
    }
}
