/// The namespace of a type's reactive extensions: `object.rx`.
///
/// It has a ``Binder`` for each settable property of an object: `object.rx.title`. Declare other
/// members in an extension:
///
/// ```swift
/// extension Reactive where Base: SearchView {
///   var query: ControlProperty<String> { … }
/// }
/// ```
@dynamicMemberLookup
public struct Reactive<Base> {
  /// The extended value.
  public var base: Base

  /// Creates the namespace of a value.
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

/// A type with reactive extensions.
public protocol ReactiveCompatible {
  /// The extended type.
  associatedtype ReactiveBase

  /// The namespace of the type.
  static var rx: Reactive<ReactiveBase>.Type { get }

  /// The namespace of the value.
  var rx: Reactive<ReactiveBase> { get set }
}

extension ReactiveCompatible {
  /// The namespace of the type.
  public static var rx: Reactive<Self>.Type {
    Reactive<Self>.self
  }

  /// The namespace of this value.
  public var rx: Reactive<Self> {
    get { Reactive(self) }
    // Allows a property of `rx` to have a setter.
    set {}
  }
}
