internal import Crypto
internal import ReactorCore

/// The keys that verify the tokens of a service, read from a file.
///
/// The file is a JSON Web Key Set (RFC 7517, 5), a single JSON Web Key, an object of certificates in PEM
/// by their key ids (as Google and Firebase publish them), or a sequence of PEM blocks
/// `-----BEGIN PUBLIC KEY-----` or `-----BEGIN CERTIFICATE-----`. A JSON Web Key can also be an `oct`
/// secret for HS256, HS384 and HS512.
package struct KeySet: Sendable {
  /// The maximum number of keys of a set.
  package static let limit = 64

  /// One key of the set.
  struct Entry: Sendable {
    /// The `kid`, or `nil` for a key without one, such as every key of a PEM file.
    let id: String?
    let key: VerificationKey
    /// The algorithms that the key's type, its curve and its `alg` permit.
    let algorithms: [SignatureAlgorithm]
  }

  /// The reason why a file is not a set of keys.
  package struct Failure: Error, Equatable, CustomStringConvertible {
    /// A message for the operator: the key, and the reason why it is rejected.
    package let description: String
  }

  let entries: [Entry]

  /// One sentence for each key that is skipped because it cannot be used.
  package let warnings: [String]

  /// The number of keys.
  package var count: Int { entries.count }

  /// Reads the content of a key file.
  ///
  /// Keys for another purpose (`use` is not `sig`, `key_ops` without `verify`) are skipped in a JSON Web
  /// Key Set, and keys that cannot be used are skipped with a warning, as RFC 7517, section 5 requires;
  /// in every other form they are errors. A private key is an error in every form.
  package init(_ file: [UInt8]) throws(Failure) {
    try self.init(reading: file)
    try checkIDs()
  }

  private init(reading file: [UInt8]) throws(Failure) {
    let first = file.first { !" \t\r\n".utf8.contains($0) }
    var warnings: [String] = []
    entries =
      first == UInt8(ascii: "{") ? try Self.readJSON(file, &warnings) : try Self.readPEM(file)
    self.warnings = warnings
    guard !entries.isEmpty else {
      let reasons = ["the file has no key that verifies signatures"] + warnings
      throw Failure(description: reasons.joined(separator: "; "))
    }
    guard entries.count <= Self.limit else {
      throw Failure(description: "the file has more than \(Self.limit) keys")
    }
  }

  /// Reads the key set that a provider publishes.
  ///
  /// Every client can read it, so that its secrets (`oct`) prove nothing: they are skipped with a warning.
  package init(published body: [UInt8]) throws(Failure) {
    let set = try KeySet(reading: body)
    entries = set.entries.filter { !$0.key.algorithms.contains(.hs256) }
    let count = set.count - entries.count
    warnings = set.warnings + (count == 0 ? [] : ["\(count) keys are secrets, and published"])
    guard !entries.isEmpty else {
      throw Failure(description: "the published keys are secrets, which verify nothing")
    }
    try checkIDs()
  }

  /// Rejects different keys with one id: a token names several of them, of which one may be a stranger's (RFC 7517, 4.5).
  private func checkIDs() throws(Failure) {
    for (index, entry) in entries.enumerated() {
      guard let id = entry.id else { continue }
      let isAmbiguous = entries[..<index].contains {
        $0.id?.utf8.elementsEqual(id.utf8) == true && $0.key.thumbprint != entry.key.thumbprint
          && !Set($0.algorithms).isDisjoint(with: entry.algorithms)
      }
      guard !isAmbiguous else {
        throw Failure(
          description: "two different keys have the kid \(id.debugDescription); "
            + "change the kid of one")
      }
    }
  }

  /// Returns whether another set verifies the same tokens.
  package func isEqual(to other: KeySet) -> Bool {
    entries.elementsEqual(other.entries) {
      $0.id == $1.id && $0.key.thumbprint == $1.key.thumbprint && $0.algorithms == $1.algorithms
    }
  }

  // MARK: JSON Web Keys

  private static func readJSON(
    _ file: [UInt8], _ warnings: inout [String]
  ) throws(Failure) -> [Entry] {
    guard let object = StrictObject(file)?.claims else {
      throw Failure(description: "the file is not JSON, or an object in it repeats a member")
    }
    guard let keys = object["keys"] else {
      if object["kty"] == nil, let entries = try readCertificates(object) { return entries }
      do {
        return [try JSONWebKey(object, at: 0).entry()]
      } catch {
        throw Failure(description: error.sentence)
      }
    }
    guard case .array(let keys) = keys else {
      throw Failure(description: #""keys" is not an array"#)
    }
    var entries: [Entry] = []
    for (index, key) in keys.enumerated() {
      guard case .object(let members) = key else {
        warnings.append("key \(index) is not an object")
        continue
      }
      do throws(JSONWebKey.Failure) {
        entries.append(try JSONWebKey(members, at: index).entry())
      } catch {
        switch error {
        case .otherPurpose: break
        case .unusable: warnings.append(error.sentence)
        case .isPrivate: throw Failure(description: error.sentence)
        }
      }
    }
    return entries
  }

  /// Reads certificates by their key ids.
  ///
  /// - Returns: The keys, or `nil` if a member is not a text.
  private static func readCertificates(_ object: Claims) throws(Failure) -> [Entry]? {
    guard !object.names.isEmpty else { return nil }
    var entries: [Entry] = []
    for id in object.names {
      guard case .string(let pem)? = object[id] else { return nil }
      do throws(VerificationKey.Failure) {
        let key = try VerificationKey(pem: Array(pem.utf8))
        entries.append(Entry(id: id, key: key, algorithms: key.algorithms))
      } catch {
        throw Failure(description: "key \(id.debugDescription) \(error.sentence)")
      }
    }
    return entries
  }

  // MARK: PEM

  private static func readPEM(_ file: [UInt8]) throws(Failure) -> [Entry] {
    var entries: [Entry] = []
    var block: [UInt8]?
    for line in file.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: true) {
      let isBegin = line.starts(with: "-----BEGIN ".utf8)
      guard isBegin || block != nil else { continue }
      if isBegin { block = [] }
      block?.append(contentsOf: line)
      block?.append(UInt8(ascii: "\n"))
      guard line.starts(with: "-----END ".utf8), let pem = block else { continue }
      block = nil
      do {
        let key = try VerificationKey(pem: pem)
        entries.append(Entry(id: nil, key: key, algorithms: key.algorithms))
      } catch {
        throw Failure(description: "PEM block \(entries.count + 1) \(error.sentence)")
      }
    }
    guard block == nil else { throw Failure(description: "the last PEM block has no end") }
    return entries
  }
}
