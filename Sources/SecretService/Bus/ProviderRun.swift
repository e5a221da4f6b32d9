/// A part of object paths that differs from one run of the provider to the next.
enum ProviderRun {
    static func name() -> String { String(UInt32.random(in: 0 ... .max), radix: 16) }
}
