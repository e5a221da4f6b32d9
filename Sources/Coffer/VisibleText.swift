import BrokerProtocol

/// Under one name for the programs that import only this module.
package typealias VisibleText = BrokerProtocol.VisibleText
