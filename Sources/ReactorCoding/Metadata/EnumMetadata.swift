/// What the runtime's metadata says about a type, as far as enums are concerned.
///
/// Swift's synthesized `CodingKeys` cannot list their cases, and a coder is not told that the type
/// it codes is an enum. Both are known to the runtime: this file, and no other, reads it there. The
/// layouts are those of swiftlang/swift, `docs/ABI/TypeMetadata.rst` and
/// `include/swift/ABI/Metadata.h` (`TargetEnumDescriptor`):
///
///     type metadata         word 0: kind (0x201 for an enum; a class has 0 or a pointer here)
///                           word 1: pointer to the context descriptor (value types)
///     context descriptor    0: flags, the low 5 bits are the kind (18 enum, 2 anonymous)
///                           4: relative pointer to the parent's, indirect if the low bit is set
///     of a type             8: relative pointer to the name, a C string
///     of an enum            20: number of cases with a payload (low 24 bits)
///                           24: number of cases without one
///
/// Why reading is safe: metadata and descriptors are immutable, are never freed, and are reached
/// only after the kind at word 0 has said that they have this layout. An answer that does not fit
/// is `nil` or `false`, never a trap.
struct EnumMetadata {
  private let descriptor: UnsafeRawPointer

  /// The metadata of an enum; `nil` for any other type.
  @inline(__always)
  init?(_ type: any Any.Type) {
    // A thin view of the metatype: a value of type `Any.Type` is one pointer, to the metadata.
    let metadata = unsafeBitCast(type, to: UnsafePointer<Int>.self)
    guard metadata[0] == 0x201,
      let descriptor = UnsafeRawPointer(bitPattern: metadata[1]),
      Self.kind(of: descriptor) == Self.enumKind
    else { return nil }
    self.descriptor = descriptor
  }

  /// The descriptor of the enum that this enum is declared in, if it is declared in one.
  private var parentEnum: UnsafeRawPointer? {
    guard var parent = Self.parent(of: descriptor) else { return nil }
    // Around what is private, as synthesized keys are, stands an anonymous context.
    if Self.kind(of: parent) == Self.anonymousKind {
      guard let outer = Self.parent(of: parent) else { return nil }
      parent = outer
    }
    return Self.kind(of: parent) == Self.enumKind ? parent : nil
  }

  private static func parent(of descriptor: UnsafeRawPointer) -> UnsafeRawPointer? {
    let field = descriptor + 4
    let offset = Int(field.load(as: Int32.self))
    guard offset != 0 else { return nil }
    let target = field + (offset & ~1)
    return offset & 1 == 0 ? target : target.load(as: UnsafeRawPointer?.self)
  }

  /// The name that the enum was declared with, as bytes before a zero.
  private var name: UnsafePointer<UInt8>? {
    let field = descriptor + 8
    let offset = Int(field.load(as: Int32.self))
    guard offset != 0 else { return nil }
    return (field + offset).assumingMemoryBound(to: UInt8.self)
  }

  private static let anonymousKind: UInt32 = 2
  private static let enumKind: UInt32 = 18

  private static func kind(of descriptor: UnsafeRawPointer) -> UInt32 {
    descriptor.load(as: UInt32.self) & 0x1F
  }

  /// Whether the enum is declared directly inside another enum, as the coding keys of an enum are.
  @inline(__always)
  var isInsideEnum: Bool { parentEnum != nil }

  /// Whether this enum stands inside another one and is named like the coding keys of one of its
  /// cases (`MoveCodingKeys`).
  var isCodingKeysOfCase: Bool {
    guard isInsideEnum, let name else { return false }
    let suffix: StaticString = "CodingKeys"
    return suffix.withUTF8Buffer { suffix in
      let length = Self.length(of: name)
      guard length > suffix.count else { return false }
      return UnsafeBufferPointer(start: name + (length - suffix.count), count: suffix.count)
        .elementsEqual(suffix)
    }
  }

  private static func length(of name: UnsafePointer<UInt8>) -> Int {
    var length = 0
    while name[length] != 0 { length += 1 }
    return length
  }

  /// How many cases the enum has, if none of them carries a payload.
  private var payloadFreeCaseCount: Int? {
    guard (descriptor + 20).load(as: UInt32.self) & 0xFF_FFFF == 0 else { return nil }
    return Int((descriptor + 24).load(as: UInt32.self))
  }

  /// Every value of an enum without payloads, in the order of its cases; `nil` for another type.
  ///
  /// Such an enum is laid out as the number of its case, from 0, in the smallest integer that
  /// holds the largest (no bytes at all for one case): `docs/ABI/TypeLayout.rst`. Each number below
  /// the count is thus a valid value, and no other is made.
  static func allCases<Enum>(of type: Enum.Type) -> [Enum]? {
    guard let count = EnumMetadata(type)?.payloadFreeCaseCount, count <= 1 << 16 else { return nil }
    let expectedSize = count <= 1 ? 0 : count <= 1 << 8 ? 1 : 2
    guard MemoryLayout<Enum>.size == expectedSize, !(Enum.self is AnyClass) else { return nil }
    return (0..<count).map { number in
      withUnsafeTemporaryAllocation(byteCount: 2, alignment: 2) { storage in
        // Little-endian: the first bytes are the whole of a smaller integer.
        storage.storeBytes(of: UInt16(truncatingIfNeeded: number).littleEndian, as: UInt16.self)
        return storage.load(as: Enum.self)
      }
    }
  }
}
