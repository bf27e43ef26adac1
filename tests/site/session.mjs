// What a file of browser tests has while it runs, and what is gone when it is done.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before } from "node:test";
import { launch } from "./browser.mjs";
import { serve } from "./server.mjs";

/** `.browser`; `.host`, if a site is to be served; `.folder` for pages of the tests' own, if it gets a name. */
export function session({ site, folder } = {}) {
  const own = { folder: folder && mkdtempSync(join(tmpdir(), `${folder}-`)) };
  before(async () => {
    own.browser = await launch();
    if (site) own.host = await serve(site);
  });
  after(async () => {
    await own.browser?.close();
    await own.host?.close();
    if (own.folder) rmSync(own.folder, { recursive: true, force: true });
  });
  return own;
}
