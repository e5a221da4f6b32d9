import Authorization

/// Changes that their writer no longer gives out, because others took their place (docs/sync-format.md, “Compaction”).
package struct PastChanges: Hashable, Sendable {
    /// Values that were given out under one generation.
    package struct Values: Hashable, Sendable {
        package let generation: StatementName
        /// The first eight bytes of their digests, sorted, each once.
        package let digests: [UInt64]
    }

    /// The first eight bytes of the changes' names, sorted, each once.
    package let names: [UInt64]
    /// Sorted by the generations' names, each once.
    package let values: [Values]

    /// Any number of names and digests, in as many records as they take.
    package static func records(
        names: Set<UInt64>, values: [StatementName: Set<UInt64>]
    ) -> [PastChanges] {
        var records: [PastChanges] = []
        let names = names.sorted()
        for place in stride(from: 0, to: names.count, by: CircleLimits.past) {
            records.append(
                PastChanges(names: Array(names[place..<min(place + CircleLimits.past, names.count)]), values: []))
        }
        for generation in values.keys.sorted() {
            let digests = (values[generation] ?? []).sorted()
            for place in stride(from: 0, to: digests.count, by: CircleLimits.past) {
                let part = Array(digests[place..<min(place + CircleLimits.past, digests.count)])
                records.append(PastChanges(names: [], values: [Values(generation: generation, digests: part)]))
            }
        }
        return records
    }

    private init(names: [UInt64], values: [Values]) { (self.names, self.values) = (names, values) }

    package var bytes: [UInt8] {
        [UInt8](list: names) { BigEndian.bytes($0) }
            + [UInt8](list: values) { $0.generation.bytes + [UInt8](list: $0.digests) { BigEndian.bytes($0) } }
    }

    /// - Throws: `.length`, `.order`.
    package init(decoding bytes: [UInt8]) throws(CircleFormError) {
        var rest = bytes[...]
        names = try Self.numbers(from: &rest)
        values = try rest.elements(upTo: CircleLimits.generations) { (rest) throws(CircleFormError) in
            Values(generation: try rest.circle(), digests: try Self.numbers(from: &rest))
        }
        try rest.end()
        guard zip(values, values.dropFirst()).allSatisfy({ $0.generation < $1.generation }) else { throw .order }
    }

    private static func numbers(from rest: inout ArraySlice<UInt8>) throws(CircleFormError) -> [UInt64] {
        let numbers = try rest.elements(upTo: CircleLimits.past) { (rest) throws(CircleFormError) in
            try rest.integer(UInt64.self)
        }
        guard zip(numbers, numbers.dropFirst()).allSatisfy({ $0 < $1 }) else { throw .order }
        return numbers
    }
}
