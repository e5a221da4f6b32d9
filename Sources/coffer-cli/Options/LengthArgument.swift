import ArgumentParser

/// The number of characters in a generated password.
struct LengthArgument: Equatable {
    let characters: Int

    static func isLength(_ text: String) -> Bool { Int(text).map(NumberLimits.passwordLength.contains) ?? false }

    init(parsing argument: String) throws {
        guard let count = Int(argument), NumberLimits.passwordLength.contains(count) else {
            throw ValidationError(
                "a length is a number from \(NumberLimits.passwordLength.lowerBound) to \(NumberLimits.passwordLength.upperBound)"
            )
        }
        characters = count
    }
}

/// A number of seconds: 45, 45s, 2m.
struct SecondsArgument: Equatable {
    let seconds: Int

    init(parsing argument: String) throws {
        guard let parsed = SecondsArgument(argument) else {
            throw ValidationError("a time is 1s to 3600s, or 1m to 60m")
        }
        self = parsed
    }

    init?(_ text: String) {
        var digits = text[...]
        let unit = text.last == "m" ? 60 : 1
        if let last = text.last, last == "s" || last == "m" { digits = digits.dropLast() }
        guard let count = Int(digits), count <= NumberLimits.clipboardSeconds.upperBound,
            NumberLimits.clipboardSeconds.contains(count * unit)
        else { return nil }
        seconds = count * unit
    }

    /// The time in words.
    var spoken: String { "\(seconds) second\(seconds == 1 ? "" : "s")" }
}
