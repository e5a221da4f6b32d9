import Platform

/// What requests must have in common for one prompt to answer them: the process, the vault's owner, the purposes and the PAM services.
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
