/// Where the reactive side of a type lives: `object.rx`.
///
/// A property of an object that can be set is a ``Binder`` there, `object.rx.title`. Anything else is
/// an extension of this type:
///
/// ```swift
/// extension Reactive where Base: SearchView {
///   var query: ControlProperty<String> { … }
/// }
/// ```
@dynamicMemberLookup
public struct Reactive<Base> {
  /// The object, or what else is extended.
  public let base: Base

  /// Extends something.
  public init(_ base: Base) {
    self.base = base
  }

  /// A binder for a property of the object.
  public subscript<Property: Sendable>(
    dynamicMember keyPath: any ReferenceWritableKeyPath<Base, Property> & Sendable
  ) -> Binder<Property> where Base: AnyObject & Sendable {
    Binder(base) { base, value in base[keyPath: keyPath] = value }
  }
}

extension Reactive: Sendable where Base: Sendable {}

/// A type with a reactive side.
public protocol ReactiveCompatible {
  /// What is extended.
  associatedtype ReactiveBase

  /// The reactive side of the type.
  static var rx: Reactive<ReactiveBase>.Type { get }

  /// The reactive side of a value.
  var rx: Reactive<ReactiveBase> { get }
}

extension ReactiveCompatible {
  /// The reactive side of the type.
  public static var rx: Reactive<Self>.Type {
    Reactive<Self>.self
  }

  /// The reactive side of this value.
  public var rx: Reactive<Self> {
    Reactive(self)
  }
}
