import Foundation

/// A response of the service.
struct HTTPResponse: Sendable {
  let status: Int
  let headers: [(name: String, value: String)]
  var body: [UInt8] = []

  /// The value of a header field, ignoring the case of its name.
  subscript(_ name: String) -> String? {
    let values = headers.filter { $0.name.lowercased() == name.lowercased() }.map(\.value)
    return values.isEmpty ? nil : values.joined(separator: ", ")
  }

  var text: String { String(decoding: body, as: UTF8.self) }

  var json: JSON {
    get throws { try JSONDecoder().decode(JSON.self, from: Data(body)) }
  }

  /// The cursor in the entity tag.
  var cursor: Cursor? {
    guard let tag = self["ETag"], tag.hasPrefix("\""), tag.hasSuffix("\""), tag.count > 1 else {
      return nil
    }
    return Cursor(String(tag.dropFirst().dropLast()))
  }

  /// The address of the next page, from `Link`.
  var nextPage: String? {
    guard let link = self["Link"], link.contains(#"rel="next""#),
      let start = link.firstIndex(of: "<"),
      let end = link.firstIndex(of: ">")
    else { return nil }
    return String(link[link.index(after: start)..<end])
  }
}
