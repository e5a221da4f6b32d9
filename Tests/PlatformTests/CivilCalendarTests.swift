import Testing

@testable import Platform

@Suite struct CivilCalendarTests {
    private static let days: [(year: Int, month: Int, day: Int, seconds: Int64?)] = [
        (1970, 1, 1, 0), (2000, 2, 29, 951_782_400), (2026, 11, 22, 1_795_305_600), (9999, 12, 31, 253_402_214_400),
        (1, 1, 1, -62_135_596_800), (2023, 2, 29, nil), (2026, 2, 30, nil), (2026, 0, 1, nil), (2026, 13, 1, nil),
        (2026, 1, 0, nil), (2026, 1, -5, nil), (0, 1, 1, nil), (10_000, 1, 1, nil), (.max, 1, 1, nil),
        (2026, .min, 1, nil),
        (2026, 1, .max, nil),
    ]

    @Test(arguments: days)
    func aDayBeginsOnlyWhereThereIsOne(year: Int, month: Int, day: Int, seconds: Int64?) {
        #expect(CivilCalendar.utc.beginning(ofDay: day, month: month, year: year) == seconds)
    }

    @Test func aMomentHasItsFields() {
        let fields = CivilCalendar.utc.fields(of: 1_773_480_413)
        #expect(fields == .init(year: 2026, month: 3, day: 14, hour: 9, minute: 26, second: 53))
        #expect(fields?.dayText == "2026-03-14" && fields?.timeText == "09:26")
        #expect(fields?.stampText == "2026-03-14T09:26:53Z")
        #expect(CivilCalendar.utc.fields(of: -1)?.dayText == "1969-12-31")
        #expect(CivilCalendar.utc.fields(of: .max) == nil && CivilCalendar.local.fields(of: .min) == nil)
    }

    /// In every time zone.
    @Test func aLocalDayBeginsOnThatDay() throws {
        for day in 1...28 {
            let seconds = try #require(CivilCalendar.local.beginning(ofDay: day, month: 3, year: 2026))
            let fields = try #require(CivilCalendar.local.fields(of: seconds))
            #expect(fields.isSameDay(as: .init(year: 2026, month: 3, day: day)))
            #expect(CivilCalendar.local.fields(of: seconds - 1)?.isSameDay(as: fields) == false)
        }
    }

    @Test(arguments: [
        ("1970-01-01T00:00:00Z", 0), ("2026-03-14T09:26:53Z", 1_773_480_413), ("2026-03-14t09:26:53z", 1_773_480_413),
        ("2026-03-14T09:26:53.999Z", 1_773_480_413), ("2026-03-14T11:26:53+02:00", 1_773_480_413),
        ("2026-03-14T03:56:53-05:30", 1_773_480_413), ("1969-12-31T23:59:60Z", 0),
        ("2024-02-29T00:00:00Z", 1_709_164_800),
    ])
    func aStampIsAMoment(_ text: String, _ seconds: Int64) {
        #expect(CivilCalendar.moment(ofStamp: text) == seconds)
    }

    @Test(arguments: [
        "", "2026-03-14", "2026-03-14T09:26:53", "2026-03-14 09:26:53Z", "2026-02-30T00:00:00Z", "2026-13-01T00:00:00Z",
        "2026-03-14T24:00:00Z", "2026-03-14T09:60:00Z", "2026-03-14T09:26:61Z", "2026-03-14T09:26:53.Z",
        "2026-03-14T09:26:53+0200", "2026-03-14T09:26:53+24:00", "2026-03-14T09:26:53+02:60",
        "2026-03-14T09:26:53*02:00",
        "2026-03-14T09:26:53ZZ", "-026-03-14T09:26:53Z", "2026-03-1\u{661}T09:26:53Z", "2026/03-14T09:26:53Z",
        "2026-03/14T09:26:53Z", "2026-03-14T09.26:53Z", "2026-03-14T09:26.53Z", "0000-01-01T00:00:00Z",
        "2026-03-14T09:26:53.\(String(repeating: "1", count: 60))Z", "2026-03-14T09:26:53+02-00",
    ])
    func anythingElseIsNone(_ text: String) {
        #expect(CivilCalendar.moment(ofStamp: text) == nil)
    }
}
