import ArgumentParser
import Coffer

/// `NAME=coffer://SERVICE/ACCOUNT`, or `NAME` alone if that variable holds the reference.
struct SecretAssignment: Equatable {
    let name: String
    /// nil if the present environment has it.
    let reference: SecretReference?

    init(parsing text: String) throws {
        let halves = text.halves(at: "=")
        name = halves?.before ?? text
        guard VariableName.isValid(name) else {
            throw ValidationError(
                "a variable's name has letters, digits and underscores only, and begins with no digit: write NAME=coffer://SERVICE/ACCOUNT"
            )
        }
        guard let halves else {
            reference = nil
            return
        }
        do throws(SecretReference.Mistake) {
            reference = try SecretReference(parsing: halves.after)
        } catch {
            // The text is not repeated, because it may be a secret.
            throw ValidationError("\(name) is not set to a reference: \(error.reason); \(error.advice)")
        }
    }
}
