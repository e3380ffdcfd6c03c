/// An element of a setting that is a JSON array.
package protocol JSONListElement: Sendable {
  /// Reads the value of the setting.
  ///
  /// - Parameter json: The array as JSON.
  /// - Returns: The elements in the order of the array.
  /// - Throws: The first element that is malformed, or that another one excludes.
  static func list(of json: [UInt8]) throws(ListSyntaxError) -> [Self]
}

/// The reason why a list is rejected.
package struct ListSyntaxError: Error, Equatable, CustomStringConvertible {
  /// A message for the operator: the element, and the form that is expected.
  package let description: String
}
