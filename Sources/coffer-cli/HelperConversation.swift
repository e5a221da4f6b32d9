import Coffer
import FoundationEssentials
import Glibc
import HelperProtocol
import Platform

/// A run of `coffer-helper`: a line goes in, a line of JSON comes out. It ends with this value.
struct HelperConversation: ~Copyable {
    private let program: Subprocess
    /// What it has said, and nobody asked for yet.
    private var waiting: [UInt8] = []

    init(_ arguments: [String]) throws(KeychainError) {
        do throws(SystemError) {
            program = try Subprocess(Self.path(), arguments) {
                $0.input = .pipe
                $0.output = .pipe
                $0.errors = .inherited
            }
        } catch {
            throw KeychainError(
                .failed, "\(Helper.program) cannot be started: \(error.reason)", advice: "install Coffer again")
        }
    }

    /// Says a line, and waits for the answer.
    /// - Parameter limit: the most bytes that the answer may have.
    mutating func ask<Answer: Decodable>(_ line: [UInt8], limit: Int) throws(KeychainError) -> Answer {
        do throws(SystemError) { try program.write(line + [UInt8(ascii: "\n")]) } catch { throw Self.ended }
        return try receive(limit: limit)
    }

    /// Waits for a line.
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
            // As if it had ended: it says itself why, on standard error.
        }
        throw Self.ended
    }

    private static var ended: KeychainError {
        KeychainError(
            .failed, "\(Helper.program) ended before it answered", advice: "what was done before stays")
    }

    /// Beside this program where both were built, else where it was installed.
    private static func path() throws(SystemError) -> String {
        let own = try ProcessLink.read("exe", of: getpid())
        let folder = own.split(separator: "/").dropLast().map { "/\($0)" }.joined()
        let beside = "\(folder)/\(Helper.program)"
        if try FileStatus.of(beside) != nil { return beside }
        return "\(folder)/../libexec/coffer/\(Helper.program)"
    }
}
