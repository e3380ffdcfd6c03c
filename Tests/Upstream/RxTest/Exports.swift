@_exported import ReactorTesting
import RxSwift
import XCTest

/// Compares the results of singles, whose errors are equal as those of events are.
public func XCTAssertEqual<Element: Equatable>(
  _ lhs: [SingleEvent<Element>], _ rhs: [SingleEvent<Element>], file: StaticString = #filePath,
  line: UInt = #line
) {
  func events(_ results: [SingleEvent<Element>]) -> [Event<Element>] {
    results.map { result in
      switch result {
      case .success(let element): .next(element)
      case .failure(let error): .error(error)
      }
    }
  }
  XCTAssertEqual(events(lhs), events(rhs), file: file, line: line)
}
