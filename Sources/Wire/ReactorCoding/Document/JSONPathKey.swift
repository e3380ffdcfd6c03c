/// A path component: a member name or an element position.
struct JSONPathKey: CodingKey {
  let stringValue: String
  let intValue: Int?

  init(_ name: String) {
    stringValue = name
    intValue = nil
  }

  init(_ position: Int) {
    stringValue = String(position)
    intValue = position
  }

  init(stringValue: String) {
    self.init(stringValue)
  }

  init(intValue: Int) {
    self.init(intValue)
  }
}
