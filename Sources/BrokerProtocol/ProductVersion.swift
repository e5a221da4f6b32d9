/// The version of all of Coffer's programs, which are built and installed together.
public enum ProductVersion {
    public static let current = "0.1.0"
}
