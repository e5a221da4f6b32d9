import Platform

/// A program that asks a person for Coffer, connected by pipes. It ends with this process, no matter how this process ends.
package struct HelperProgram: ~Copyable {
    private let program: GuardedProgram
    private let name: String

    /// The subcommand of `coffer` that watches over such a program.
    package static let guardCommand = "guard-program"

    /// The subcommand of `coffer` that gives a terminal its echo back.
    package static let terminalGuardCommand = "guard-terminal"

    /// - Parameter guardian: the program that ends the other one.
    /// - Parameter environment: nil for this process's own environment.
    /// - Parameter hangUp: a descriptor that becomes readable when nobody waits for the answer. The program is then ended.
    init(
        path: String, arguments: [String], guardian: ProgramGuardian, environment: [String: String]? = nil,
        hangUp: Int32
    ) throws(KeychainError) {
        name = FilePaths.name(of: path)
        program = try Self.start([FilePaths.absolute(path)] + arguments, guardian, environment, hangUp)
    }

    private static func start(
        _ words: [String], _ guardian: ProgramGuardian, _ environment: [String: String]?, _ hangUp: Int32
    ) throws(KeychainError) -> GuardedProgram {
        let guardPath = try guardian.path()
        do throws(SystemError) {
            return try GuardedProgram(
                (guardPath, ["coffer", Self.guardCommand, "--"]), words,
                environment: environment?.map { "\($0)=\($1)" }, hangUp: hangUp)
        } catch {
            throw KeychainError(
                .authenticationNeeded, "\(words[0]) cannot be run: \(reason(words[0]))",
                advice: "check that it exists and is executable")
        }
    }

    /// Why a program does not start, in words for a person.
    private static func reason(_ path: String) -> String {
        switch ExecutableFile.failure(of: path) {
        case .missing: "there is no such file"
        case .notExecutable: "it is not executable"
        case nil: "the system does not start it"
        }
    }

    func write(_ text: String) throws(KeychainError) {
        do {
            try program.write(Array(text.utf8))
        } catch {
            throw KeychainError(.cancelled, "\(name) ended before it was told what to ask")
        }
    }

    /// Reads to the end of the output.
    /// - Throws: ``KeychainError`` if there are more than `limit` bytes.
    func readAll(limit: Int) throws(KeychainError) -> [UInt8] {
        var bytes: [UInt8] = []
        while bytes.count <= limit {
            let more = try read(limit + 1 - bytes.count)
            if more.isEmpty { return bytes }
            bytes += more
        }
        throw tooLong(limit)
    }

    /// Reads a line, without its line break; nil at the end of the output.
    func readLine(limit: Int) throws(KeychainError) -> [UInt8]? {
        var bytes: [UInt8] = []
        while bytes.count <= limit {
            guard let next = try read(1).first else { return nil }
            if next == UInt8(ascii: "\n") { return bytes }
            bytes.append(next)
        }
        throw tooLong(limit)
    }

    /// Closes the program's input and waits for the program to end.
    /// - Returns: whether it ended by itself with status 0.
    consuming func finish() throws(KeychainError) -> Bool {
        let name = name
        do { return try program.finish() } catch {
            throw KeychainError(.cancelled, "\(name) cannot be waited for: \(error.reason)")
        }
    }

    private func read(_ count: Int) throws(KeychainError) -> [UInt8] {
        do { return try program.read(limit: count) } catch {
            throw KeychainError(.cancelled, "the answer of \(name) cannot be read")
        }
    }

    private func tooLong(_ limit: Int) -> KeychainError {
        KeychainError(.invalidArgument, "the answer of \(name) is longer than \(limit) bytes")
    }
}

/// The program `coffer`, which watches over programs that ask a person.
package enum ProgramGuardian: Sendable {
    /// The running program is `coffer` itself.
    case thisProgram
    /// An application that uses the library. `coffer` is looked for in the absolute folders of PATH.
    case installed(ProgramSearch)

    func path() throws(KeychainError) -> String {
        switch self {
        case .thisProgram: return "/proc/self/exe"
        case .installed(let programs):
            guard let path = programs.path(of: "coffer") else {
                throw KeychainError(
                    .authenticationNeeded, "the program coffer, which starts programs that ask, is not in PATH",
                    advice: "install Coffer, or run the program in a terminal")
            }
            return path
        }
    }
}
