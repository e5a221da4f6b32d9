/// The answer of `coffer-helper measure`: the digests that the firmware's log may have for a file, in hexadecimal.
public struct FileMeasurement: Codable, Sendable {
    /// The digest of the whole file; nil if it cannot be read.
    public var content: String?
    /// The digest of the image that the firmware starts, without its signatures; nil for any other file.
    public var image: String?

    public init(content: String? = nil, image: String? = nil) {
        self.content = content
        self.image = image
    }
}
