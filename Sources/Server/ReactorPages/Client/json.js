// JSON: exact integers, equality and patches.

/**
 * Parses JSON. An integer that a number cannot represent becomes a `BigInt`, if the browser passes
 * the source text to the reviver.
 *
 * @type {typeof import("../reactor").parse}
 */
export function parse(text) {
  // @ts-ignore: the third parameter of a reviver is newer than the type library.
  return /\d{16}/.test(text) ? JSON.parse(text, exactInteger) : JSON.parse(text);
}

/** @type {(name: string, value: any, context?: { source: string }) => any} */
function exactInteger(_name, value, context) {
  const isRounded = typeof value === "number" && !Number.isSafeInteger(value);
  return isRounded && /^-?\d+$/.test(context?.source) ? BigInt(context.source) : value;
}

/**
 * Serializes JSON, a `BigInt` with all its digits.
 *
 * @type {typeof import("../reactor").stringify}
 */
export function stringify(value) {
  return JSON.stringify(value, (_name, inner) =>
    // @ts-ignore: `rawJSON` is newer than the type library.
    typeof inner === "bigint" ? JSON.rawJSON?.(String(inner)) ?? Number(inner) : inner);
}

/** Whether two values are the same JSON. */
export function isEqual(one, other) {
  if (Object.is(one, other)) return true;
  if (typeof one !== "object" || typeof other !== "object" || !one || !other) return false;
  const names = Object.keys(one);
  return Array.isArray(one) === Array.isArray(other)
    && names.length === Object.keys(other).length
    && names.every((name) => Object.hasOwn(other, name) && isEqual(one[name], other[name]));
}

/** Defines a property under any name, `__proto__` included. */
const define = (object, name, value) =>
  Object.defineProperty(
    object, name, { value, writable: true, enumerable: true, configurable: true });

const misfit = (path) => new RangeError(`The patch does not fit at ${path}`);

/**
 * A document under modification: containers are copied before their first change, so that the
 * original stays intact and shares all unchanged parts.
 */
class Draft {
  /** The document is the member `""`, since every pointer starts with an empty name. */
  root;
  #copies = new WeakSet();

  constructor(document) {
    this.root = { "": document };
    this.#copies.add(this.root);
  }

  read(path) {
    return names(path).reduce(member, this.root);
  }

  add(path, value) {
    const [parent, name] = this.#open(path);
    if (!Array.isArray(parent)) return define(parent, name, value);
    const index = name === "-" ? parent.length : Number(name);
    const isIndex = name === "-" || String(index) === name;
    if (!isIndex || !(index >= 0 && index <= parent.length)) throw misfit(path);
    parent.splice(index, 0, value);
  }

  replace(path, value) {
    const [parent, name] = this.#open(path);
    member(parent, name);
    define(parent, name, value);
  }

  remove(path) {
    const [parent, name] = this.#open(path);
    member(parent, name);
    if (Array.isArray(parent)) parent.splice(Number(name), 1);
    else delete parent[name];
  }

  /** Copies the containers on the path. Returns the last one and the name in it. */
  #open(path) {
    const way = names(path);
    const last = way.pop();
    let parent = this.root;
    for (const name of way) {
      let child = member(parent, name);
      if (typeof child !== "object" || !child) throw misfit(path);
      if (!this.#copies.has(child)) {
        child = Array.isArray(child) ? child.slice() : { ...child };
        this.#copies.add(child);
        define(parent, name, child);
      }
      parent = child;
    }
    if (typeof parent !== "object" || !parent) throw misfit(path);
    return [parent, last];
  }
}

/** The names in a JSON Pointer. */
const names = (path) =>
  path.split("/").map((name) => name.replaceAll("~1", "/").replaceAll("~0", "~"));

/** Returns the value at a JSON Pointer; `null` if there is none. */
export function valueAt(path, document) {
  try {
    return names(path).slice(1).reduce(member, document);
  } catch {
    return null;
  }
}

/** Returns a member; throws if it does not exist. */
function member(parent, name) {
  const exists = typeof parent === "object" && parent && Object.hasOwn(parent, name)
    && (!Array.isArray(parent) || /^\d+$/.test(name));
  if (!exists) throw misfit(name);
  return parent[name];
}

/**
 * Applies a JSON Patch (RFC 6902). The given document is not modified; the result shares its
 * unchanged parts.
 *
 * @param {any} document
 * @param {readonly any[]} operations
 */
export function patched(document, operations) {
  const draft = new Draft(document);
  for (const { op, path, from, value } of operations) {
    if (value === undefined && ["add", "replace", "test"].includes(op)) {
      throw misfit(path);
    }
    if (op === "add") draft.add(path, value);
    else if (op === "remove") draft.remove(path);
    else if (op === "replace") draft.replace(path, value);
    else if (op === "copy") draft.add(path, structuredClone(draft.read(from)));
    else if (op === "move") {
      const moved = draft.read(from);
      draft.remove(from);
      draft.add(path, moved);
    } else if (op !== "test" || !isEqual(draft.read(path), value)) {
      throw misfit(path);
    }
  }
  return draft.root[""];
}
