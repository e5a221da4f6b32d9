import Glibc

/// The number of descriptors that this process may have (getrlimit(2), RLIMIT_NOFILE).
public enum DescriptorLimit {
    /// Raises the soft limit as far as the hard limit allows.
    /// - Parameter wanted: the most that is needed.
    /// - Returns: the new limit.
    @discardableResult
    public static func raise(to wanted: UInt64) throws(SystemError) -> Int {
        let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        var limit = rlimit()
        try checked("ask for the limit on descriptors") { unsafe getrlimit(resource, &limit) }
        let possible = min(UInt64(limit.rlim_max), wanted)
        if UInt64(limit.rlim_cur) < possible {
            limit.rlim_cur = rlim_t(possible)
            try checked("raise the limit on descriptors") { unsafe setrlimit(resource, &limit) }
        }
        return Int(clamping: limit.rlim_cur)
    }
}
