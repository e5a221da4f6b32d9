@testable import Broker

extension UserBudgets {
    /// With the limits of a broker whose configuration does not mention them.
    static var usual: UserBudgets { UserBudgets(limits: .clients(connectionsPerUser: 64, connections: 1024)) }
}
