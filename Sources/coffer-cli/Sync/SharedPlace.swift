import Courier

/// Where machines share: a folder here, or a store on a server.
enum SharedPlace: Equatable {
    case folder(String, FolderCarriage)
    case remote(RemotePlace)

    /// Whether a person who writes this means a server.
    static func isRemote(_ text: String) -> Bool {
        ["s3://", "https://", "http://"].contains { text.lowercased().hasPrefix($0) }
    }
}
