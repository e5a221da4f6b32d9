import Age
import HelperProtocol
import JSON
import Platform
import ProgramOptions

/// Encrypts and opens files in the age format for `coffer export` and `coffer import`.
enum AgeCommand: HelperTask {
    static let usage = ProgramUsage.Command(
        Helper.age, abstract: "Encrypt and open files in the age format, for \"coffer export\".")

    static func run(_ words: [String]) throws {
        var work = AgeWork()
        var lines = StandardInputLines(limit: AgeRequest.longestLine)
        while let line = try lines.next() {
            try HelperAnswer.say(work.answer(try JSONReader.read(AgeRequest.self, from: line)))
        }
    }
}

/// The bytes of one conversation.
private struct AgeWork: ~Copyable {
    private var input: [UInt8] = []
    private var output: [UInt8] = []

    deinit {
        Wipe.storage(of: input)
        Wipe.storage(of: output)
    }

    mutating func answer(_ request: AgeRequest) throws -> AgeAnswer {
        var answer = AgeAnswer()
        do throws(AgeError) {
            if let part = request.add { add(part, &answer) }
            if request.inspect == true { answer.takesPassphrase = try AgeFile(input).takesPassphrase }
            if let lock = request.seal { output = try Self.sealed(input, lock) }
            if let key = request.open { output = try Self.opened(input, key) }
            if request.seal != nil || request.open != nil { answer.count = output.count }
        } catch {
            answer.problem = error.reason
            answer.isWrongPassphrase = error.code == .noMatch && request.open?.passphrase != nil
        }
        if let start = request.take, output.indices.contains(start) {
            let end = min(start + AgeRequest.part, output.count)
            answer.part = Base64.encode(Array(output[start..<end]))
        }
        return answer
    }

    private mutating func add(_ part: String, _ answer: inout AgeAnswer) {
        guard let bytes = Base64.decode(part), input.count + bytes.count <= AgeRequest.mostInput else {
            answer.problem = "it is too large"
            return
        }
        input += bytes
    }

    private static func sealed(_ content: [UInt8], _ lock: AgeRequest.Lock) throws(AgeError) -> [UInt8] {
        if let passphrase = lock.passphrase {
            return try AgeFile.seal(content, for: .passphrase(AgePassphrase(passphrase)), armored: lock.armored)
        }
        var recipients: [AgeRecipient] = []
        for text in lock.recipients { recipients.append(try AgeRecipient(text)) }
        return try AgeFile.seal(content, for: .recipients(recipients), armored: lock.armored)
    }

    private static func opened(_ file: [UInt8], _ key: AgeRequest.Key) throws(AgeError) -> [UInt8] {
        let file = try AgeFile(file)
        if let passphrase = key.passphrase { return try file.open(.passphrase(AgePassphrase(passphrase))) }
        return try file.open(.identities(AgeIdentity.file(key.identities ?? "")))
    }
}
