internal import ReactorCoding
internal import ReactorTransport

/// The files of the folder of pages.
struct FolderEndpoints {
  let folder: PageFolder
  /// Returns the response to a client that finds nothing: a page for browsers.
  let failure: @Sendable (Problem, Call) -> HTTPResponse

  /// The files are read on a background thread.
  var all: [Endpoint] {
    [
      Endpoint(
        .get, EndpointTable.remainingPaths, needs: nil,
        traits: [.background, .negotiated], handler: respond,
        operation: Operation(
          "page", "A file of the folder of pages", parameters: [.ifNoneMatch],
          content: .text("*/*"), problems: [.notFound, .unavailable]))
    ]
  }

  private func respond(_ call: Call) -> HTTPResponse {
    do throws(Problem) {
      return try response(to: call)
    } catch {
      return failure(error, call)
    }
  }

  private func response(to call: Call) throws(Problem) -> HTTPResponse {
    let path = call.localPath
    guard var parts = Self.parts(of: path) else { throw Self.nothing }
    if parts.last?.isEmpty == true { parts[parts.count - 1] = Self.index }
    do {
      return try file(parts, call)
    } catch .isFolder {
      var target = path.description + "/"
      if let query = call.request.query { target += "?\(query.description)" }
      return HTTPResponse(status: 308, headers: ["Location": target] + .revalidated)
    } catch .absent where folder.hasFallback && Self.isNavigation(call.request) {
      do {
        return try file([Self.index], call)
      } catch {
        throw Problem(error)
      }
    } catch {
      throw Problem(error)
    }
  }

  private static let index = Array("index.html".utf8)

  fileprivate static var nothing: Problem {
    Problem(.notFound, "The folder of pages has no file at this address.")
  }

  /// Whether a browser opens a page, and does not load a part of one.
  private static func isNavigation(_ request: HTTPRequest) -> Bool {
    MediaTypes.choose(
      from: [Problem.mediaType, "text/html"], accept: request[header: .accept])
      == "text/html"
  }

  /// Returns the bytes of the names in a path, or `nil` for a broken percent-encoding.
  private static func parts(of path: WireText) -> [[UInt8]]? {
    var parts: [[UInt8]] = []
    for part in path.utf8.dropFirst().split(
      separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
    {
      guard let decoded = bytes(of: part) else { return nil }
      parts.append(decoded)
    }
    return parts
  }

  /// Returns the bytes of a name: any bytes, also if they are not UTF-8.
  private static func bytes(of part: Substring.UTF8View) -> [UInt8]? {
    var bytes: [UInt8] = []
    var rest = part[...]
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "%") else {
        bytes.append(byte)
        continue
      }
      guard let high = rest.popFirst().flatMap(digit), let low = rest.popFirst().flatMap(digit)
      else { return nil }
      bytes.append(high << 4 | low)
    }
    return bytes
  }

  private static func digit(_ byte: UInt8) -> UInt8? {
    Character(UnicodeScalar(byte)).hexDigitValue.map { UInt8($0) }
  }

  /// Returns the response with a file, in its compressed form if there is one and the client accepts it.
  private func file(
    _ parts: [[UInt8]], _ call: Call
  ) throws(PageFolder.Failure) -> HTTPResponse {
    let type = PageType.of(parts[parts.count - 1])
    let range = call.isHead ? nil : call.request[header: .range]
    if range == nil, call.scope.head.acceptsGzip != .no {
      var compressed = parts
      compressed[parts.count - 1] += Array(".gz".utf8)
      if let content = try? folder.content(of: compressed, derivedFrom: parts) {
        return response(with: content, type, ["Content-Encoding": "gzip"], range: nil, call)
      }
    }
    return response(with: try folder.content(of: parts), type, [:], range: range, call)
  }

  private func response(
    with content: PageFolder.Content, _ type: String, _ encoding: HTTPFields, range: String?,
    _ call: Call
  ) -> HTTPResponse {
    let known = try? EntityTags(of: call.request, in: .ifNoneMatch, name: "If-None-Match")
    if let response = HTTPResponse.notModified(content.tag, known) { return response }
    let tag = "\"\(content.tag)\""
    let headers: HTTPFields =
      ["Content-Type": type, "ETag": tag, "Accept-Ranges": "bytes"] + .revalidated + encoding
    // `If-Range` with another tag, or with a date, asks for the whole file.
    let isCurrent = call.request[header: .ifRange].map { $0 == tag } ?? true
    switch ByteRange(isCurrent ? range : nil, of: content.bytes.count) {
    case .whole: return HTTPResponse(status: 200, headers: headers, body: .bytes(content.bytes))
    case .part(let part):
      let place = "bytes \(part.lowerBound)-\(part.upperBound - 1)/\(content.bytes.count)"
      return HTTPResponse(
        status: 206, headers: headers + ["Content-Range": place],
        // A copy of the file for each connection would be large.
        body: .bytes(
          part.count == content.bytes.count ? content.bytes : Array(content.bytes[part])))
    case .unsatisfiable:
      return HTTPResponse(
        status: 416, headers: ["Content-Range": "bytes */\(content.bytes.count)"] + .revalidated)
    }
  }
}

extension Problem {
  fileprivate init(_ failure: PageFolder.Failure) {
    switch failure {
    case .absent, .isFolder: self = FolderEndpoints.nothing
    case .tooLarge:
      self.init(
        .notFound, "The file is larger than \(PageFolder.fileLimit) bytes, which is not served.")
    case .missingFolder: self = .unavailable("The folder of pages cannot be opened.")
    case .isChanging: self = .unavailable("The file is being written.")
    }
  }
}
