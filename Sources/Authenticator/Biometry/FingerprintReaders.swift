import SystemBus

/// Asks fprintd which readers there are, and whether a user has enrolled fingers.
struct FingerprintReaders: ~Copyable {
    private static let name = "net.reactivated.Fprint"
    private static let manager = "net.reactivated.Fprint.Manager"
    private static let managerPath = "/net/reactivated/Fprint/Manager"
    private static let device = "net.reactivated.Fprint.Device"
    private static let noSuchDevice = "net.reactivated.Fprint.Error.NoSuchDevice"
    private static let noEnrolledPrints = "net.reactivated.Fprint.Error.NoEnrolledPrints"

    private let bus: Bus

    init(_ bus: consuming Bus) { self.bus = bus }

    /// - Throws: `noReader`, `noneEnrolled`, or `unknown` if fprintd does not answer.
    func checkEnrolment(of user: String) throws(BiometryObstacle) {
        let readers = try readers()
        guard !readers.isEmpty else { throw .noReader }
        for reader in readers where try hasFingers(of: user, reader) { return }
        throw .noneEnrolled
    }

    private func readers() throws(BiometryObstacle) -> [String] {
        do throws(BusError) {
            let answer = try bus.call(
                Self.name, Self.managerPath, Self.manager, "GetDevices", values: [], within: BiometryLimits.call)
            var paths: [String] = []
            guard try answer.enter("a", "o") else { return [] }
            while let path = try answer.nextText("o"), paths.count < BiometryLimits.readers { paths.append(path) }
            return paths
        } catch {
            if Self.meansNobody(error) { throw .noReader }
            throw .unknown("fprintd does not answer (\(error))")
        }
    }

    private func hasFingers(of user: String, _ reader: String) throws(BiometryObstacle) -> Bool {
        do throws(BusError) {
            let answer = try bus.call(
                Self.name, reader, Self.device, "ListEnrolledFingers", values: [.text(user)],
                within: BiometryLimits.call)
            guard try answer.enter("a", "s") else { return false }
            return try answer.nextText() != nil
        } catch {
            if error.name == Self.noEnrolledPrints { return false }
            if Self.meansNobody(error) { throw .noReader }
            throw .unknown("fprintd does not say which fingers are enrolled (\(error))")
        }
    }

    /// True if fprintd is not installed, cannot be started, or has lost its reader.
    private static func meansNobody(_ error: BusError) -> Bool {
        switch error.name {
        case noSuchDevice, "org.freedesktop.DBus.Error.ServiceUnknown", "org.freedesktop.DBus.Error.NameHasNoOwner",
            "org.freedesktop.DBus.Error.UnknownObject":
            true
        default: error.name?.hasPrefix("org.freedesktop.DBus.Error.Spawn.") ?? false
        }
    }
}
