import ArgumentParser
import Coffer
import Platform

/// What a program gets: variables with secrets, variables with the paths of files with secrets, and plain variables.
struct RunPlan {
    /// The source of a variable's value.
    enum Source: Equatable {
        case plain([UInt8])
        case secret(SecretReference)
        case file(SecretReference)
    }

    private(set) var variables: [(name: String, source: Source)] = []
    /// The place of each name in the list.
    private var places: [String: Int] = [:]
    /// The names that options have set.
    private var named: Set<String> = []

    /// Sets a variable that a file of variables has. A later file, and every option, goes before it.
    mutating func setByFile(_ name: String, to source: Source) {
        if let place = places[name] {
            variables[place].source = source
        } else {
            places[name] = variables.count
            variables.append((name, source))
        }
    }

    /// Sets a variable that an option names.
    /// - Throws: ``KeychainError`` if options name it twice. It is not settled which one was meant.
    mutating func set(_ name: String, to source: Source) throws(KeychainError) {
        guard named.insert(name).inserted else {
            throw KeychainError(
                .invalidArgument, "the variable \(name) is set twice by --env and --file",
                advice: "set it once")
        }
        setByFile(name, to: source)
    }

    var names: Set<String> { Set(places.keys) }

    var references: [SecretReference] {
        variables.compactMap {
            switch $0.source {
            case .plain: nil
            case .secret(let reference), .file(let reference): reference
            }
        }
    }

    /// The variables' entries in the environment, and the files that they name.
    func entries(
        _ secrets: [SecretReference: ReferenceResolver.Secret]
    ) throws(KeychainError) -> (environment: [[UInt8]], files: [SealedFile]) {
        var environment: [[UInt8]] = []
        var files: [SealedFile] = []
        for (name, source) in variables {
            let value: [UInt8]
            switch source {
            case .plain(let bytes): value = bytes
            case .secret(let reference):
                let secret = try Self.secret(reference, secrets)
                value = Array(secret.line)
                guard !value.contains(0) else {
                    throw KeychainError(
                        .failed,
                        "the value of \(secret.shownName) has a zero byte, which no environment variable can hold, so nothing was started",
                        advice: "give it as a file: --file \(name)=\(reference.text)")
                }
                guard name.utf8.count + 1 + value.count <= ReferenceLimits.variable else {
                    throw KeychainError(
                        .limitExceeded,
                        "the value of \(secret.shownName) is too long for an environment variable (128 KiB), so nothing was started",
                        advice: "give it as a file: --file \(name)=\(reference.text)")
                }
            case .file(let reference):
                let file = try Self.file(try Self.secret(reference, secrets).value)
                files.append(file)
                value = Array(file.path.utf8)
            }
            environment.append(Array("\(name)=".utf8) + value)
        }
        return (environment, files)
    }

    private static func secret(
        _ reference: SecretReference, _ secrets: [SecretReference: ReferenceResolver.Secret]
    ) throws(KeychainError) -> ReferenceResolver.Secret {
        guard let secret = secrets[reference] else {
            throw KeychainError(.protocolViolation, "\(reference.shownName) was not read, so nothing was started")
        }
        return secret
    }

    private static func file(_ bytes: [UInt8]) throws(KeychainError) -> SealedFile {
        do throws(SystemError) { return try SealedFile(bytes) } catch {
            throw KeychainError(
                .failed, "\(error.message), so nothing was started", advice: error.advice, cause: error.underlying)
        }
    }
}
