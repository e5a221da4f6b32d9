import JSON

/// Checks JSON of other programs before it is decoded. A decoder takes a member that comes twice, and another decoder may take the other one.
package enum StrictJSON {
    package static func isObject(_ bytes: [UInt8]) -> Bool {
        // `try?`: the caller words the error, and the reason quotes nothing.
        (try? JSONReader.check(bytes)) != nil
    }
}
