internal import Crypto
internal import Glibc
internal import Synchronization

/// The folder of one's own web pages, which the service serves beside its API.
///
/// A name is the bytes of the client, each part between two slashes the name of one entry. A file is found by its
/// real path, and the kernel says where the opened file is: no link, and no change of the folder at the same
/// time, leads out of it. Calls read from disk; they belong on a background thread.
package final class PageFolder: Sendable {
  /// The reason for which a name has no file.
  enum Failure: Error, Equatable {
    /// The folder itself cannot be opened.
    case missingFolder
    /// No file has the name, or it is none that is served.
    case absent
    /// The name is that of a folder.
    case isFolder
    case tooLarge
    /// The file was changed each time it was read.
    case isChanging
  }

  /// The contents of a file.
  struct Content: Sendable {
    let bytes: [UInt8]
    /// The entity tag, without its quotes.
    let tag: String
  }

  /// The largest file that is served: each response holds its file in memory.
  static let fileLimit = 16 << 20

  /// The number of bytes of files that are retained between requests, and of these files.
  static let cacheLimit = (bytes: 64 << 20, files: 1_024)

  /// Whether a page that a browser opens gets `index.html` if there is no file.
  package let hasFallback: Bool

  /// The path, without a zero.
  private let path: String
  private let cache = Mutex(Cache())

  /// Creates a folder of pages.
  ///
  /// - Parameters:
  ///   - path: The path. It is opened for each request, so that the folder can be replaced by another one.
  ///   - hasFallback: Whether a page that a browser opens gets `index.html` if there is no file.
  package init(_ path: String, hasFallback: Bool = false) {
    self.path = path
    self.hasFallback = hasFallback
  }

  /// Whether the folder exists and can be opened.
  package var exists: Bool { (try? FolderPath(path)) != nil }

  /// Returns the contents of a file.
  ///
  /// - Parameters:
  ///   - parts: The names of its folders and its own name.
  ///   - original: The file that this one is the compressed form of: an older form counts as absent.
  /// - Returns: The contents.
  /// - Throws: The reason for which there are none.
  func content(of parts: [[UInt8]], derivedFrom original: [[UInt8]]? = nil) throws(Failure)
    -> Content
  {
    guard Self.areServed(parts) else { throw .absent }
    let folder = try FolderPath(path)
    let file = try folder.file(at: parts)
    if let original, Self.areServed(original),
      try file.stamp().isOlder(than: folder.file(at: original).stamp())
    {
      throw .absent
    }
    return try read(file)
  }

  /// Whether names may be served: no hidden file, and nothing that stands for another folder.
  ///
  /// `.well-known` (RFC 8615) is a name for clients.
  private static func areServed(_ parts: [[UInt8]]) -> Bool {
    !parts.isEmpty
      && parts.enumerated().allSatisfy { index, name in
        guard let first = name.first, !name.contains(0), !name.contains(UInt8(ascii: "/")) else {
          return false
        }
        return first != UInt8(ascii: ".") || index == 0 && name.elementsEqual(".well-known".utf8)
      }
  }

  /// Reads a file, or returns the contents of an earlier reading.
  ///
  /// A file that is written in the meantime is read again, so that no response mixes two versions of it.
  private func read(_ file: borrowing OpenFile) throws(Failure) -> Content {
    for isFirst in [true, false] {
      let stamp = try file.stamp()
      guard stamp.size <= Self.fileLimit else { throw .tooLarge }
      // A further change could leave the times as they are.
      guard !stamp.isFresh else {
        if isFirst { usleep(FileStamp.resolution) }
        continue
      }
      if let known = cache.withLock({ $0.content(at: stamp) }) { return known }
      let bytes = file.bytes(stamp.size)
      guard bytes.count == stamp.size, try file.stamp() == stamp else { continue }
      let content = Content(
        bytes: bytes, tag: String(SHA256.hexadecimal(of: bytes).prefix(16)))
      cache.withLock { $0.insert(content, at: stamp) }
      return content
    }
    throw .isChanging
  }
}

/// The identity of one version of a file.
private struct FileStamp: Hashable {
  let device: UInt64
  let file: UInt64
  let size: Int
  let modified: Int64
  let changed: Int64

  init(_ status: stat) {
    device = UInt64(status.st_dev)
    file = UInt64(status.st_ino)
    size = Int(status.st_size)
    modified = Self.nanoseconds(status.st_mtim)
    changed = Self.nanoseconds(status.st_ctim)
  }

  func isOlder(than other: FileStamp) -> Bool { modified < other.modified }

  /// A time in microseconds that is longer than the resolution of the times of files: a tick of the kernel.
  static let resolution: useconds_t = 25_000

  /// Whether the file was changed within this time.
  var isFresh: Bool {
    var now = timespec()
    unsafe clock_gettime(CLOCK_REALTIME, &now)
    return (0..<1_000 * Int64(Self.resolution)).contains(Self.nanoseconds(now) - changed)
  }

  private static func nanoseconds(_ time: timespec) -> Int64 {
    Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec)
  }
}

/// Contents of files by their version, the most recently used ones.
private struct Cache {
  private var entries: [FileStamp: (content: PageFolder.Content, use: Int)] = [:]
  private var byteCount = 0
  private var uses = 0

  mutating func content(at stamp: FileStamp) -> PageFolder.Content? {
    uses += 1
    entries[stamp]?.use = uses
    return entries[stamp]?.content
  }

  mutating func insert(_ content: PageFolder.Content, at stamp: FileStamp) {
    uses += 1
    if let former = entries.updateValue((content, uses), forKey: stamp) {
      byteCount -= former.content.bytes.count
    }
    byteCount += content.bytes.count
    while byteCount > PageFolder.cacheLimit.bytes || entries.count > PageFolder.cacheLimit.files,
      let oldest = entries.min(by: { $0.value.use < $1.value.use })
    {
      entries[oldest.key] = nil
      byteCount -= oldest.value.content.bytes.count
    }
  }
}

/// The real path of the folder, without a link.
private struct FolderPath {
  private let path: [UInt8]

  init(_ path: String) throws(PageFolder.Failure) {
    guard let real = Self.real(Array(path.utf8)), let status = Self.status(of: real),
      status.st_mode & S_IFMT == S_IFDIR
    else { throw .missingFolder }
    self.path = real == [UInt8(ascii: "/")] ? [] : real
  }

  /// Opens a file below the folder, also through links that stay in it.
  func file(at parts: [[UInt8]]) throws(PageFolder.Failure) -> OpenFile {
    let name = parts.flatMap { [UInt8(ascii: "/")] + $0 }
    // Nothing is opened before it is known to be a file of the folder: to open a pipe or a device has effects.
    guard let real = Self.real(path + name), contains(real), let status = Self.status(of: real)
    else { throw .absent }
    switch status.st_mode & S_IFMT {
    case S_IFREG: break
    case S_IFDIR: throw .isFolder
    default: throw .absent
    }
    // The folders of the path can have been replaced by links in the meantime.
    guard let file = OpenFile(real), let place = file.place, contains(place) else { throw .absent }
    return file
  }

  private func contains(_ other: [UInt8]) -> Bool {
    other.starts(with: path) && other.dropFirst(path.count).first == UInt8(ascii: "/")
  }

  private static func real(_ path: [UInt8]) -> [UInt8]? {
    guard let real = unsafe withPath(path, { unsafe realpath($0, nil) }) else { return nil }
    defer { unsafe free(real) }
    return unsafe Array(UnsafeRawBufferPointer(start: real, count: strlen(real)))
  }

  private static func status(of path: [UInt8]) -> stat? {
    var status = stat()
    return unsafe withPath(path) { unsafe stat($0, &status) } == 0 ? status : nil
  }
}

/// Calls a function with a path, which has no zero.
private func withPath<Result>(
  _ path: [UInt8], _ body: (UnsafePointer<CChar>) -> Result
) -> Result {
  unsafe (path + [0]).map { CChar(bitPattern: $0) }.withUnsafeBufferPointer {
    guard let start = $0.baseAddress else { preconditionFailure("the array has a zero") }
    return unsafe body(start)
  }
}

/// A descriptor of a regular file, closed at its end.
private struct OpenFile: ~Copyable {
  private let number: Int32

  init?(_ path: [UInt8]) {
    number = unsafe withPath(path) {
      unsafe open($0, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | O_NOFOLLOW)
    }
    guard number >= 0 else { return nil }
  }

  deinit { if number >= 0 { close(number) } }

  func stamp() throws(PageFolder.Failure) -> FileStamp {
    var status = stat()
    guard unsafe fstat(number, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      throw .absent
    }
    return FileStamp(status)
  }

  /// Reads at most `size` bytes from the beginning.
  func bytes(_ size: Int) -> [UInt8] {
    unsafe [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
      while count < size, let start = buffer.baseAddress {
        let read = unsafe pread(number, start + count, size - count, off_t(count))
        if read < 0, errno == EINTR { continue }
        guard read > 0 else { break }
        count += read
      }
    }
  }

  /// The path of the opened file, as the kernel knows it, or `nil` if it is longer than a path may be.
  var place: [UInt8]? {
    let limit = Int(PATH_MAX)
    let bytes = unsafe [UInt8](unsafeUninitializedCapacity: limit) { buffer, count in
      count = unsafe buffer.withMemoryRebound(to: CChar.self) { text in
        guard let start = text.baseAddress else { return 0 }
        return unsafe max(0, readlink("/proc/self/fd/\(number)", start, limit))
      }
    }
    return bytes.isEmpty || bytes.count == limit ? nil : bytes
  }
}
