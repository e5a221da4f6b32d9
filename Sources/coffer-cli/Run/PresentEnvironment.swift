import Coffer
import Platform

/// The environment of this process, as bytes.
struct PresentEnvironment {
    /// `NAME=VALUE`, in their order. An entry need not be UTF-8, nor have a name.
    let entries: [[UInt8]]

    init(_ entries: [[UInt8]] = RawWords.environment()) { self.entries = entries }

    func reference(of assignment: SecretAssignment) throws(KeychainError) -> SecretReference {
        if let reference = assignment.reference { return reference }
        return try reference(in: assignment.name)
    }

    /// The reference that a variable holds.
    private func reference(in name: String) throws(KeychainError) -> SecretReference {
        let start = Array("\(name)=".utf8)
        let found = entries.filter { $0.starts(with: start) }
        guard let entry = found.first else {
            throw KeychainError(
                .invalidArgument, "the variable \(name) is not set",
                advice: "write \(name)=coffer://SERVICE/ACCOUNT, or set it to a reference first")
        }
        // Programs disagree about which of two counts.
        guard found.count == 1 else {
            throw KeychainError(
                .invalidArgument, "the variable \(name) is set twice in the environment",
                advice: "write \(name)=coffer://SERVICE/ACCOUNT")
        }
        do throws(SecretReference.Mistake) {
            // Bytes that are not UTF-8 become a character that no reference may have.
            return try SecretReference(parsing: String(decoding: entry.dropFirst(start.count), as: UTF8.self))
        } catch {
            throw KeychainError(
                .invalidArgument, "the variable \(name) does not hold a reference: \(error.reason)",
                advice: error.advice)
        }
    }

    /// All but the variables with these names.
    func without(_ names: Set<String>) -> [[UInt8]] {
        entries.filter { entry in
            guard let end = entry.firstIndex(of: UInt8(ascii: "=")) else { return true }
            return !names.contains(String(decoding: entry[..<end], as: UTF8.self))
        }
    }

    /// The variables that hold what is meant as a reference.
    func namesOfReferences(except names: Set<String>) -> [String] {
        without(names).compactMap { entry in
            guard let end = entry.firstIndex(of: UInt8(ascii: "=")), SecretReference.isMeant(entry[(end + 1)...])
            else { return nil }
            return String(decoding: entry[..<end], as: UTF8.self)
        }
    }
}
