// The error classes of this package, which only JavaScript can make.
"use strict";

class MuxCommandError extends Error {
  constructor(message, code, size, limit, errno) {
    super(message);
    this.name = "MuxCommandError";
    this.code = code;
    if (size !== undefined) {
      this.size = size;
      this.limit = limit;
    }
    if (errno !== undefined) this.errno = errno;
  }
}

class LaunchPreconditionError extends Error {
  constructor(reason, message) {
    super(message);
    this.name = "LaunchPreconditionError";
    this.reason = reason;
    this.code = reason;
  }
}

/** An answer of the addon, or the error that it says to throw. */
function made(answer) {
  const refused = answer?.refused;
  if (!refused) return answer;
  const { message, code, size, limit, errno } = refused;
  throw refused.class === "MuxCommandError"
    ? new MuxCommandError(message, code, size, limit, errno)
    : new LaunchPreconditionError(code, message);
}

module.exports = { LaunchPreconditionError, MuxCommandError, made };
