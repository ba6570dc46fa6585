// The public entry: literal exports, so that `import { name }` finds them, over the generated
// loader in binding.js, so that nothing else of it leaks.
"use strict";

const native = require("./binding.js");

function parseExitFile(text) {
  return native.parseExitFile(text);
}

module.exports.parseExitFile = parseExitFile;
