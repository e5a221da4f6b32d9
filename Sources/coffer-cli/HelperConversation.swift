import Coffer
import FoundationEssentials
import Glibc
import HelperProtocol
import Platform

/// A run of `cofferd helper`, which reads lines and answers each with a line of JSON. The program ends with this value.
struct HelperConversation: ~Copyable {
    private let program: Subprocess
    /// Output that was received but not used yet.
    private var waiting: [UInt8] = []

    init(_ arguments: [String]) throws(KeychainError) {
        do throws(SystemError) {
            program = try Subprocess(Self.path(), [Helper.command] + arguments) {
                $0.input = .pipe
                $0.output = .pipe
                $0.errors = .inherited
                // Passphrases and values go through it.
                $0.environment = ChildProcess.wiping(besides: OwnProcess.environment)
                // It ends by itself at the end of its input, and is never cut off in a step.
                $0.outlives = true
            }
        } catch {
            throw KeychainError(
                .failed, "\(Helper.name) cannot be started: \(error.reason)", advice: "install Coffer again")
        }
    }

    /// Sends a line and waits for the answer.
    /// - Parameter limit: the most bytes that the answer may have.
    mutating func ask<Answer: Decodable>(_ line: [UInt8], limit: Int) throws(KeychainError) -> Answer {
        do throws(SystemError) { try program.write(line + [UInt8(ascii: "\n")]) } catch { throw Self.ended }
        return try receive(limit: limit)
    }

    /// Waits for a line of the helper's.
    mutating func receive<Answer: Decodable>(limit: Int) throws(KeychainError) -> Answer {
        do {
            var searched = 0
            while true {
                if let end = waiting[searched...].firstIndex(of: UInt8(ascii: "\n")) {
                    let line = Data(waiting[..<end])
                    waiting.removeSubrange(...end)
                    return try JSONDecoder().decode(Answer.self, from: line)
                }
                searched = waiting.count
                let more = try program.read(limit: 65_536)
                guard !more.isEmpty, waiting.count + more.count <= limit else { break }
                waiting += more
            }
        } catch {
            // Treated as if the helper had ended. It reports the reason itself on standard error.
        }
        throw Self.ended
    }

    private static var ended: KeychainError {
        KeychainError(
            .failed, "\(Helper.name) ended before it answered", advice: "what was done before stays")
    }

    /// The helper's file beside this program if both were built there, otherwise the installed one.
    private static func path() throws(SystemError) -> String {
        let own = try ProcessLink.read("exe", of: getpid())
        let folder = own.split(separator: "/").dropLast().map { "/\($0)" }.joined()
        let beside = "\(folder)/\(Helper.program)"
        if try FileStatus.of(beside) != nil { return beside }
        return "\(folder)/../libexec/coffer/\(Helper.program)"
    }
}
