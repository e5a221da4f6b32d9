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
}
