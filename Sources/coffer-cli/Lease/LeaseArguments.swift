import ArgumentParser
import Coffer

/// How long a lease lasts: 90s, 10m, 1h.
struct LeaseTimeArgument: Equatable {
    let seconds: Int

    init(parsing argument: String) throws {
        let units: [Character: Int] = ["s": 1, "m": 60, "h": 3600]
        guard let last = argument.last, let unit = units[last], let count = UInt16(argument.dropLast()), count > 0
        else {
            throw ValidationError("give a length of time, such as 90s, 10m or 1h")
        }
        seconds = Int(count) * unit
        guard seconds <= NumberLimits.leaseSeconds else {
            throw ValidationError("a lease lasts 12 hours at most")
        }
    }
}

/// The items of a lease: SERVICE/ACCOUNT or SERVICE/ACCOUNT/FIELD, with commas between them. Each is written like a reference, with or without `coffer://`.
struct LeaseItemsArgument: Equatable {
    let names: [PartialName]

    init(parsing argument: String) throws {
        // As bytes: for Unicode, a comma and an accent after it are one character, which is no comma.
        let parts = argument.utf8.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false)
        guard parts.count <= ReferenceLimits.prompt else {
            throw ValidationError("a lease has at most \(ReferenceLimits.prompt) items")
        }
        var names: [PartialName] = []
        for part in parts {
            let text = String(decoding: part, as: UTF8.self)
            do throws(SecretReference.Mistake) {
                let reference = try SecretReference(
                    parsing: text.hasPrefix(SecretReference.scheme) ? text : SecretReference.scheme + text)
                guard reference.vault == .own else {
                    throw SecretReference.Mistake(
                        reason: "it names a vault, but a lease is from one vault", advice: "use --group for all items")
                }
                names.append(
                    .init(
                        service: reference.service, account: reference.account,
                        kind: reference.kind == .genericPassword ? nil : reference.kind, field: reference.field))
            } catch {
                throw ValidationError("an item of the lease cannot be read: \(error.reason); \(error.advice)")
            }
        }
        self.names = names
    }

    static func == (left: LeaseItemsArgument, right: LeaseItemsArgument) -> Bool {
        left.names == right.names
    }
}

/// The words of the command that has the lease, for the command that it starts.
enum LeaseWords {
    /// The same words without the options of the lease. What follows `--` stays as it is.
    static func without(_ words: [[UInt8]]) -> [[UInt8]] {
        let names = ["--lease", "--items"].map { Array($0.utf8) }
        var kept: [[UInt8]] = []
        var rest = words[...]
        while let word = rest.popFirst() {
            if word == Array("--".utf8) { return kept + [word] + rest }
            if names.contains(word) {
                // Its value.
                _ = rest.popFirst()
            } else if !names.contains(where: { word.starts(with: $0 + [UInt8(ascii: "=")]) }) {
                kept.append(word)
            }
        }
        return kept
    }
}
