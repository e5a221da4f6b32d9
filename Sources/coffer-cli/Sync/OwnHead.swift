import Authorization
import BrokerProtocol
import Circle
import Coffer

/// Compares what this machine gave out last with what a folder has of it. A write that has failed leaves the two apart.
enum OwnHead {
    /// - Returns: whether the folder lacks it. nil for a store on a server: nobody asks the network for this.
    static func isMissing(
        in folder: SharedFolder, of circle: StatementName, _ state: Sync.State.Reply
    ) throws -> Bool? {
        guard folder.remote == nil, let own = state.machines.first(where: \.own), let given = own.heard,
            let device = WriterID(bytes: Hex.decode(own.device) ?? [])
        else { return nil }
        let bytes: [UInt8]?
        do { bytes = try folder.read(.head(circle: circle, device: device)) } catch let failure as CommandFailure {
            guard failure.isAboutOneFile else { throw failure }
            return true
        }
        // `try?`: what is no head is none of this machine, for each reason alike.
        guard let bytes, let head = try? SignedHead(decoding: bytes) else { return true }
        return Int64(clamping: head.head.time) < given
    }
}
