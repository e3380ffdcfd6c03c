/// The stored properties of a type, from the reflection metadata that `Mirror` reads.
///
/// A schema needs them only for a type that rejects all placeholder values: its decoding ends before it
/// has requested its last member.
enum StoredMembers {
  /// Returns the types of the stored properties of a struct or class by name.
  static func types(of type: any Any.Type) -> [String: any Any.Type] {
    var types: [String: any Any.Type] = [:]
    for index in 0..<countOfChildren(type) {
      var field = unsafe FieldMetadata()
      let member = unsafe childType(type, index: index, field: &field)
      guard let name = unsafe field.name else { continue }
      // The storage of a property wrapper is named `_member`.
      let text = unsafe String(cString: name)
      types[text.hasPrefix("_") ? String(text.dropFirst()) : text] = member
      if let release = unsafe field.release { unsafe release(field.name) }
    }
    return types
  }

  /// Returns the names of the coding keys of a type, in JSON and in Swift; empty if they cannot be listed.
  static func names<Key: CodingKey>(of keys: Key.Type) -> [(json: String, swift: String)] {
    (CaseShape.allKeys(of: keys) ?? []).map { key in
      let name = unsafe nameOfCase(key).map { unsafe String(cString: $0) }
      return (key.stringValue, name ?? key.stringValue)
    }
  }
}

/// `_FieldReflectionMetadata` of swiftlang/swift, `stdlib/public/core/ReflectionMirror.swift`.
@unsafe private struct FieldMetadata {
  let name: UnsafePointer<CChar>? = nil
  let release: (@convention(c) (UnsafePointer<CChar>?) -> Void)? = nil
  let isStrong = false
  let isVariable = false
}

// The functions of the runtime that the standard library's `Mirror` calls, on every platform.
@_silgen_name("swift_reflectionMirror_recursiveCount")
private func countOfChildren(_ type: any Any.Type) -> Int

@_silgen_name("swift_reflectionMirror_recursiveChildMetadata")
private func childType(
  _ type: any Any.Type, index: Int, field: UnsafeMutablePointer<FieldMetadata>
) -> any Any.Type

@_silgen_name("swift_EnumCaseName")
private func nameOfCase<Value>(_ value: Value) -> UnsafePointer<CChar>?
