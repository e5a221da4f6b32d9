extension BidirectionalCollection<UInt8> {
    /// Without the one line break at its end: LF, or CR LF as other systems write it. No secret means to have the CR alone.
    public var withoutLineEnd: SubSequence {
        guard last == UInt8(ascii: "\n") else { return self[...] }
        let line = dropLast()
        return line.last == UInt8(ascii: "\r") ? line.dropLast() : line
    }
}
