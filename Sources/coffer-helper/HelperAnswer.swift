import FoundationEssentials
import Platform

/// Writes a line of JSON for `coffer`.
enum HelperAnswer {
    static func say(_ answer: some Encodable) throws {
        try StandardOutput.write(Array(JSONEncoder().encode(answer)) + [UInt8(ascii: "\n")])
    }
}
