/// A response as a client receives it.
struct TestResponse {
  let status: Int
  let fields: [(name: String, value: String)]
  var body = ""

  init(head: String) {
    var lines = head.split(separator: "\r\n", omittingEmptySubsequences: false)
    status = Int(lines.removeFirst().split(separator: " ").dropFirst().first ?? "") ?? 0
    fields = lines.map { line in
      let parts = line.split(separator: ":", maxSplits: 1)
      return (
        parts[0].lowercased(), parts.count > 1 ? String(parts[1].drop { $0 == " " }) : ""
      )
    }
  }

  /// The value of a field, by its lowercase name.
  subscript(name: String) -> String? { fields.first { $0.name == name }?.value }
}
