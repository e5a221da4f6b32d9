import ArgumentParser
import Coffer
import Glibc
import Platform

/// `coffer inject`
struct InjectCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "inject", _superCommandName: "coffer",
        abstract: "Fill secrets into a text.",
        usage: "coffer inject [--in <file>] [--out <file>] [options]",
        discussion: """
            Each {{ coffer://SERVICE/ACCOUNT }} in the text is replaced by that secret, and each {{ coffer://SERVICE/ACCOUNT/FIELD }} by that field, without \
            a newline at its end. All secrets are read with \
            one prompt, or nothing is written. All other text stays as it is, other braces too. To keep a reference as text, put a backslash before \
            its braces.

            The result holds the secrets. A file that --out names can be read by you only. Prefer coffer run --file if the program can read another \
            file.

            Examples:
              coffer inject <config.template | program --config /dev/stdin
              coffer inject --in config.template --out /run/user/1000/config
            """)

    @Option(
        name: .customLong("in"), help: ArgumentHelp("Read the text from this file.", valueName: "file"),
        completion: .file())
    var input: String?

    @Option(
        name: .customLong("out"),
        help: ArgumentHelp(
            "Write to this file instead of standard output. It is replaced as a whole, and only you can read it.",
            valueName: "file"), completion: .file())
    var output: String?

    @OptionGroup var why: ReasonOptions

    @Flag(help: "On a terminal, show even what the terminal would obey: control characters, bytes that are not text.")
    var raw = false

    @OptionGroup var prompt: PromptOptions
    @OptionGroup var vault: VaultOptions

    @Flag(help: "Print errors as JSON.")
    var json = false

    func validate() throws {
        guard input?.isEmpty != true, output?.isEmpty != true else { throw ValidationError("a file's name is empty") }
        for path in [input, output].compactMap({ $0 }) { try PathArgument.check(path) }
    }

    func run() throws {
        let target = try output.map { try TargetFile($0, template: input) }
        let template = try template()
        let resolver = ReferenceResolver(
            vault: vault, reason: why.reason, noPrompt: prompt.noPrompt, command: "coffer inject …", tells: !json)
        let secrets = try resolver.resolve(template.references)
        guard let filled = template.filled(secrets, limit: ReferenceLimits.filledText) else {
            throw KeychainError(
                .limitExceeded,
                "the text with its secrets is longer than \(ReferenceLimits.filledText >> 20) MiB, so nothing was written",
                advice: "split it into several texts")
        }
        guard let target else { return try SecretOutput.text(filled, raw: raw) }
        try target.write(filled)
    }

    private func template() throws(KeychainError) -> Template {
        let bytes = try bytes()
        do throws(Template.Mistake) { return try Template(parsing: bytes) } catch {
            let file = input.map { "\(VisibleText.quoted($0)), " } ?? ""
            throw KeychainError(
                .invalidArgument, "\(file)line \(error.line), column \(error.column): \(error.reason)",
                advice: error.advice)
        }
    }

    private func bytes() throws(KeychainError) -> [UInt8] {
        let limit = ReferenceLimits.template
        let bytes: [UInt8]
        do throws(SystemError) {
            if let input {
                bytes = try DurableFile.read(Descriptor.open(input, O_RDONLY), named: input, limit: limit)
            } else {
                if isatty(STDIN_FILENO) == 1 { Output.note("coffer: reading the text from the terminal, up to Ctrl-D") }
                bytes = try StandardInput.read(limit: limit + 1)
            }
        } catch {
            throw KeychainError(.failed, error.message, advice: error.advice, cause: error.underlying)
        }
        guard bytes.count <= limit else {
            throw KeychainError(
                .limitExceeded, "the text is longer than \(limit >> 20) MiB", advice: "split it into several texts")
        }
        return bytes
    }
}
