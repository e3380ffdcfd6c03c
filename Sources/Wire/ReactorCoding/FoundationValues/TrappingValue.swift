#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// The types of Foundation whose own code ends the process for some JSON: while it decodes the JSON, or
/// when the value is encoded or released.
///
/// Their members are checked before Foundation reads them. Generated JSON for all `Codable` types of
/// Foundation found these, see `TrappingValueTests`.
enum TrappingValue {
  case address, characters, indices, calendar

  /// The type of a bitmap.
  typealias Bytes = Data

  private static let types = (
    address: ObjectIdentifier(URLComponents.self), calendar: ObjectIdentifier(Calendar.self),
    // By name: this module links FoundationEssentials only.
    characters: _typeByName("10Foundation12CharacterSetV").map { ObjectIdentifier($0) },
    indices: _typeByName("10Foundation8IndexSetV").map { ObjectIdentifier($0) }
  )

  /// Recognizes a type; runs per object.
  @inline(__always)
  init?(_ type: any Any.Type) {
    let identity = ObjectIdentifier(type)
    let types = Self.types
    if identity == types.address {
      self = .address
    } else if identity == types.calendar {
      self = .calendar
    } else if identity == types.characters {
      self = .characters
    } else if identity == types.indices {
      self = .indices
    } else {
      return nil
    }
  }

  /// Returns whether a text is a scheme of RFC 3986.
  static func isScheme(_ text: String) -> Bool {
    func isLetter(_ byte: UInt8) -> Bool { UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte | 0x20 }
    return text.utf8.first.map(isLetter) == true
      && text.utf8.allSatisfy {
        isLetter($0) || ASCII.digit($0) != nil || [ASCII.plus, ASCII.minus, ASCII.dot].contains($0)
      }
  }

  /// Returns whether Core Foundation can use a bitmap: that of the first plane of Unicode, which can end
  /// early, and those of other planes, each after the plane's number.
  static func isBitmap(_ bytes: Bytes) -> Bool {
    let bytes = Array(bytes)
    let size = 8192
    guard !bytes.isEmpty, isPlane(bytes.prefix(size)) else { return false }
    var last: UInt8 = 0
    var rest = bytes.dropFirst(size)
    while let plane = rest.popFirst() {
      guard plane > last, plane <= 16, rest.count >= size, isPlane(rest.prefix(size)) else {
        return false
      }
      last = plane
      rest = rest.dropFirst(size)
    }
    return true
  }

  /// Core Foundation numbers the different rows of a plane with signed bytes.
  private static func isPlane(_ bytes: ArraySlice<UInt8>) -> Bool {
    var rows: Set<ArraySlice<UInt8>> = []
    for start in stride(from: bytes.startIndex, to: bytes.endIndex, by: 32) {
      rows.insert(bytes[start..<min(start + 32, bytes.endIndex)])
    }
    return rows.count <= 128
  }
}
