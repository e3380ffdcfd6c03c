internal import ReactorCoding

/// The screens of a flow in a State, as one line: `menu > drink  /drinks/Latte`.
enum ScreenList {
  /// Nested flows are listed up to this depth.
  private static let depthLimit = 32

  /// Returns the line, or `nil` if no member of the State is a stack of screens.
  static func line(of state: JSONValue) -> String? {
    guard let (screens, path) = stack(in: state, depth: 0) else { return nil }
    let line = screens.joined(separator: " > ")
    return TerminalText.printable(path.map { "\(line)  \($0)" } ?? line)
  }

  private static func stack(
    in state: JSONValue, depth: Int
  ) -> (screens: [String], path: String?)? {
    guard depth < depthLimit, case .object(let members) = state else { return nil }
    for member in members {
      guard case .array(let entries)? = member.value["entries"], !entries.isEmpty else { continue }
      let screens = entries.compactMap { self.screens(of: $0, depth: depth) }
      guard screens.count == entries.count else { continue }
      let path: String? = if case .string(let path)? = member.value["path"] { path } else { nil }
      return (screens.flatMap { $0 }, path)
    }
    return nil
  }

  /// Returns the name of an entry, followed by the screens of a child flow.
  private static func screens(of entry: JSONValue, depth: Int) -> [String]? {
    guard case .string(let name)? = entry["screen"], let state = entry["state"] else { return nil }
    return [name] + (stack(in: state, depth: depth + 1)?.screens ?? [])
  }
}
