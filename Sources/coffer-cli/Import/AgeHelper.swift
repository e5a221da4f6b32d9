import Coffer
import FoundationEssentials
import HelperProtocol

/// Has `cofferd helper` encrypt or open bytes in the age format.
struct AgeHelper: ~Copyable {
    private var helper: HelperConversation

    private init(helper: consuming HelperConversation) { self.helper = helper }

    /// Starts the helper and gives it its input.
    static func with(_ input: [UInt8]) throws(KeychainError) -> AgeHelper {
        var started = AgeHelper(helper: try HelperConversation([Helper.age]))
        for start in stride(from: 0, to: input.count, by: AgeRequest.part) {
            let part = input[start..<min(start + AgeRequest.part, input.count)]
            if let problem = try started.ask(AgeRequest(add: Data(part).base64EncodedString())).problem {
                throw KeychainError(.limitExceeded, problem)
            }
        }
        return started
    }

    /// Sends a request. The answer may name a problem.
    mutating func ask(_ request: AgeRequest) throws(KeychainError) -> AgeAnswer {
        let line: [UInt8]
        do { line = Array(try JSONEncoder().encode(request)) } catch {
            throw KeychainError(.failed, "a request to \(Helper.name) cannot be written")
        }
        return try helper.ask(line, limit: HelperLimits.part)
    }

    /// The output of what was done.
    mutating func output(_ count: Int) throws(KeychainError) -> [UInt8] {
        var output: [UInt8] = []
        while output.count < count {
            let answer = try ask(AgeRequest(take: output.count))
            guard let part = answer.part.flatMap({ Data(base64Encoded: $0) }), !part.isEmpty else {
                throw KeychainError(.failed, "\(Helper.name) did not give out its output")
            }
            output += part
        }
        return output
    }
}
