// The inspector's access to a service that requires a token.

import { request } from "../reactor.js";
import { storedToken, storeToken, tokenForm, useToken } from "../token.js";
import { addressOf, part } from "./elements.js";

const show = () => { part.forget.hidden = !storedToken(); };

/** Sends the stored token, if there is one, with every request. */
export function start() {
  useToken();
  show();
}

/** A form that asks for a token and then calls a function. */
export const askForToken = (proceed) => tokenForm(() => {
  show();
  proceed();
});

part.forget.addEventListener("click", () => {
  storeToken(null);
  location.reload();
});

/**
 * Follows the links to data of the service with the stored token, which a plain link cannot carry.
 */
document.addEventListener("click", async (event) => {
  const link = event.target instanceof Element ? event.target.closest("a") : null;
  const path = link?.href.startsWith(addressOf("")) ? link.href.slice(addressOf("").length) : "";
  if (!storedToken() || !/^(v1\/|metrics$|openapi\.json$)/.test(path)) return;
  event.preventDefault();
  try {
    const response = await request(path, { headers: { Accept: "*/*" } });
    location.assign(URL.createObjectURL(await response.blob()));
  } catch (problem) {
    link.after(` ${problem.message}`);
  }
});
