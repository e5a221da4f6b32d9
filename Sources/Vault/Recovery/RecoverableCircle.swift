import Authorization
import Circle
import Cryptography
import Item

/// What a circle's paper reads in a store, without any machine of the circle (docs/sync-format.md, “Paper”). It needs no
/// TPM, registry or broker. What the store has is judged by the same rules as on a machine.
package struct RecoverableCircle: Sendable {
    package struct Machine: Sendable {
        package let device: WriterID
        /// What it says of itself; nil if the store does not tell.
        package let name: MachineName?
        package let isMember: Bool
        /// The time of its newest head, by its own clock, in milliseconds since 1970-01-01 UTC; nil if none is there.
        package let newest: UInt64?
    }

    package struct Item: Sendable {
        package let metadata: Metadata
        /// All that reading it took on any machine.
        package let access: AccessControl
        fileprivate let values: [FieldName: PartChange]
        fileprivate let shared: SharedItem
    }

    /// A value that the paper does not open.
    package struct Lost: Sendable {
        package let name: ItemName
        package let field: FieldName
        package let reason: String
    }

    /// What there is of a circle for a code.
    package enum Found: Sendable {
        case circle(RecoverableCircle)
        /// The code was the circle's, and was removed or replaced.
        case removed
        /// The code is none of this circle's, or its files are not those of one.
        case none
    }

    package let circle: StatementName
    /// Sorted by device: members, and those that were.
    package let machines: [Machine]
    /// Sorted by service and account. Those in the bin are left out.
    package let items: [Item]
    package let lost: [Lost]
    /// How many parts machines have changed at the same time. Those that are shown count.
    package let contested: Int
    /// Whether the store lacks records that a machine has given out, or has some that do not open.
    package let isIncomplete: Bool

    private let keys: PaperKeys
    private let view: CircleView

    /// - Parameters:
    ///   - heads: as the store has them, and so are the segments. What has not their form is left out.
    ///   - now: milliseconds since 1970-01-01 UTC.
    package static func find(
        _ code: PaperCode, in circle: StatementName, heads: [[UInt8]], segments: [[UInt8]], at now: UInt64
    ) throws(VaultError) -> Found {
        let keys = try cryptography { () throws(CryptographyError) in try PaperKeys(code, in: circle) }
        let view = try view(keys, circle, heads, segments)
        // The keys come from code and circle, so nobody has put them into a circle of their own.
        guard view.paper == keys.member else {
            return view.membership.others.contains(keys.member.device) ? .removed : .none
        }
        return .circle(try RecoverableCircle(view, keys, at: now))
    }

    private static func view(
        _ keys: PaperKeys, _ circle: StatementName, _ heads: [[UInt8]], _ segments: [[UInt8]]
    ) throws(VaultError) -> CircleView {
        var material = CircleMaterial(
            device: CircleDevice(
                circle: circle, keys: keys.member,
                // Nobody signs anything with them.
                signingKeys: CircleSigningKeys(
                    stream: SealedObject(role: .streamKey, public: [], private: []),
                    membership: SealedObject(role: .membershipKey, public: [], private: [])),
                profile: DeviceProfile(MachineName(near: "paper"), .software)))
        let fresh = try OpenVault.fresh(heads: heads, segments: segments, material)
        material.heads = fresh.heads
        for one in fresh.segments { material.add(one.segment, one.file) }
        let (receiving, files) = (ReceivingKeys(keys), SegmentFiles(material.arrived, in: nil))
        var known: Set<PaperEnvelope> = []
        for record in material.segments.flatMap(\.records) where record.header.generation == nil {
            // The statements in it say who its writer is, so it is read before anybody is known. They are judged as all.
            guard case .paper(let envelope)? = try RecordSealing.open(files.record(record), half: nil),
                known.insert(envelope).inserted,
                let content = try PaperSealing.open(envelope, for: keys.member.device, by: receiving, in: circle)
            else { continue }
            material.statements += content.statements
            for (generation, halves) in content.generations {
                let opened = try cryptography { () throws(CryptographyError) in
                    try GenerationHalves(halves, of: generation, by: receiving)
                }
                // Who knows the paper's public keys can seal something to it. That must not take the place of the right halves.
                guard opened != nil else { continue }
                material.brought[generation.name] = halves
                material.generations.append(generation)
            }
        }
        return try CircleView(material, by: receiving, files)
    }

    private init(_ view: CircleView, _ keys: PaperKeys, at now: UInt64) throws(VaultError) {
        (self.view, self.keys, circle) = (view, keys, view.device.circle)
        let members = Set(view.membership.members.filter { $0.role != .paper }.map(\.keys.device))
        machines = (members.union(view.membership.others)).sorted().compactMap { device in
            let newest = view.streams[device]?.newest?.head.time
            // A paper before this one has no stream.
            guard newest != nil || members.contains(device) else { return nil }
            return Machine(
                device: device, name: view.profiles[device]?.name, isMember: members.contains(device), newest: newest)
        }
        isIncomplete =
            view.unread > 0 || !view.state.waits.isEmpty
            || members.contains { !view.gaps(of: $0).isEmpty || view.streams[$0]?.newest == nil }
        let reader = PaperReader(view: view, keys: keys)
        let (shared, names) = (view.state.items.filter { !$0.isInBin }, SharedNames(view.state.items))
        var (items, lost): ([Item], [Lost]) = ([], [])
        for one in shared {
            let name = one.localName(names)
            var (fields, values, accesses): ([ItemField], [FieldName: PartChange], [AccessControl]) = (
                [], [:], one.floor
            )
            for case .field(let field) in one.parts {
                guard let change = one.shown(.field(field)), case .value(let content)? = change.content else {
                    continue
                }
                do throws(VaultError) {
                    _ = try reader.open(change, field, of: one)
                    guard fields.count < ItemLimits.fields else { throw .unread("the item has too many fields") }
                    let kind = try view.value(of: change)?.value.kind ?? .secret
                    fields.append(ItemField(field, kind, set: change.stamp.clock))
                    values[field] = change
                    accesses.append(content.access)
                } catch {
                    guard error.code == .invalidArgument else { throw error }
                    lost.append(Lost(name: name, field: field, reason: error.reason))
                }
            }
            guard !fields.isEmpty else { continue }
            // What was changed on several machines at once is never read with less than one of them asked for.
            guard let access = CombinedAccess(meeting: accesses)?.strictest else {
                for field in fields {
                    lost.append(
                        Lost(
                            name: name, field: field.name, reason: "no requirements say all that its machines have set")
                    )
                }
                continue
            }
            var withheld: SharedItems.Withheld = [:]
            items.append(
                Item(
                    metadata: try one.metadata(as: name, fields.inOrder, over: nil, at: now, &withheld), access: access,
                    values: values, shared: one))
        }
        // Equal contents are no conflict. Two machines can have given out one value under two names.
        contested = shared.reduce(0) { count, item in
            count + item.contested.count { $0.isField || !item.conflict(in: $0).isEmpty }
        }
        self.items = items.sorted {
            ($0.metadata.service, $0.metadata.account) < ($1.metadata.service, $1.metadata.account)
        }
        self.lost = lost.sorted { ($0.name.service, $0.name.account) < ($1.name.service, $1.name.account) }
    }

    /// - Throws: `.noField`; `.invalidArgument` for a value that does not open.
    package func value(of item: Item, _ field: FieldName) throws(VaultError) -> SecretBytes {
        guard let change = item.values[field] else { throw .unread("there is no such field") }
        return try PaperReader(view: view, keys: keys).open(change, field, of: item.shared)
    }
}

/// Opens values with the keys of a paper.
private struct PaperReader {
    let view: CircleView
    let keys: PaperKeys

    /// Values of a circle are bound to no vault, so any will do.
    private static let vault = VaultID(bytes: [UInt8](repeating: 0, count: VaultID.count))

    /// - Throws: `.invalidArgument` for a value that does not open.
    func open(_ change: PartChange, _ field: FieldName, of item: SharedItem) throws(VaultError) -> SecretBytes {
        guard let vault = Self.vault, case .value(let content)? = change.content, let found = try view.value(of: change)
        else { throw .unread("the folder lacks its value") }
        guard !content.access.requirements.isEmpty else {
            guard let opened = try OpenedValue(change, found, in: view, of: vault, as: item.name) else { throw .wrong }
            return opened.plain
        }
        guard let revision = RevisionID(bytes: content.revision), let sealedFor = ItemID(bytes: found.value.item.bytes)
        else { throw .wrong }
        var isThere = false
        for case .device(keys.member.device, let name, let bytes) in view.slots(of: change, found.value).joined() {
            isThere = true
            for shown in Set(item.revisions(of: .name).compactMap(\.itemName) + [item.name]) {
                let context = FieldContext(
                    vault: vault, item: sealedFor, field: field, access: content.access, seal: .third(revision),
                    name: shown, address: SlotAddress(circle: view.device.circle, keys.member))
                guard try cryptography({ () throws(CryptographyError) in try context.nameDigest() }) == name,
                    let value = try value(found.value, bytes, context)
                else { continue }
                return value
            }
        }
        throw isThere ? .wrong : .unread("it requires a person, and was not released to this code")
    }

    /// - Returns: nil for a slot that is none, or gives another key than the value commits to: its writer's fault.
    private func value(
        _ carried: CarriedValue, _ bytes: [UInt8], _ context: FieldContext
    ) throws(VaultError) -> SecretBytes? {
        let slot: Slot
        do throws(VaultError) { slot = try Slot(decoding: bytes) } catch { return nil }
        let requirements = slot.shape.requirements.inOrder
        let places = requirements.compactMap { MemberKeys.guards.firstIndex(of: $0) }
        guard let place = KeyClass.receiving.firstIndex(where: { $0.kind == slot.shape.keyClass.kind }),
            places.count == requirements.count
        else { return nil }
        do throws(CryptographyError) {
            var agreements: [SecretBytes] = []
            for (place, point) in zip(places, slot.points) {
                agreements.append(try keys.guards[place].sharedSecret(with: point))
            }
            let key = try slot.unwrap(
                classKey: keys.receiving[place], agreements: agreements, password: nil,
                constraintKeys: places.map { keys.guards[$0].publicKey }, context)
            guard ConstantTime.equal(try context.commitment(to: key), carried.commitment) else { return nil }
            return try opened(carried.sealed, context, key)
        } catch {
            guard error.code == .authenticationFailed || error.code == .invalidKey else { throw VaultError(error) }
            return nil
        }
    }

    private func opened(_ sealed: [UInt8], _ context: FieldContext, _ key: SecretBytes) throws(CryptographyError)
        -> SecretBytes?
    {
        do throws(VaultError) { return try context.open(sealed, key: key) } catch { return nil }
    }
}

extension PartChange {
    fileprivate var itemName: ItemName? { if case .name(let name)? = content { name } else { nil } }
}

extension CombinedAccess {
    /// One access control that asks for all of this: exactly, or else for every requirement at once.
    fileprivate var strictest: AccessControl? {
        if let expressed { return expressed }
        do throws(AccessControlError) {
            return try AccessControl(
                accessibility, isThisDeviceOnly: isThisDeviceOnly, requirements: Set(ways.joined()))
        } catch { return nil }
    }
}

extension VaultError {
    fileprivate static let wrong = VaultError.unread("a machine has sealed it in a way that does not open")

    fileprivate static func unread(_ reason: String) -> VaultError { VaultError(.invalidArgument, reason) }
}
