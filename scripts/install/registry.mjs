// A registry of the packed tarballs on the loopback address, so that they are installed by name, as
// users will.

import { createHash } from "node:crypto";
import { readFileSync, readdirSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { execFileSync } from "node:child_process";

/** The manifest inside a tarball, with what a registry adds to it. */
function published(dist, file, url) {
  const manifest = JSON.parse(execFileSync("tar", ["-xzOf", join(dist, file), "package/package.json"], { encoding: "utf8" }));
  const integrity = `sha512-${createHash("sha512")
    .update(readFileSync(join(dist, file)))
    .digest("base64")}`;
  return { ...manifest, dist: { tarball: `${url}/-/${file}`, integrity } };
}

/**
 * Serves what lies in `dist`, and the manifests of `npm` whose binary was not built here: an
 * installer must know them to pass over them. The answer closes itself with `close()`.
 */
export async function serve({ dist, npm }) {
  const packages = new Map();
  const server = createServer((request, response) => {
    const path = decodeURIComponent(request.url.slice(1));
    if (path.startsWith("-/") && readdirSync(dist).includes(path.slice(2))) {
      response.end(readFileSync(join(dist, path.slice(2))));
      return;
    }
    const manifest = packages.get(path);
    response.statusCode = manifest ? 200 : 404;
    response.setHeader("content-type", "application/json");
    response.end(
      JSON.stringify(
        manifest
          ? {
              name: manifest.name,
              "dist-tags": { latest: manifest.version },
              versions: { [manifest.version]: manifest },
            }
          : { error: "not found" },
      ),
    );
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${server.address().port}`;
  for (const platform of readdirSync(npm)) {
    const manifest = JSON.parse(readFileSync(join(npm, platform, "package.json"), "utf8"));
    packages.set(manifest.name, { ...manifest, dist: { tarball: `${url}/-/absent.tgz` } });
  }
  for (const file of readdirSync(dist).filter((name) => name.endsWith(".tgz"))) {
    const manifest = published(dist, file, url);
    packages.set(manifest.name, manifest);
  }
  return { url, close: () => new Promise((resolve) => server.close(resolve)) };
}
