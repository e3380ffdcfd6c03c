// The token of a service that requires one (`auth.tokens`), stored until the tab is closed.

import { configure } from "./reactor.js";

const KEY = "reactord.token";

/** The stored token, or `null`. */
export const storedToken = () => sessionStorage.getItem(KEY);

/** Sends the stored token, if there is one, with every request. */
export function useToken() {
  const token = storedToken();
  configure({ headers: token ? { Authorization: `Bearer ${token}` } : {} });
}

/** Stores a token, or removes the stored one. */
export function storeToken(token) {
  if (token) sessionStorage.setItem(KEY, token);
  else sessionStorage.removeItem(KEY);
  useToken();
}

/** Whether a problem means that a request needs a token, or another one. */
export const needsToken = (problem) => [401, 403].includes(problem?.status);

/** A form that asks for a token, stores it and then calls a function. */
export function tokenForm(proceed) {
  const form = document.createElement("form");
  form.className = "token";
  const label = document.createElement("label");
  label.htmlFor = "token";
  label.textContent = "Token";
  const input = document.createElement("input");
  Object.assign(input, {
    id: "token", type: "password", required: true, pattern: "[!-~]+", autocomplete: "off",
    title: "A token is printable ASCII without spaces.",
  });
  const button = document.createElement("button");
  button.textContent = "Use it";
  const row = document.createElement("div");
  row.className = "send";
  row.append(input, button);
  form.append(label, row);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    storeToken(input.value);
    proceed();
  });
  return form;
}
