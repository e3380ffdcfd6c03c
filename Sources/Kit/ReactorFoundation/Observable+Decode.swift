public import Foundation
public import ReactorStreams

/// A type that decodes values from data, such as `JSONDecoder`.
public protocol DataDecoder {
  /// Decodes a value.
  func decode<Item: Decodable>(_ type: Item.Type, from data: Data) throws -> Item
}

extension JSONDecoder: DataDecoder {}
extension PropertyListDecoder: DataDecoder {}

extension ObservableType where Element == Data {
  /// Returns a stream of the values that a decoder decodes from each element.
  ///
  /// An error of the decoder fails the stream.
  public func decode<Item: Decodable & Sendable>(
    type: Item.Type, decoder: some DataDecoder & Sendable
  ) -> Observable<Item> {
    map { try decoder.decode(type, from: $0) }
  }
}
