// The public entry: literal exports, so that `import { name }` finds them, and nothing else of the
// addon leaks.
"use strict";

const native = require("./native.js");

function parseExitFile(text) {
  return native.parseExitFile(text);
}

module.exports.parseExitFile = parseExitFile;
