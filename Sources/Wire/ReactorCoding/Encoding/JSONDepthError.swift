/// The error of a value whose JSON would have more nested arrays and objects than can be decoded.
public struct JSONDepthError: Error, Equatable {
  /// The maximum depth.
  public let limit: Int

  /// Creates an error.
  public init(limit: Int) {
    self.limit = limit
  }
}

extension JSONOutput {
  /// Returns the depth of the nested arrays and objects of a valid text.
  static func depth(of text: ArraySlice<UInt8>) -> Int {
    var (depth, deepest) = (0, 0)
    var (isInString, isEscaped) = (false, false)
    for byte in text {
      switch byte {
      case _ where isEscaped: isEscaped = false
      case UInt8(ascii: "\\"): isEscaped = true
      case ASCII.quote: isInString.toggle()
      case _ where isInString: break
      case ASCII.openBrace, ASCII.openBracket:
        depth += 1
        deepest = max(deepest, depth)
      case ASCII.closeBrace, ASCII.closeBracket: depth -= 1
      default: break
      }
    }
    return deepest
  }
}
