/// The media type of a file, from the end of its name.
enum PageType {
  /// Returns the value of `Content-Type`; bytes without a meaning for a name with an unknown end.
  static func of(_ name: [UInt8]) -> String {
    guard let dot = name.lastIndex(of: UInt8(ascii: ".")), name.count - dot <= 16 else {
      return unknown
    }
    return types[String(decoding: name[(dot + 1)...], as: UTF8.self).lowercased()] ?? unknown
  }

  private static let unknown = "application/octet-stream"

  private static let types: [String: String] = [
    "avif": "image/avif", "css": "text/css; charset=utf-8", "csv": "text/csv; charset=utf-8",
    "gif": "image/gif", "gz": "application/gzip", "htm": "text/html; charset=utf-8",
    "html": "text/html; charset=utf-8", "ico": "image/x-icon", "jpeg": "image/jpeg",
    "jpg": "image/jpeg", "js": "text/javascript; charset=utf-8", "json": "application/json",
    "map": "application/json", "md": "text/markdown; charset=utf-8",
    "mjs": "text/javascript; charset=utf-8", "mp3": "audio/mpeg", "mp4": "video/mp4",
    "ogg": "audio/ogg", "otf": "font/otf", "pdf": "application/pdf", "png": "image/png",
    "svg": "image/svg+xml", "ttf": "font/ttf", "txt": "text/plain; charset=utf-8",
    "wasm": "application/wasm", "wav": "audio/wav", "webm": "video/webm",
    "webmanifest": "application/manifest+json", "webp": "image/webp", "woff": "font/woff",
    "woff2": "font/woff2", "xml": "application/xml", "zip": "application/zip",
  ]
}
