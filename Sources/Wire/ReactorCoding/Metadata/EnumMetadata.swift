internal import Synchronization

/// The runtime's metadata of an enum.
///
/// A coder cannot see through `Codable` that a type is an enum, nor list the cases of synthesized
/// `CodingKeys`; the metadata contains both. This is the only file that reads it. The layout is that
/// of swiftlang/swift, `docs/ABI/TypeMetadata.rst` and `include/swift/ABI/Metadata.h`
/// (`TargetEnumDescriptor`):
///
///     type metadata         word 0: kind (0x201 for an enum; a class has 0 or a pointer here)
///                           word 1: pointer to the context descriptor (value types)
///     context descriptor    0: flags, the low 5 bits are the kind (18 enum, 2 anonymous)
///                           4: relative pointer to the parent's, indirect if the low bit is set
///     of a type             8: relative pointer to the name, a C string
///     of an enum            20: number of cases with a payload (low 24 bits)
///                           24: number of cases without one
///
/// Reading is safe because metadata and descriptors are immutable and never freed, and because the
/// kind in word 0 identifies the layout.
///
/// The layout is not a stable ABI on Linux. It is checked once, at first use, against enums with
/// known cases (``isReadable``). If it differs, every type is treated as one without enum metadata,
/// and ``CaseShape`` derives the forms of cases from the names of types instead; see
/// <doc:Runtime-metadata>.
@safe struct EnumMetadata {
  private let descriptor: UnsafeRawPointer

  /// The metadata of an enum, or `nil` for any other type, or if metadata cannot be read.
  @inline(__always)
  init?(_ type: any Any.Type) {
    guard Self.isReadable, let metadata = Self(unchecked: type) else { return nil }
    self = metadata
  }

  @inline(__always)
  private init?(unchecked type: any Any.Type) {
    // `Any.Type` is represented by one pointer, to the metadata.
    let metadata = unsafe unsafeBitCast(type, to: UnsafePointer<Int>.self)
    guard unsafe metadata[0] == Self.metadataKind,
      let descriptor = unsafe UnsafeRawPointer(bitPattern: metadata[1]),
      unsafe Self.kind(of: descriptor) == Self.enumKind
    else { return nil }
    unsafe self.descriptor = descriptor
  }

  /// The descriptor of the enum that encloses this one, if any.
  private var parentEnum: UnsafeRawPointer? {
    guard var parent = unsafe Self.parent(of: descriptor) else { return nil }
    // A private declaration, such as synthesized keys, is enclosed in an anonymous context.
    if unsafe Self.kind(of: parent) == Self.anonymousKind {
      guard let outer = unsafe Self.parent(of: parent) else { return nil }
      unsafe parent = outer
    }
    return unsafe Self.kind(of: parent) == Self.enumKind ? parent : nil
  }

  private static func parent(of descriptor: UnsafeRawPointer) -> UnsafeRawPointer? {
    let field = unsafe descriptor + 4
    let offset = Int(unsafe field.load(as: Int32.self))
    guard offset != 0 else { return nil }
    let target = unsafe field + (offset & ~1)
    return unsafe offset & 1 == 0 ? target : target.load(as: UnsafeRawPointer?.self)
  }

  /// The declared name of the enum, zero-terminated.
  private var name: UnsafePointer<UInt8>? {
    let field = unsafe descriptor + 8
    let offset = Int(unsafe field.load(as: Int32.self))
    guard offset != 0 else { return nil }
    return unsafe (field + offset).assumingMemoryBound(to: UInt8.self)
  }

  private static let metadataKind = 0x201
  private static let anonymousKind: UInt32 = 2
  private static let enumKind: UInt32 = 18

  private static func kind(of descriptor: UnsafeRawPointer) -> UInt32 {
    unsafe descriptor.load(as: UInt32.self) & 0x1F
  }

  /// Whether the enum is declared directly inside another enum, like the coding keys of an enum.
  @inline(__always)
  var isInsideEnum: Bool { unsafe parentEnum != nil }

  /// Whether the enum is declared inside another one and named like the coding keys of one of its
  /// cases (`MoveCodingKeys`).
  var isCodingKeysOfCase: Bool {
    guard isInsideEnum, let name = unsafe name else { return false }
    let suffix: StaticString = "CodingKeys"
    return suffix.withUTF8Buffer { suffix in
      let length = unsafe Self.length(of: name)
      guard length > suffix.count else { return false }
      return unsafe UnsafeBufferPointer(start: name + (length - suffix.count), count: suffix.count)
        .elementsEqual(suffix)
    }
  }

  private static func length(of name: UnsafePointer<UInt8>) -> Int {
    var length = 0
    while unsafe name[length] != 0 { length += 1 }
    return length
  }

  /// The number of cases, if none of them has a payload.
  private var payloadFreeCaseCount: Int? {
    guard unsafe (descriptor + 20).load(as: UInt32.self) & 0xFF_FFFF == 0 else { return nil }
    return Int(unsafe (descriptor + 24).load(as: UInt32.self))
  }

  /// Returns every value of an enum without payloads in case order, or `nil` for another type.
  ///
  /// The value of an enum without payloads is the index of its case, in the smallest integer that holds the
  /// largest index, or has no bytes if there is only one case (`docs/ABI/TypeLayout.rst`). Every
  /// index below the count is therefore a valid value.
  static func allCases<Enum>(of type: Enum.Type) -> [Enum]? {
    EnumMetadata(type).flatMap { $0.allCases(of: type) }
  }

  private func allCases<Enum>(of type: Enum.Type) -> [Enum]? {
    guard let count = payloadFreeCaseCount, count <= 1 << 16 else { return nil }
    let expectedSize = count <= 1 ? 0 : count <= 1 << 8 ? 1 : 2
    guard MemoryLayout<Enum>.size == expectedSize, !(Enum.self is AnyClass) else { return nil }
    return (0..<count).map { number in
      unsafe withUnsafeTemporaryAllocation(byteCount: 2, alignment: 2) { storage in
        // Little-endian: the first bytes are the whole of a smaller integer.
        unsafe storage.storeBytes(
          of: UInt16(truncatingIfNeeded: number).littleEndian, as: UInt16.self)
        return unsafe storage.load(as: Enum.self)
      }
    }
  }
}

// MARK: Self-test

extension EnumMetadata {
  /// Whether the runtime's metadata has the layout that this file reads.
  static let isReadable = !isDisabled.load(ordering: .relaxed) && LayoutProbe.isDescribed

  /// Forces ``isReadable`` to be false if set before its first use.
  static let isDisabled = Atomic(false)

  /// Whether the metadata of an enum of coding keys has the known layout.
  static func describes<Key: CodingKey>(
    _ type: Key.Type, names: [String], isInsideEnum: Bool, isCodingKeysOfCase: Bool
  ) -> Bool {
    guard isPlausible(type), let metadata = EnumMetadata(unchecked: type) else { return false }
    return metadata.payloadFreeCaseCount == names.count
      && metadata.isInsideEnum == isInsideEnum
      && metadata.isCodingKeysOfCase == isCodingKeysOfCase
      && metadata.allCases(of: type)?.map(\.stringValue) == names
  }

  /// Whether the pointers of a type of this module can be followed: both its descriptor and the
  /// descriptor's neighbours lie in the module's image, that is, near the metadata.
  private static func isPlausible(_ type: any Any.Type) -> Bool {
    let imageSize = 1 << 30
    let metadata = unsafe unsafeBitCast(type, to: UnsafePointer<Int>.self)
    let (kind, address) = unsafe (metadata[0], metadata[1])
    guard kind == metadataKind, (address - Int(bitPattern: metadata)).magnitude < imageSize,
      address & 3 == 0, let descriptor = unsafe UnsafeRawPointer(bitPattern: address)
    else { return false }
    return [4, 8].allSatisfy { field in
      unsafe Int((descriptor + field).load(as: Int32.self)).magnitude < imageSize
    }
  }
}

/// An enum with known cases.
private enum LayoutProbe: Codable {
  case first
  case second(Int)
  case third

  static var isDescribed: Bool {
    EnumMetadata.describes(
      CodingKeys.self, names: ["first", "second", "third"], isInsideEnum: true,
      isCodingKeysOfCase: false)
      && EnumMetadata.describes(
        SecondCodingKeys.self, names: ["_0"], isInsideEnum: true, isCodingKeysOfCase: true)
      && StructProbe.isDescribed
  }

  /// A struct with known members.
  private struct StructProbe: Codable {
    var member: Int

    static var isDescribed: Bool {
      EnumMetadata.describes(
        CodingKeys.self, names: ["member"], isInsideEnum: false, isCodingKeysOfCase: false)
    }
  }
}
