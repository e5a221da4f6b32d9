import Platform

/// A command that becomes another program.
protocol ProgramStarting {
    /// - Parameter inheritance: what the other program has to get back.
    func run(restoring inheritance: ProcessInheritance) throws
}
