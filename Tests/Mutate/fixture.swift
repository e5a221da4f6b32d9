// What `mutate` is tried on. Its mistakes are in fixture.expected.
struct Fixture {
    static let limit = 0x10
    let places: [Int: String]

    init(_ places: [Int: String]) {
        self.places = places
        start()
    }

    func begun() -> Bool { begin("") }

    func count(_ wanted: Int) throws -> Int {
        guard wanted < Self.limit, !places.isEmpty else { throw Failure() }
        if wanted == 3 { return 1 }
        guard let place = places[wanted] else { return 0 }
        defer { close(7) }
        // The order matters.
        begin(place)
        try check(place)
        _ = try finish(place)
        for number in 0..<wanted { total += number }
        do { try sync() } catch { report(error) }
        wipe()
        begin(place)
        switch wanted {
        case 5: begin(place)
        default: break
        }
        // The order of these three cannot matter, but that of the next ones can.
        total = wanted
        seen.append(place)
        self.last = Place(wanted)
        next = total
        total = wanted
        append(place)
        (first, next) = (1, 2)
        return places.count == wanted ? 1 : self.count
    }

    @available(*, deprecated, message: "9") enum Kind: Int { case one = 4 }
}
