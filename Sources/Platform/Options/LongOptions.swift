import CLinux
import Glibc

/// The gate to getopt_long. The function keeps its state for the whole process, so a program reads its options once, before it starts threads.
public struct LongOptions: Sendable {
    /// What getopt_long refuses.
    public enum Mistake: Error, Sendable, Equatable {
        case unknown(String)
        case missingValue(String)
        /// A word too many.
        case surplus
    }

    private let names: [String]
    private let takingValue: Set<String>
    private let wordCount: Int

    /// - Parameters:
    ///   - names: without their two dashes. `help` and `-h` are always there.
    ///   - takingValue: those of them that take a value.
    ///   - wordCount: how many words may follow the options.
    public init(_ names: [String], takingValue: Set<String>, wordCount: Int = 0) {
        self.names = names + ["help"]
        self.takingValue = takingValue
        self.wordCount = wordCount
    }

    /// - Returns: the values by the options' names, empty for those without one; and the words that follow.
    public func read(_ words: [String]) throws(Mistake) -> (values: [String: String], words: [String]) {
        // In place of the program's name, which only messages of its own would show.
        let arguments = unsafe Self.copies([""] + words)
        let spelled = unsafe Self.copies(names)
        defer { unsafe (arguments + spelled).forEach { unsafe free($0) } }
        var table = unsafe [option](repeating: option(), count: names.count + 1)
        for (place, name) in names.enumerated() {
            unsafe table[place].name = unsafe UnsafePointer(spelled[place])
            unsafe table[place].has_arg = takingValue.contains(name) ? required_argument : no_argument
            unsafe table[place].val = Int32(Self.first + place)
        }
        var values: [String: String] = [:]
        coffer_options_begin()
        while true {
            let found = unsafe Int(getopt_long(Int32(words.count + 1), arguments, "+:h", table, nil))
            switch found {
            case -1:
                let rest = words.dropFirst(Int(coffer_options_place()) - 1)
                guard rest.count <= wordCount else { throw .surplus }
                return (values, Array(rest))
            case Int(UInt8(ascii: "h")): values["help"] = ""
            case Self.first..<(Self.first + names.count):
                values[names[found - Self.first]] =
                    unsafe coffer_option_value().map { unsafe String(cString: $0) } ?? ""
            case Int(UInt8(ascii: ":")): throw .missingValue(Self.refused(words))
            default: throw .unknown(Self.refused(words))
            }
        }
    }

    /// Above all characters, which are short options and mistakes.
    private static let first = 256

    /// The option that was just refused, without its value.
    private static func refused(_ words: [String]) -> String {
        let place = Int(coffer_options_place()) - 2
        guard words.indices.contains(place) else { return "" }
        // For a `Character`, "=" and an accent after it are no "=", and the value would be in the error.
        return String(words[place].unicodeScalars.prefix { $0 != "=" }.prefix(40))
    }

    /// C strings with a null pointer behind the last one, for the caller to free.
    private static func copies(_ texts: [String]) -> [UnsafeMutablePointer<CChar>?] {
        unsafe texts.map { unsafe strdup($0) } + [nil]
    }
}
