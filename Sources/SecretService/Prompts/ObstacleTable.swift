/// Why programs got nothing, if they are not told or do not show it.
struct ObstacleTable {
    private struct Report: Hashable {
        let program: String
        let reason: String
    }

    private var reports: Set<Report> = []
    /// Why the last prompt of a connection failed.
    private var ofPrompts: [String: String] = [:]

    /// Whether a reason has been reported already.
    enum Novelty {
        case new
        /// The last one that is reported.
        case last
        case known
    }

    /// A program that tries again and again, or that makes up reasons, does not fill the journal.
    mutating func isNew(_ reason: String, for client: BusClient) -> Novelty {
        let report = Report(program: client.loggedProgram, reason: reason)
        guard reports.count < ReportLimits.kept, reports.insert(report).inserted else { return .known }
        return reports.count == ReportLimits.kept ? .last : .new
    }

    /// Its next failure is news again.
    mutating func promptWorked(for client: BusClient) {
        ofPrompts[client.name] = nil
        reports = reports.filter { $0.program != client.loggedProgram }
    }

    mutating func promptFailed(_ reason: String, for client: BusClient) { ofPrompts[client.name] = reason }

    func ofPrompt(for client: BusClient) -> String? { ofPrompts[client.name] }

    mutating func vaultOpened() { ofPrompts = [:] }

    mutating func clientLeft(_ name: String) { ofPrompts[name] = nil }
}
