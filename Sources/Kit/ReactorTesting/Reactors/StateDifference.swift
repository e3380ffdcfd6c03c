/// The differing parts of two states.
///
/// ```
///   items[1].title: expected "Milk", got "Bread"
///   isLoading: expected true, got false
/// ```
struct StateDifference {
  private let lines: [(path: String, old: String, new: String)]
  private let isCut: Bool

  /// Compares two values part by part.
  init<Value>(from old: Value, to new: Value) {
    let (old, new) = (StateOutline(of: old), StateOutline(of: new))
    let paths = old.paths + new.paths.filter { old[$0] == nil }
    let differing = paths.filter { old[$0] != new[$0] }
    let shown = differing.prefix(StateOutline.lineLimit)
    lines = shown.map { ($0, old[$0] ?? "nothing", new[$0] ?? "nothing") }
    isCut = shown.count < differing.count
  }

  /// Returns one line per part, with a name for each of the two values.
  func description(_ names: [String]) -> String {
    let (oldName, newName) = (names.first ?? "", names.last ?? "")
    var texts = lines.map { line in
      let path = line.path.isEmpty ? "" : "\(line.path): "
      return "  \(path)\(oldName) \(line.old), \(newName) \(line.new)"
    }
    if isCut { texts.append("  …") }
    if texts.isEmpty { texts.append("  no part differs; check the implementation of ==") }
    return texts.joined(separator: "\n")
  }
}

/// The parts of a value, by their paths.
struct StateOutline {
  static let lineLimit = 50
  private static let depthLimit = 32
  private static let partLimit = 10_000

  /// The paths in the order of declaration.
  private(set) var paths: [String] = []
  private var texts: [String: String] = [:]

  init(of value: Any) {
    add(value, at: "", depth: 0)
  }

  subscript(path: String) -> String? {
    texts[path]
  }

  private mutating func add(_ value: Any, at path: String, depth: Int) {
    guard paths.count < Self.partLimit else { return }
    let mirror = Mirror(reflecting: value)
    if mirror.displayStyle == .collection || mirror.displayStyle == .dictionary {
      put("\(mirror.children.count)", at: Self.join(path, "count"))
    } else if mirror.children.isEmpty || depth >= Self.depthLimit {
      put(Self.text(of: value, mirror), at: path)
    }
    guard depth < Self.depthLimit else { return }
    switch mirror.displayStyle {
    case .optional:
      // The wrapped value has the path of the optional.
      if let wrapped = mirror.children.first { add(wrapped.value, at: path, depth: depth + 1) }
    case .collection:
      for (index, child) in mirror.children.enumerated() {
        add(child.value, at: "\(path)[\(index)]", depth: depth + 1)
      }
    case .dictionary: addEntries(of: mirror, at: path, depth: depth)
    case .set where !mirror.children.isEmpty:
      let members = mirror.children.map { String(reflecting: $0.value) }.sorted()
      put("[\(members.joined(separator: ", "))]", at: path)
    default:
      for (index, child) in mirror.children.enumerated() {
        add(child.value, at: Self.join(path, child.label ?? "\(index)"), depth: depth + 1)
      }
    }
  }

  private mutating func addEntries(of mirror: Mirror, at path: String, depth: Int) {
    let entries = mirror.children.compactMap { child -> (key: String, value: Any)? in
      let pair = Array(Mirror(reflecting: child.value).children)
      return pair.count == 2 ? (String(reflecting: pair[0].value), pair[1].value) : nil
    }
    for entry in entries.sorted(by: { $0.key < $1.key }) {
      add(entry.value, at: "\(path)[\(entry.key)]", depth: depth + 1)
    }
  }

  private mutating func put(_ text: String, at path: String) {
    if texts.updateValue(text, forKey: path) == nil { paths.append(path) }
  }

  private static func text(of value: Any, _ mirror: Mirror) -> String {
    switch mirror.displayStyle {
    case .optional: "nil"
    case .enum: ".\(value)"
    default: String(reflecting: value)
    }
  }

  private static func join(_ path: String, _ label: String) -> String {
    // `_alert` is the storage of the wrapped property `alert`.
    let name = label.hasPrefix("_") ? String(label.dropFirst()) : label
    return path.isEmpty ? name : "\(path).\(name)"
  }
}
