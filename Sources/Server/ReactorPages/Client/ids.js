const utf8 = new TextEncoder();

/**
 * Returns the form of a text as the id of a session: `auth0|5f7c` is `auth0~7C5f7c`.
 *
 * @param {string} text
 * @returns {string}
 */
export function sessionID(text) {
  const plain = text === "." || text === ".." ? /[]/ : /[\w.-]/;
  return Array.from(utf8.encode(text), (byte) => {
    const character = String.fromCharCode(byte);
    return plain.test(character) ? character : `~${byte.toString(16).toUpperCase().padStart(2, "0")}`;
  }).join("");
}
