"use strict";

/** Freezes a list, or an object of lists. */
exports.frozen = (value) => Object.freeze(Array.isArray(value) ? value : Object.fromEntries(Object.entries(value).map(([key, list]) => [key, Object.freeze(list)])));
