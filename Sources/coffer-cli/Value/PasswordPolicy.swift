import ArgumentParser
import Glibc
import Recovery

/// What a generated password consists of.
enum PasswordPolicy: String, CaseIterable, ExpressibleByArgument {
    /// Letters and digits that no typeface confuses: no 0 O o, no 1 l I.
    case lettersDigits = "letters-digits"
    /// The same, and symbols that need no quotes in most places.
    case symbols
    /// Words of Coffer's list.
    case words
    /// Digits alone.
    case pin

    /// The groups of characters. A password has one of each at least.
    fileprivate var groups: [[UInt8]] {
        let letters = ["abcdefghijkmnpqrstuvwxyz", "ABCDEFGHJKLMNPQRSTUVWXYZ"]
        return switch self {
        case .lettersDigits: (letters + ["23456789"]).map { Array($0.utf8) }
        case .symbols: (letters + ["23456789", "!#%*+-./:=?@^_~"]).map { Array($0.utf8) }
        case .words: []
        case .pin: [Array("0123456789".utf8)]
        }
    }

    /// The possible lengths: in words for `.words`, otherwise in characters.
    var lengths: ClosedRange<Int> {
        switch self {
        case .lettersDigits, .symbols: NumberLimits.passwordLength
        case .words: NumberLimits.passwordWords
        case .pin: NumberLimits.pinLength
        }
    }

    var usualLength: Int {
        switch self {
        case .lettersDigits, .symbols: 32
        case .words: 8
        case .pin: 6
        }
    }

    /// The least strength in bits. A PIN is for what counts the tries.
    fileprivate var leastBits: Double { self == .pin ? 13 : 40 }

    fileprivate func spoken(_ length: Int) -> String { "\(length) \(self == .words ? "words" : "characters")" }
}

/// How one password is made: a policy, a length, and the characters that must not occur.
struct PasswordRecipe {
    let policy: PasswordPolicy
    let length: Int
    /// Each group without the excluded characters. Groups that are then empty are left out.
    private let groups: [[UInt8]]
    private let words: [Substring]
    private let separator: Character

    /// - Throws: if no password, or only a weak one, can be made so.
    init(_ policy: PasswordPolicy, length: Int? = nil, excluding excluded: String = "") throws(ValidationError) {
        let length = length ?? policy.usualLength
        guard policy.lengths.contains(length) else {
            let unit = policy == .words ? "a number of words" : "a length"
            throw ValidationError(
                "with --policy \(policy.rawValue), \(unit) is \(policy.lengths.lowerBound) to \(policy.lengths.upperBound)"
            )
        }
        let characters = Set(excluded)
        let bytes = Set(excluded.utf8)
        self.policy = policy
        self.length = length
        groups = policy.groups.map { $0.filter { !bytes.contains($0) } }.filter { !$0.isEmpty }
        words = policy == .words ? WordList.all.filter { $0.allSatisfy { !characters.contains($0) } } : []
        let separators: [Character] = ["-", ".", "_", " "]
        separator = separators.first { !characters.contains($0) } ?? " "
        guard policy != .words || !characters.contains(separator) else {
            throw ValidationError(
                "--exclude leaves nothing to put between the words: one of - . _ and a blank must be left")
        }
        guard bits >= policy.leastBits else {
            throw ValidationError(
                "such a password would be too easy to guess, about \(Int(max(0, bits))) bits; exclude less, or give a greater length"
            )
        }
    }

    /// The binary logarithm of the number of passwords. All are equally likely.
    var bits: Double {
        guard policy != .words else { return words.isEmpty ? 0 : Double(length) * log2(Double(words.count)) }
        let all = groups.reduce(0) { $0 + $1.count }
        guard all > 0 else { return 0 }
        // Passwords without one of the groups are left out, those without two were subtracted twice, and so on.
        var share = 0.0
        for chosen in 0..<(1 << groups.count) {
            let missing = groups.indices.filter { chosen >> $0 & 1 == 1 }
            let left = all - missing.reduce(0) { $0 + groups[$1].count }
            share += (missing.count.isMultiple(of: 2) ? 1 : -1) * pow(Double(left) / Double(all), Double(length))
        }
        return Double(length) * log2(Double(all)) + log2(max(share, .leastNormalMagnitude))
    }

    var spoken: String { "\(policy.spoken(length)) (about \(Int(bits)) bits)" }

    /// The randomness comes from the kernel (getrandom(2)), through the standard library's system generator.
    func password() -> [UInt8] {
        var source = SystemRandomNumberGenerator()
        return password(using: &source)
    }

    /// `randomElement` draws each element with the same probability: it draws again what would favour some of them.
    func password(using source: inout some RandomNumberGenerator) -> [UInt8] {
        if policy == .words {
            let drawn = (0..<length).compactMap { _ in words.randomElement(using: &source) }
            return Array(drawn.joined(separator: String(separator)).utf8)
        }
        let all = groups.flatMap { $0 }
        while true {
            let password = (0..<length).compactMap { _ in all.randomElement(using: &source) }
            // Websites ask for one of each kind. A password without one is drawn again as a whole, which favours no other.
            if groups.allSatisfy({ group in password.contains(where: group.contains) }) { return password }
        }
    }
}
