// The inspector's access to a service that requires a token.

import { storedToken, storeToken, tokenForm, useToken } from "/token.js";
import { part } from "./elements.js";

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
