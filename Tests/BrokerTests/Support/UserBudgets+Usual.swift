@testable import Broker

extension UserBudgets {
    /// With the limits of a broker whose configuration says nothing about them.
    static var usual: UserBudgets { UserBudgets(limits: .clients(connectionsPerUser: 64, connections: 1024)) }
}
