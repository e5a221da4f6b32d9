/// One check of `coffer doctor`. Each has a file of its own; `Doctor` puts them in order.
protocol DoctorCheck: SendableMetatype {
    /// - Returns: nothing if an earlier check has already said why this one is impossible.
    static func findings(_ facts: DoctorFacts) -> [DoctorFinding]
}
