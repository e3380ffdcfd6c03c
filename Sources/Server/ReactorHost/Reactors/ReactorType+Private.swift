internal import ReactorCoding
public import ReactorCore

extension ReactorType {
  /// Returns the JSON of an action in the log, and its private values.
  @usableFromInline
  func separated(_ action: R.Action) -> (text: [UInt8], values: [[UInt8]]) {
    let values = PrivateValues(inJSON: [])
    guard let text = try? values.separated({ try encode(action) }) else {
      return (Array("null".utf8), [])
    }
    return (text, values.texts)
  }

  /// Returns the private values of the actions of a request, or `nil` for most reactors.
  @usableFromInline
  func privateParts(of actions: @autoclosure () -> [R.Action]) -> PrivateParts? {
    guard hasPrivateValues else { return nil }
    let separated = actions().map { self.separated($0) }
    return PrivateParts(
      remainder: Array(separated.map(\.text).joined(separator: [UInt8(ascii: ",")])),
      values: separated.map(\.values))
  }

  /// The error of a private value in a type whose values are stored.
  var privateValueProblem: String? {
    let place =
      if JSONSchema.contains(in: R.State.self, where: isPrivate) {
        "State"
      } else if JSONSchema.contains(in: R.Mutation.self, where: isPrivate) {
        "Mutation"
      } else if parameters?.hasPrivateValues == true {
        "parameters"
      } else {
        String?.none
      }
    return place.map {
      "its \($0) has a @Private value. Only actions can have one, since it is never stored: remove the attribute, "
        + "or keep a digest of the value"
    }
  }
}

/// Returns whether a type is that of private values.
func isPrivate(_ type: any Any.Type) -> Bool { type is any AnyPrivate.Type }

extension PrivateValues {
  /// Creates the values of an action.
  convenience init(inJSON texts: [[UInt8]]) {
    self.init(
      texts, encode: { try JSONCoder.encode($0) },
      decode: { type, text in try JSONCoder.decode(type, from: text) })
  }
}
