import JSON

// A string member of the wire whose type Interfaces/swift.toml names is read and written by its raw value.
extension Keychain.SetMode: JSONValue {}
extension Keychain.RollbackTime: JSONValue {}
extension Keychain.Change.Action: JSONValue {}
