internal import ReactorLog

/// The values of a statement's parameters, in the binary format of PostgreSQL.
struct Parameters: Sendable {
  /// The value of each parameter; `nil` is `NULL`.
  fileprivate(set) var values: [[UInt8]?] = []

  init() {}

  mutating func add(_ value: (some ParameterValue)?) {
    values.append(
      value.map { value in
        var bytes: [UInt8] = []
        value.write(to: &bytes)
        return bytes
      })
  }

  /// The size of all values.
  var size: Int { values.reduce(0) { $0 + ($1?.count ?? 0) } }
}

/// Collects parameters in order: `.of(1, "a", nil as Int?)`.
extension Parameters {
  static func of<each Value: ParameterValue>(_ values: repeat (each Value)?) -> Parameters {
    var parameters = Parameters()
    repeat parameters.add(each values)
    return parameters
  }
}

/// A Swift value as a parameter.
protocol ParameterValue {
  /// The object id of the type in PostgreSQL.
  static var type: UInt32 { get }

  /// Appends the value.
  func write(to bytes: inout [UInt8])
}

extension Int: ParameterValue {
  static var type: UInt32 { 20 }
  func write(to bytes: inout [UInt8]) { bytes.put(bigEndian: Int64(self)) }
}

extension Int64: ParameterValue {
  static var type: UInt32 { 20 }
  func write(to bytes: inout [UInt8]) { bytes.put(bigEndian: self) }
}

/// Stored as the signed integer with the same bits.
extension UInt64: ParameterValue {
  static var type: UInt32 { 20 }
  func write(to bytes: inout [UInt8]) { bytes.put(bigEndian: self) }
}

extension Int16: ParameterValue {
  static var type: UInt32 { 21 }
  func write(to bytes: inout [UInt8]) { bytes.put(bigEndian: self) }
}

extension Bool: ParameterValue {
  static var type: UInt32 { 16 }
  func write(to bytes: inout [UInt8]) { bytes.append(self ? 1 : 0) }
}

extension Timestamp: ParameterValue {
  static var type: UInt32 { 20 }
  func write(to bytes: inout [UInt8]) { bytes.put(bigEndian: milliseconds) }
}

extension String: ParameterValue {
  static var type: UInt32 { 25 }
  func write(to bytes: inout [UInt8]) { bytes += utf8 }
}

/// The type `bytea`.
extension [UInt8]: ParameterValue {
  static var type: UInt32 { 17 }
  func write(to bytes: inout [UInt8]) { bytes += self }
}

/// The rows of a statement as array parameters, one for each column.
struct RowArrays: Sendable {
  /// The elements of a column.
  private struct Column: Sendable {
    let type: UInt32
    var elements: [UInt8] = []
    var hasNull = false

    mutating func append(_ element: (some ParameterValue)?) {
      guard let element else {
        hasNull = true
        return elements.put(bigEndian: Int32(-1))
      }
      let start = elements.count
      elements.put(bigEndian: Int32(0))
      element.write(to: &elements)
      let length = UInt32(elements.count - start - 4)
      for place in 0..<4 {
        elements[start + place] = UInt8(truncatingIfNeeded: length >> UInt32(24 - 8 * place))
      }
    }
  }

  private var columns: [Column] = []

  /// The number of rows.
  private(set) var count = 0

  init() {}

  /// Appends a row; all rows have the same types.
  mutating func append<each Value: ParameterValue>(_ values: repeat (each Value)?) {
    var place = 0
    repeat append(each values, &place)
    count += 1
  }

  private mutating func append<Value: ParameterValue>(_ value: Value?, _ place: inout Int) {
    if place == columns.count { columns.append(Column(type: Value.type)) }
    columns[place].append(value)
    place += 1
  }

  /// The columns as parameters; there must be a row.
  fileprivate var values: [[UInt8]] {
    columns.map { column in
      var bytes: [UInt8] = []
      bytes.reserveCapacity(20 + column.elements.count)
      bytes.put(bigEndian: Int32(1))  // dimensions
      bytes.put(bigEndian: Int32(column.hasNull ? 1 : 0))
      bytes.put(bigEndian: column.type)
      bytes.put(bigEndian: Int32(count))
      bytes.put(bigEndian: Int32(1))  // the first index
      return bytes + column.elements
    }
  }
}

extension Parameters {
  /// Adds a parameter for each column.
  mutating func add(_ rows: RowArrays) { values += rows.values as [[UInt8]?] }
}

extension [UInt8] {
  fileprivate mutating func put(bigEndian number: some FixedWidthInteger) {
    var shift = number.bitWidth
    while shift > 0 {
      shift -= 8
      append(UInt8(truncatingIfNeeded: number >> shift))
    }
  }
}
