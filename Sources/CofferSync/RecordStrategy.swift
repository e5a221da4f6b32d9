/// What becomes of a record that two machines have changed at the same time.
///
/// ```swift
/// let strategy = RecordStrategy<Note>.merge { mine, theirs in
///     Note(title: [theirs.title, mine.title].sorted().joined(separator: " / "))
/// }
/// ```
///
/// ``local`` and ``remote`` mean the machine that decides. Two machines that decide differently at the same time have two
/// results. Of these the last one counts, so that all machines come to one record.
public struct RecordStrategy<Record: Sendable>: Sendable {
    enum Rule: Sendable {
        case lastWriter
        case local
        case remote
        case merge(@Sendable (_ mine: Record, _ theirs: Record) -> Record)
    }

    let rule: Rule

    /// The record that was changed last, by the machines' clocks.
    public static var lastWriter: RecordStrategy { RecordStrategy(rule: .lastWriter) }

    /// The record of this machine.
    public static var local: RecordStrategy { RecordStrategy(rule: .local) }

    /// The record of the other machine.
    public static var remote: RecordStrategy { RecordStrategy(rule: .remote) }

    /// What the closure makes of both. It must give the same for the same records.
    public static func merge(
        _ body: @escaping @Sendable (_ mine: Record, _ theirs: Record) -> Record
    ) -> RecordStrategy { RecordStrategy(rule: .merge(body)) }
}
