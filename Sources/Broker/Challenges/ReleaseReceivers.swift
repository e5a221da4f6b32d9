import Circle

/// The machines to which guarded items are released.
struct ReleaseReceivers: Sendable, Equatable {
    /// Sorted.
    let devices: [WriterID]
    /// What they call themselves, in the order of the ids.
    let names: [MachineName]
}
