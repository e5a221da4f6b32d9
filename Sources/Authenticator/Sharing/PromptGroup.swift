import Platform

/// What requests must have in common to be answered by one prompt: the process, whose keychain, for what, by which proofs.
struct PromptGroup: Codable, Equatable {
    let pid: Int32
    let startTime: UInt64
    let owner: String
    let purposes: [String]
    let services: [String]

    init(pid: Int32, startTime: UInt64, owner: String, purposes: [String], services: [String]) {
        self.pid = pid
        self.startTime = startTime
        self.owner = owner
        self.purposes = purposes
        self.services = services
    }

    init(_ client: Client, _ demand: Demand) {
        pid = client.process.pid
        startTime = client.process.startTime
        owner = demand.claim.owner.text
        purposes = demand.purposes.map(\.rawValue).sorted()
        services = demand.services.map(\.rawValue)
    }
}
