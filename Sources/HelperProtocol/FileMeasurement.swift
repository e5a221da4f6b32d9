/// What `coffer-helper measure` says of a file: the digests under which it can be in the firmware's log, in hexadecimal.
public struct FileMeasurement: Codable, Sendable {
    /// Of the whole file; nil where it cannot be read.
    public var content: String?
    /// Of the image that the firmware starts, without its signatures; nil of any other file.
    public var image: String?

    public init(content: String? = nil, image: String? = nil) {
        self.content = content
        self.image = image
    }
}
