internal import Glibc

/// A thread for PAM's modules, which expect the stack size of a main thread.
enum ModuleThread {
    private static let stackSize = 8 << 20

    /// The closure that the thread runs.
    private final class Body: Sendable {
        let run: @Sendable () -> Void
        init(_ run: @escaping @Sendable () -> Void) { self.run = run }
    }

    /// - Returns: whether the thread was started.
    static func start(_ run: @escaping @Sendable () -> Void) -> Bool {
        var attributes = pthread_attr_t()
        guard unsafe pthread_attr_init(&attributes) == 0 else { return false }
        defer { unsafe pthread_attr_destroy(&attributes) }
        unsafe pthread_attr_setstacksize(&attributes, stackSize)
        unsafe pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
        var thread = pthread_t()
        let body = unsafe Unmanaged.passRetained(Body(run))
        let code = unsafe pthread_create(
            &thread, &attributes,
            { body in
                if let body = unsafe body { unsafe Unmanaged<Body>.fromOpaque(body).takeRetainedValue().run() }
                return nil
            }, unsafe body.toOpaque())
        if code != 0 { unsafe body.release() }
        return code == 0
    }
}
