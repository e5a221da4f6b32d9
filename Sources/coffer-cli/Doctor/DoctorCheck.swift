/// One thing that is looked at. Each has a file of its own; `Doctor` puts them in order.
protocol DoctorCheck: SendableMetatype {
    /// - Returns: nothing where an earlier check has said already why this one cannot be made.
    static func findings(_ facts: DoctorFacts) -> [DoctorFinding]
}
