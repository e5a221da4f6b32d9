import JSON

// A string member of the wire whose type Interfaces/swift.toml names is read and written by its raw value.
extension Keychain.Accessibility: JSONValue {}
extension Keychain.Constraint: JSONValue {}
extension Keychain.ItemKind: JSONValue {}
extension Keychain.SetMode: JSONValue {}
extension Keychain.RollbackTime: JSONValue {}
extension Keychain.Change.Action: JSONValue {}
