/// What came of reading a program's output.
public enum ProgramReading: Sendable {
    /// - Parameters:
    ///   - status: see ``Subprocess/status``.
    ///   - output: all of it.
    case ended(status: Int32, output: [UInt8])
    /// It took longer than it may.
    case hung
    /// It printed more than it may.
    case flooded
}

extension Subprocess {
    /// Reads a program to its end. One that takes or prints too much ends with this value. Blocks the thread.
    /// - Parameter most: how long its output may be, in bytes.
    public func readToEnd(most: Int, until deadline: ContinuousClock.Instant) throws(SystemError) -> ProgramReading {
        var output: [UInt8] = []
        while true {
            guard ContinuousClock.now < deadline else { return .hung }
            // What a program leaves behind may hold the pipe open, for example a connection of ssh that is kept.
            let hasEnded = status != nil
            guard var more = try read(limit: ProgramLimits.piece, until: .now + ProgramLimits.look) else {
                if hasEnded { break }
                continue
            }
            defer { Wipe.bytes(&more) }
            if more.isEmpty { break }
            Wipe.append(more, to: &output)
            guard output.count <= most else { return .flooded }
        }
        guard let status = try wait(until: deadline) else { return .hung }
        return .ended(status: status, output: output)
    }
}
