/// <reference path="./frameworks.d.ts" />
import * as react from "./react.js";
import * as svelte from "./svelte.js";
import * as vue from "./vue.js";
import type * as declaredReact from "../../reactor-react";
import type * as declaredSvelte from "../../reactor-svelte";
import type * as declaredVue from "../../reactor-vue";

// Each declaration has an implementation of its type, and each export a declaration.
export const [forReact, forSvelte, forVue]: [typeof declaredReact, typeof declaredSvelte, typeof declaredVue] =
  [react, svelte, vue];
export const declarations: [keyof typeof declaredReact, keyof typeof declaredSvelte, keyof typeof declaredVue] =
  ["" as keyof typeof react, "" as keyof typeof svelte, "" as keyof typeof vue];
