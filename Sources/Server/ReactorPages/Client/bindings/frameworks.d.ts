// The declarations of the frameworks that the bindings use, which are not installed here.

declare module "react" {
  export function useMemo<T>(make: () => T, dependencies: readonly unknown[]): T;
  export function useSyncExternalStore<T>(
    subscribe: (changed: () => void) => () => void, read: () => T, readOnServer?: () => T
  ): T;
}

declare module "vue" {
  export interface ShallowRef<T> { value: T }
  export function shallowRef<T>(value: T): ShallowRef<T>;
  export function shallowReadonly<T extends object>(value: T): Readonly<T>;
  export function onScopeDispose(end: () => void): void;
}
