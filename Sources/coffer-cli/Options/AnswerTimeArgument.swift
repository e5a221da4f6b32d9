import ArgumentParser

/// How long an answer may be used again: 30s, 5m.
struct AnswerTimeArgument: Equatable {
    let seconds: Int

    init(parsing argument: String) throws {
        guard let parsed = AnswerTimeArgument(argument) else {
            throw ValidationError("give a length of time, such as 30s or 5m")
        }
        guard parsed.seconds <= NumberLimits.answerSeconds else {
            throw ValidationError("the time is 5 minutes at most: --for 5m")
        }
        self = parsed
    }

    init?(_ text: String) {
        let units: [Character: Int] = ["s": 1, "m": 60, "h": 3600]
        guard let last = text.last, let unit = units[last], let count = UInt16(text.dropLast()), count > 0 else {
            return nil
        }
        seconds = Int(count) * unit
    }

    /// The time in words.
    var spoken: String {
        let parts = [(seconds / 60, "minute"), (seconds % 60, "second")].filter { $0.0 > 0 }
        return parts.map { "\($0.0) \($0.1)\($0.0 == 1 ? "" : "s")" }.joined(separator: " and ")
    }
}
